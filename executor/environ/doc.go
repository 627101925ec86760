// Package environ says which of the editor's variables a command gets: what carries a
// secret or code is not inherited, and a program finds its own in the order that the
// caller has chosen. It is pure.
package environ
