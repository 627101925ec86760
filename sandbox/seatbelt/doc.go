// Package seatbelt writes what the system of macOS is told about a sandbox: the profile
// that sandbox-exec compiles. It is pure, so that profiles for policies of every shape are
// tested anywhere; testdata has them as they are given to the system.
package seatbelt
