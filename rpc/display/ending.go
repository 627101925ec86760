package display

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// maxViolations is how many refusals are shown below a command's output.
const maxViolations = 8

// maxName bounds a name of others in a line.
const maxName = 4096

// HowTo says what a person can do with a grant, or with none; it may be nil.
type HowTo func(v protocol.Violation) string

// Result is what a person reads below the output of a command. howTo is for a client
// that has a way of its own to give a grant.
func Result(r protocol.ExecResult, howTo HowTo) (out []protocol.DisplayLine) {
	out = Violations(r.Violations, r.Sandbox, howTo)
	if e := r.Effects; e != nil && e.Modified+e.Deleted+e.Renamed > 0 { // what is only new is not a loss
		text := "files: " + e.Text
		if !e.Restorable {
			text += ", not all of it is kept"
		}
		out = append(out, protocol.DisplayLine{Text: text, Tone: protocol.ToneReason, Action: protocol.ActionUndo})
	}
	if r.TimedOut && howTo == nil {
		out = append(out, line(protocol.ToneWarn, "it was ended by its time limit: that of the request, else limits.timeoutMs"))
	}
	if len(r.Lost) > 0 {
		out = append(out, line(protocol.ToneWarn, Lost(r.Lost)))
	}
	for _, b := range r.Background {
		out = append(out, line(protocol.ToneReason, "background: "+Line(b.Name)+" "+string(b.Fate)))
	}
	return append(out, Ending(r))
}

// Ending is how a command ended and what was in force.
func Ending(r protocol.ExecResult) protocol.DisplayLine {
	tone := protocol.ToneError
	if r.Reason == executor.Exited && r.ExitCode != nil && *r.ExitCode == 0 {
		tone = protocol.ToneOK
	}
	return pieces(tone,
		protocol.DisplaySpan{Text: Ended(r), Tone: tone},
		protocol.DisplaySpan{Text: " · " + Millis(r.DurationMs) + " · ", Tone: protocol.ToneDim},
		protocol.DisplaySpan{Text: r.Sandbox.Text, Tone: Held(r.Sandbox)},
	)
}

// Violations are what the sandbox refused, one line each.
func Violations(list []protocol.Violation, s protocol.EffectiveSandbox, howTo HowTo) (out []protocol.DisplayLine) {
	for i, v := range list {
		if i == maxViolations {
			return append(out, line(protocol.ToneWarn, fmt.Sprintf("refused: %d more", len(list)-i)))
		}
		how := ""
		if howTo != nil {
			how = howTo(v)
		}
		if how == "" {
			how = allowed(v, s)
		}
		text := refused(v)
		if how != "" {
			text += "; " + how
		}
		shown := line(protocol.ToneWarn, text)
		if v.Allow != nil {
			shown.Action = protocol.ActionRetry
		}
		out = append(out, shown)
	}
	return out
}

// allowed is what a person can do about it, whole: a setting that does nothing, or is
// refused, without another one is named with it.
func allowed(v protocol.Violation, s protocol.EffectiveSandbox) string {
	switch {
	case v.Never != "":
		return Clip(v.Never, maxName)
	case v.Grant == "":
		return ""
	}
	text := "to allow it: " + Clip(v.Grant, maxName)
	switch {
	case strings.HasPrefix(v.Grant, "policy.network.allow ") && s.NetworkMode == sandbox.NetworkDeny:
		text += `, with sandbox.network "proxy"`
	case v.Grant == `sandbox.network "allow"`:
		text += ", with policy.allowNetwork true"
	}
	return text
}

// refused is one thing that the sandbox refused.
func refused(v protocol.Violation) string {
	host := v.Op == "connect" && v.Address != "" // by the proxy; it is at most uncertain whose connection it was
	line := "refused: "
	if v.Attribution == protocol.AttributionInferred && !host {
		line = "probably refused: "
	}
	if v.Process != "" {
		line += Clip(v.Process, maxName) + ": "
	}
	if !host {
		line += Clip(v.Op, maxName) + " "
	}
	line += Clip(v.Path+v.Address, maxName)
	if v.Rule != "" {
		line = strings.TrimRight(line, " ") + " (" + Clip(v.Rule, maxName) + ")"
	}
	if v.Count > 1 {
		line += fmt.Sprintf(", %d times", v.Count)
	}
	return line
}

