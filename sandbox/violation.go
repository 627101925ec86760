package sandbox

// Violation is something the sandbox refused, as data: nobody should have to
// search output for "permission denied".
type Violation struct {
	Op          string // "open", "rename", …, or "vet" for what was moved away at the end
	Path        string
	Rule        string // the protected name, or "outside"
	Grant       string // the smallest grant that would allow it
	Process     string // the name of the program that tried
	Errno       string // "EROFS"
	Count       int
	Attribution string // AttributionReported or AttributionInferred
}

// How we know: the refusal was ours, or it was read off an error.
const (
	AttributionReported = "reported"
	AttributionInferred = "inferred"
)

// maxViolations bounds the distinct ones that are kept; the total goes on.
const maxViolations = 64
