package guard

import (
	"slices"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// What the rooms below share with callers.
type (
	// Input is what to judge: exactly one of Command, Argv and Commands.
	Input = shell.Input
	// Facts are what the guard must know about the workspace; *workspace.Set is one.
	Facts = place.Facts
	// Span is a range of bytes in a source field; End is exclusive.
	Span = effect.Span
	// Source is the field of the request a Span lies in.
	Source = effect.Source
	// Link is one construct on the way to an effect: `bash -c`, `$(…)`, a function.
	Link = effect.Link
	// Decision is what should happen to a command.
	Decision = rule.Decision
	// Finding is one rule that matched.
	Finding = rule.Finding
	// Suggestion is a safer way to the same end.
	Suggestion = rule.Suggestion
	// Loss is what a command can do no worse than lose.
	Loss = rule.Loss
	// Rule is one row of a table: what it is about, and the examples that prove it.
	Rule = rule.Rule
)

// The losses.
const (
	LossWorkspace = rule.LossWorkspace
	LossProcesses = rule.LossProcesses
)

// The decisions, from the loosest to the strictest. The strictest finding wins.
const (
	Allow = rule.Allow
	Ask   = rule.Ask
	Deny  = rule.Deny
)

// Parse says how much of the text was understood.
type Parse struct {
	// Dialect is what was judged: "posix", "bash" or "argv"; or "powershell" or
	// "cmd", which are read by text rules that follow no control flow.
	Dialect  string
	Complete bool          // every construct was read; false always comes with a finding
	Opaque   []effect.Span // constructs a shell may read differently
}

// Verdict is the answer of Check.
type Verdict struct {
	Decision      rule.Decision
	Findings      []rule.Finding // strictest first
	Parse         Parse
	PolicyID      string
	PolicyVersion string
	PolicyHash    string
	RunAs         string // "argv", "canonical" or "written"; "" of several commands
	Canonical     string // text to run when RunAs is "canonical"
	// Meaning is one of all spellings of a command that is asked about, or "".
	Meaning string `json:"-"`
	Told    bool   `json:"-"` // Meaning is all that it does

	Commands []CommandVerdict // of several commands, one for each
}

// CommandVerdict is what a verdict on several commands says of one of them.
type CommandVerdict struct {
	Decision  rule.Decision
	Parse     Parse
	RunAs     string // "canonical" or "written"
	Canonical string
}

// Spared is a verdict where some losses don't count, because what is lost comes back or
// belongs to the command: they need no question.
func (v Verdict) Spared(losses ...rule.Loss) Verdict {
	if v.Decision != rule.Ask {
		return v
	}
	findings := make([]rule.Finding, 0, len(v.Findings))
	for _, f := range v.Findings {
		if f.Decision != rule.Allow && !slices.Contains(losses, f.Loss) {
			return v
		}
		f.Decision = rule.Allow
		findings = append(findings, f)
	}
	v.Decision, v.Findings = rule.Allow, findings
	v.Commands = slices.Clone(v.Commands)
	for i := range v.Commands {
		v.Commands[i].Decision = rule.Allow
	}
	return v
}

// Loses says that it rests on what is kept: what can't be kept must not be lost.
func (v Verdict) Loses() bool {
	return slices.ContainsFunc(v.Findings, func(f rule.Finding) bool {
		return f.Decision == rule.Allow && f.Loss == rule.LossWorkspace
	})
}

// InSandbox is a verdict where a sandbox holds that lets commands write below some
// directories: what it refuses whatever anybody answers is denied, not asked about.
func (v Verdict) InSandbox(writable []string) Verdict {
	vain := func(f rule.Finding) bool {
		below := func(dir string) bool { return place.Below(dir, f.Place) }
		return f.Sealed && f.Decision == rule.Ask && (f.Place == "" || slices.ContainsFunc(writable, below))
	}
	if v.Decision != rule.Ask || !slices.ContainsFunc(v.Findings, vain) {
		return v
	}
	v.Findings, v.Commands = slices.Clone(v.Findings), slices.Clone(v.Commands)
	for i := range v.Findings {
		if f := &v.Findings[i]; vain(*f) {
			f.Decision = rule.Deny
			if f.Source.Index < len(v.Commands) {
				v.Commands[f.Source.Index].Decision = rule.Deny
			}
		}
	}
	v.settle()
	return v
}
