package effect

// MaxBytes is the most shell text, or argv added up, that is judged at all.
const MaxBytes = 65536

// Problems that end the judging of a text.
const (
	ProblemSize     = "size"     // more than MaxBytes
	ProblemBytes    = "bytes"    // control, bidi or zero-width characters, not UTF-8
	ProblemSyntax   = "syntax"   // the parser gave up
	ProblemOpaque   = "opaque"   // the parser and the shells read it differently
	ProblemNesting  = "nesting"  // too deep to parse safely
	ProblemDepth    = "depth"    // shells in shells beyond the limit
	ProblemBudget   = "budget"   // too much to walk
	ProblemInput    = "input"    // neither or both of command and argv
	ProblemInternal = "internal" // a bug of ours
)
