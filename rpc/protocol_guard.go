package rpc

// GuardVerdict is what the guard thinks of a command. Spans are UTF-8 byte
// offsets in the source field, end exclusive.
type GuardVerdict struct {
	Decision  string    `json:"decision"` // "allow", "ask", "deny"
	Findings  []Finding `json:"findings"`
	Parse     Parse     `json:"parse"`
	Policy    PolicyID  `json:"policy"`
	RunAs     string    `json:"runAs,omitzero"` // "argv", "canonical", "written"
	Canonical string    `json:"canonical,omitzero"`
}

// Parse says how much of the text the guard could read.
type Parse struct {
	Dialect  string `json:"dialect"`
	Complete bool   `json:"complete"`
	Opaque   []Span `json:"opaque"` // parts it could not see through
}

// Finding is one rule that matched.
type Finding struct {
	RuleID      string      `json:"ruleId"`
	Severity    int         `json:"severity"` // 1 error … 4 hint
	Decision    string      `json:"decision"`
	Message     string      `json:"message"`
	Explanation string      `json:"explanation,omitzero"`
	Source      Source      `json:"source"`
	Span        Span        `json:"span"`
	Via         []Link      `json:"via,omitempty"` // outermost first
	Suggestion  *Suggestion `json:"suggestion,omitzero"`
}

// Source names the field of the request that a span counts in.
type Source struct {
	Field string `json:"field"`          // "command", "argv", "env"
	Index *int   `json:"index,omitzero"` // of argv
	Name  string `json:"name,omitzero"`  // of env
}

// Span is [Start, End).
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Link is one step from the text to the command that was found in it.
type Link struct {
	Construct string `json:"construct"`
	Text      string `json:"text"`
	Span      Span   `json:"span"`
}

// Suggestion is a safer command.
type Suggestion struct {
	Title   string   `json:"title"`
	Command string   `json:"command,omitzero"`
	Argv    []string `json:"argv,omitempty"`
}
