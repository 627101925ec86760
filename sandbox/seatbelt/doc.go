// Package seatbelt writes the profile that sandbox-exec of macOS compiles. It is pure, so
// that profiles for policies of every shape are tested anywhere; testdata has them as they
// are given to the system.
package seatbelt
