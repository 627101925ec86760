// Package landlock says what a policy's commands may do below which path, and has the
// kernel hold them to it.
package landlock
