// Package wire is what the sidecar and the sandbox's own processes say to each other:
// the names they are started by, messages as plain structs, and the frames in which
// Linux sends them. Both ends are the same program, so a message is its fields in order.
package wire
