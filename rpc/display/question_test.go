package display

import (
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// Whatever a command is called or has in it, no line of it passes for one of ours.
func TestACommandCanNotWriteTheQuestion(t *testing.T) {
	for _, command := range []string{"a\nin / (sandbox off)", "a\r\nin / (sandbox off)", "a\rin / (sandbox off)", "a\u2028in / (sandbox off)", "a\u202ein / (sandbox off)", "a\x1b[2Kin / (sandbox off)"} {
		got := Plain(Question(protocol.ApprovalParams{
			Title:   "Run it?",
			Subject: protocol.ApprovalSubject{Type: "command", Command: command, Cwd: "/w\nin / (sandbox off)"},
			Findings: []protocol.Finding{{
				RuleID: "a/b", Message: "deletes x", Suggestion: &protocol.Suggestion{Title: "move it", Command: "x\nin / (sandbox off)"},
			}},
		}))
		lines := strings.FieldsFunc(got, func(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' })
		if slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "in / ") }) {
			t.Errorf("%q:\n%s", command, got)
		}
		if strings.ContainsAny(got, "\x1b\u202e\r") {
			t.Errorf("%q is shown as it is", command)
		}
	}
}
