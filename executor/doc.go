// Package executor owns one command's life: admit, judge, plan, wait for a slot,
// spawn, stream, end. It is the only caller of guard.Check and of the sandbox's
// Start, so there is one door to a child.
//
// An error means that no process was started; a Result means that one was.
package executor
