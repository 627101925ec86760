// Package policy says what is asked of a sandbox and what a machine promises: modes,
// limits, rungs, guarantees and refusals, and the places that every platform shows or
// hides. It is pure and starts nothing.
package policy
