package display

import (
	"fmt"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// Decided is the tone of a decision.
func Decided(d guard.Decision) protocol.Tone {
	switch d {
	case guard.Allow:
		return protocol.ToneOK
	case guard.Ask:
		return protocol.ToneWarn
	}
	return protocol.ToneError
}

// Refusal is why a command was not started: the message, and what the data of the error
// adds to it.
func Refusal(message string, data any, c Asked) []protocol.DisplayLine {
	out := []protocol.DisplayLine{line(protocol.ToneError, Spelled(message))}
	switch d := data.(type) {
	case protocol.VerdictData:
		out = append(out, Verdict(d.Verdict, c)...)
	case protocol.ApprovalRequiredData:
		out[0].Tone = protocol.ToneWarn
		out = append(out, Verdict(d.Verdict, c)...)
	case protocol.ApprovalDeclinedData:
		out = append(out, Verdict(d.Verdict, c)...)
		if d.Message != "" {
			out = append(out, Row("said", protocol.ToneReason, d.Message))
		}
	case protocol.SandboxUnavailableData:
		for _, m := range d.Missing {
			out = append(out, Row("missing", protocol.ToneReason, m.Feature+": "+m.Reason))
			if m.Hint != "" {
				out = append(out, Row("fix", protocol.ToneRemedy, m.Hint))
			}
		}
	case protocol.PolicyInvalidData:
		for _, p := range d.Problems {
			out = append(out, Row("policy", protocol.ToneReason, problem(p)))
		}
	case protocol.OutsideData:
		for _, r := range d.Refused {
			out = append(out, Row("folder", protocol.ToneReason, r.Path+": "+r.Reason))
		}
	}
	return out
}

// problem is a mistake in a policy file, as compilers write them.
func problem(p protocol.PolicyProblem) string {
	at := p.File
	if p.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
	if p.Key != "" {
		at += ": " + p.Key
	}
	return at + ": " + p.Message
}
