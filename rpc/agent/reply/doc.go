// Package reply writes what a model reads: the output of a command within a budget,
// why something was refused, and what would allow it.
//
// A model pays for every character and can act on few of them, so repeated and
// routine lines are folded, and of long output the beginning, the end and the lines
// that look like failures are kept, with the byte range of what is missing. A refusal
// always says who can lift it: the user, never the model.
package reply
