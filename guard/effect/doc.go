// Package effect is what a command would do, one Effect for each thing, and what
// effects are made of: the words of a command, what programs print, and where both
// came from. It knows no shell, no program and no rule.
package effect
