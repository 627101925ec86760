package effect

// Span is a range of bytes in a source field; End is exclusive.
type Span struct{ Start, End int }

// Source is the field of the request a Span lies in.
type Source struct {
	Field string // "command", "argv", "commands" or "env"
	Index int    // of argv and commands
	Name  string // of env
}

// Link is one construct on the way to an effect: `bash -c`, `$(…)`, a function.
type Link struct {
	Construct string // what wraps, e.g. "sh -c"
	Text      string // what it wraps, shortened
	Span      Span   // in the same source field as the finding's
}
