// Package node knows the package managers of JavaScript.
package node
