package protocol

import (
	"github.com/pillion-sidecar/pillion/guard"
)

// CheckParams of guard/check: what exec would say to each of these, without
// running one. Decoded as strictly as exec's. Tokens are refused, for a check
// has no progress; execId, stdin and output are checked and mean nothing. The
// command texts of all checks are at most 1 MiB.
//
//wire:strict
type CheckParams struct {
	Checks []ExecParams `json:"checks"` // 1 to 1024
}

// CheckResult has one verdict for each check, in their order.
type CheckResult struct {
	Verdicts []CheckVerdict `json:"verdicts"`
}

// CheckVerdict is what exec would come to. It would start a process if decision
// is "allow" and wouldFail is absent; whether the program exists is not looked
// up.
type CheckVerdict struct {
	GuardVerdict
	EffectiveSandbox *EffectiveSandbox `json:"effectiveSandbox,omitzero"` // absent: denied, or wouldFail
	WouldAsk         bool              `json:"wouldAsk"`                  // a person would have to approve
	// WouldFail is the error that exec would answer whatever the guard says: a
	// cwd outside the workspace (then nothing was judged: "deny", no findings) or
	// a sandbox that this machine can't enforce.
	WouldFail *WouldFail `json:"wouldFail,omitzero"`
}

// WouldFail is an error of exec. Kind is that of its data.
type WouldFail struct {
	Code    int       `json:"code"`
	Kind    ErrorKind `json:"kind"`
	Message string    `json:"message"`
}

// ExplainParams of guard/explain.
//
//wire:strict
type ExplainParams struct {
	RuleID string `json:"ruleId"`
}

// ExplainResult is one rule. Examples are judged with the workspace and cwd
// /home/dev/project and the home /home/dev.
type ExplainResult struct {
	RuleID          string          `json:"ruleId"`
	Title           string          `json:"title"`
	Rationale       string          `json:"rationale"` // the harm
	Decision        guard.Decision  `json:"decision"`  // under the policy in force; "allow": the rule is silenced
	Severity        int             `json:"severity"`  // 1 error … 4 hint
	Instead         string          `json:"instead,omitzero"`
	Examples        RuleExamples    `json:"examples"`
	CodeDescription CodeDescription `json:"codeDescription"`
}

// RuleExamples are commands that a rule finds, and others that only look alike.
type RuleExamples struct {
	Blocked []string `json:"blocked"`
	Allowed []string `json:"allowed"`
}

// CodeDescription is LSP's: where a person can read more.
type CodeDescription struct {
	Href string `json:"href"`
}

// GuardVerdict is what the guard thinks of a command. Spans are UTF-8 byte
// offsets in the source field, end exclusive.
type GuardVerdict struct {
	Decision  guard.Decision `json:"decision"`
	Findings  []Finding      `json:"findings"`
	Parse     Parse          `json:"parse"`
	Policy    PolicyID       `json:"policy"`
	RunAs     RunAs          `json:"runAs,omitzero"` // absent of commands
	Canonical string         `json:"canonical,omitzero"`

	// Of commands, one for each. The decision above is the strictest of theirs.
	Commands []CommandVerdict `json:"commands,omitempty"`
}

// CommandVerdict is the part of a verdict on commands that is about one of them.
type CommandVerdict struct {
	Decision  guard.Decision `json:"decision"`
	Parse     Parse          `json:"parse"`
	RunAs     RunAs          `json:"runAs"`
	Canonical string         `json:"canonical,omitzero"`
}

// Parse says how much of the text the guard could read.
type Parse struct {
	Dialect  string `json:"dialect"`
	Complete bool   `json:"complete"`
	Opaque   []Span `json:"opaque"` // parts it could not see through; of commands they are with each of them
}

// Finding is one rule that matched.
type Finding struct {
	RuleID      string         `json:"ruleId"`
	Severity    int            `json:"severity"` // 1 error … 4 hint
	Decision    guard.Decision `json:"decision"`
	Message     string         `json:"message"`
	Explanation string         `json:"explanation,omitzero"`
	Source      Source         `json:"source"`
	Span        Span           `json:"span"`
	Via         []Link         `json:"via,omitempty"` // outermost first
	Suggestion  *Suggestion    `json:"suggestion,omitzero"`
	Loss        guard.Loss     `json:"loss,omitzero"` // all that is at stake: "workspace" is files that come back where what is changed is kept, "processes" programs of the sandbox's own; then there is no question
}

// Source names the field of the request that a span counts in.
type Source struct {
	Field SourceField `json:"field"`
	Index *int        `json:"index,omitzero"` // of argv and commands
	Name  string      `json:"name,omitzero"`  // of env
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