// Lost says which files of the private HOME go with the sandbox, and how to keep them.
func Lost(names []string) string {
	shown := make([]string, min(len(names), maxShown))
	for i := range shown {
		shown[i] = Line(names[i])
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return "not kept: " + text + " (the HOME of a command is its own); to keep files, write them in the workspace or in a directory that is granted"
}

// Gap is that a piece of an output is missing.
func Gap(g protocol.GapEvent) []protocol.DisplayLine {
	text := fmt.Sprintf("%d bytes of %s are missing here (%s)", g.To-g.From, g.Stream, spaced(string(g.Reason)))
	return []protocol.DisplayLine{line(protocol.ToneWarn, text)}
}

// spaced is a word of the protocol as a person writes it: "outputLimit" is "output limit".
func spaced(word string) string {
	var b strings.Builder
	for _, r := range word {
		if unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Waiting is that a command wants input.
func Waiting(p protocol.WaitingParams) []protocol.DisplayLine {
	what := map[executor.InputKind]string{
		executor.InputLine: "a line", executor.InputHidden: "a line that is not shown, such as a password", executor.InputKey: "a key",
	}[p.Kind]
	text := Line(p.Process) + " waits for " + what
	if p.Prompt != "" {
		text += ": " + Line(strings.TrimSpace(p.Prompt))
	}
	return []protocol.DisplayLine{line(protocol.ToneWarn, text)}
}

// Undo is what an undo did.
func Undo(r protocol.UndoResult) []protocol.DisplayLine {
	out := []protocol.DisplayLine{line(protocol.ToneOK, r.Text)}
	for _, l := range r.Left {
		out = append(out, line(protocol.ToneWarn, "left alone: "+Clip(l.Path, maxName)+": "+Clip(l.Why, maxName)))
	}
	if r.LeftMore > 0 {
		out = append(out, line(protocol.ToneWarn, fmt.Sprintf("left alone: %d more", r.LeftMore)))
	}
	return out
}

// Confinement is what was in force, and by what means if those are named.
func Confinement(s protocol.EffectiveSandbox, how ...string) string {
	if s.Mode == sandbox.Off {
		return "NOT SANDBOXED (mode off)"
	}
	network := "network denied"
	switch s.NetworkMode {
	case sandbox.NetworkAllow:
		network = "network allowed"
	case sandbox.NetworkProxy:
		network = "network by address book"
	}
	text := strings.Join(append([]string{string(s.Mode), network}, how...), ", ")
	if weak := Weaknesses(s); len(weak) > 0 {
		text += ", NOT FULLY ENFORCED: " + strings.Join(weak, ", ")
	}
	return text
}

// Held is the tone of a Confinement: what did not hold stands out.
func Held(s protocol.EffectiveSandbox) protocol.Tone {
	if s.Mode == sandbox.Off || len(s.Weak) > 0 {
		return protocol.ToneWarn
	}
	return protocol.ToneDim
}

// Weaknesses names what was asked for and does not hold in full. An allowed network and a
// best-effort ipc promise nothing.
func Weaknesses(s protocol.EffectiveSandbox) (weak []string) {
	for _, g := range []struct {
		name  string
		level sandbox.Level
	}{{"writes", s.FSWrite}, {"reads", s.FSRead}, {"processes", s.ProcessTree}, {"network", s.Network}} {
		if g.level != sandbox.LevelEnforced && !(g.name == "network" && s.NetworkMode == sandbox.NetworkAllow) {
			weak = append(weak, g.name+" "+string(g.level))
		}
	}
	return weak
}

// Ended is how a command ended, in words.
func Ended(r protocol.ExecResult) string {
	status := "no status"
	switch {
	case r.Signal != nil:
		status = "killed by " + *r.Signal
	case r.ExitCode != nil:
		status = fmt.Sprintf("exit %d", *r.ExitCode)
	}
	switch r.Reason {
	case executor.Exited:
		return status
	case executor.TimedOut:
		return "timed out (" + status + ")"
	default:
		return spaced(string(r.Reason)) + " (" + status + ")"
	}
}

// Millis is a time in words.
func Millis(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}
