// Package run judges any program by its model: what it does with its arguments, which
// of them are code, and the command that it starts. What models can't say, families of
// programs add: a Family is code for the programs of one subject, and a Table all of
// them.
package run
