// Package infer reads refusals off the last lines of a failed command's errors: what the
// kernel refuses by Landlock or a namespace it tells nobody but the program.
package infer
