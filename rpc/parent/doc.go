// Package parent waits for the end of a process that is not ours to wait for: the
// editor's. Open finds it once, by a number that a later process may get again, and
// holds it.
package parent
