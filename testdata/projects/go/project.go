// Package project adds.
package project

import "example.org/dep"

// Sum is a and b together.
func Sum(a, b int) int { return dep.Add(a, b) }
