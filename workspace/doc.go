// Package workspace is the lock on the folders an editor opened: it resolves
// paths once, decides inside or outside, and opens working directories without
// a race. No other package resolves symlinks or makes that decision.
//
// Paths are compared component by component after resolution, never as strings:
// /ws-evil starts with /ws and is not in it.
package workspace
