package sandbox

// A Console is what Windows has for a pseudo-terminal: not a file, but a program of
// the system's between two pipes and the command. Elsewhere there is none.
//
// Resize tells it its size in characters. Close ends it, with everything that still
// uses it, and returns when its output was read. Both may be called at any time, Close
// more than once.
type Console struct{ console }
