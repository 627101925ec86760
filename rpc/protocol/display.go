package protocol

// DisplayLine is a line for a person. In its text everything is spelled out that could
// hide or act: a client may colour and wrap it, and neither adds nor leaves out what did
// not hold.
type DisplayLine struct {
	Text   string        `json:"text"`
	Tone   Tone          `json:"tone"`
	Spans  []DisplaySpan `json:"spans,omitempty"`  // the same text in pieces, where not all of it has the line's tone
	Action Action        `json:"action,omitempty"` // what a client can offer beside it
}

// DisplaySpan is a piece of a line.
type DisplaySpan struct {
	Text string `json:"text"`
	Tone Tone   `json:"tone"`
}

// Tone is what a line or a piece of one is, from which a client takes its colour.
type Tone string

// The tones.
const (
	ToneTitle   Tone = "title"   // a question
	ToneCommand Tone = "command" // the exact text of a command
	TonePlace   Tone = "place"   // the part of it that is meant
	ToneReason  Tone = "reason"
	ToneRemedy  Tone = "remedy" // what to do instead
	ToneRule    Tone = "rule"
	ToneOK      Tone = "ok"
	ToneWarn    Tone = "warn"
	ToneError   Tone = "error"
	ToneDim     Tone = "dim"
)

// Action is what can be done about a line.
type Action string

// The actions.
const (
	ActionUndo  Action = "undo"  // take back what the line reports, by exec/undo
	ActionRetry Action = "retry" // give what the line says was refused, by exec/retry
)
