// Package infer reads refusals off the last lines of a failed command's errors: of what
// the kernel refuses by Landlock or a namespace only the program knows.
package infer
