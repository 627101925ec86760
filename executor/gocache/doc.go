// Package gocache lets a go command of a sandbox begin with what its user has built
// outside. It is the program that GOCACHEPROG names, runs in the sandbox with the rights
// of the command, and finds build results in the sandbox's own cache or, when they are not
// there, in the user's, which nothing in the sandbox can change.
package gocache
