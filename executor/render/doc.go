// Package render turns what a command printed and how it ended into one text for a
// model or a person to read.
package render
