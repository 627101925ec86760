// Package dep is what the project depends on.
package dep

// Add is a and b together.
func Add(a, b int) int { return a + b }
