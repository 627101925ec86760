// Package argv reads the arguments of programs: which of them are options, which of
// those take a value, and what the program does with it. A Spec says how a program
// reads its own; there is one reader for all.
package argv
