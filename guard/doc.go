// Package guard judges a command before it starts. It is pure: text, policy and
// facts about the workspace go in, a Verdict comes out; it starts nothing and
// reads no clock (its budgets are counted steps).
//
//	bytes → parse → effects → rules → verdict
//
// The guard is a tripwire: it explains, asks, and stops the obvious. It can be
// fooled (by a script it cannot read, by a value known only at run time); the
// sandbox is the boundary and must hold when it was.
package guard
