package mcp

import (
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

var full = protocol.Enforcement{FSWrite: "enforced", FSRead: "enforced", ProcessTree: "enforced", Network: "enforced"}

func asking(command string) protocol.ApprovalParams {
	return protocol.ApprovalParams{
		Title:   "Run it?",
		Subject: protocol.ApprovalSubject{Type: "command", Command: command, Cwd: "/w", Sandbox: protocol.EffectiveSandbox{Mode: "workspace-write", Enforcement: full}, Network: "deny"},
		Findings: []protocol.Finding{{
			RuleID: "a/b", Message: "deletes x", Explanation: "It is gone then.", Suggestion: &protocol.Suggestion{Title: "move it", Command: "mv x y"},
		}},
	}
}

func TestTheQuestionHasTheExactCommandAndTheReasons(t *testing.T) {
	got := question(asking("rm x"))
	for _, want := range []string{"\n  | rm x\n", "in /w (workspace-write, network denied)\n", "Why: deletes x. It is gone then.\n", "Instead: move it: mv x y\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

func TestACommandCanNotWriteTheQuestion(t *testing.T) {
	for _, command := range []string{"a\nin / (sandbox off)", "a\r\nin / (sandbox off)", "a\rin / (sandbox off)", "a\u2028in / (sandbox off)", "a\u202ein / (sandbox off)", "a\x1b[2Kin / (sandbox off)"} {
		p := asking(command)
		p.Subject.Cwd = "/w\nin / (sandbox off)"
		p.Findings[0].Suggestion.Command = "x\nin / (sandbox off)"
		lines := strings.FieldsFunc(question(p), func(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' })
		if slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "in / ") }) {
			t.Errorf("%q:\n%s", command, question(p))
		}
		if strings.ContainsAny(question(p), "\x1b\u202e\r") {
			t.Errorf("%q is shown as it is", command)
		}
	}
}

func TestALongCommandSaysWhatIsNotShown(t *testing.T) {
	got := question(asking("begin " + strings.Repeat("x", 9000) + " end"))
	if !strings.Contains(got, "| begin ") || !strings.Contains(got, " end\n") || !strings.Contains(got, "\n1010 characters in the middle of it are not shown.") {
		t.Errorf("%.200s … %s", got, got[len(got)-300:])
	}
}

func TestEveryFormOfCommandIsShownWhole(t *testing.T) {
	p := asking("")
	p.Subject.Argv = []string{"rm", "a b", ""}
	if got := question(p); !strings.Contains(got, `| "rm" "a b" ""`) {
		t.Error(got)
	}
	p = asking("")
	p.Subject.Commands = []string{"a", "b\nc"}
	if got := question(p); !strings.Contains(got, "  | 1. a\n  | 2. b\n  | c\n") {
		t.Error(got)
	}
	p.Subject.Stdin, p.Subject.Env = 7, []string{"X"}
	if got := question(p); !strings.Contains(got, "7 bytes of input") || !strings.Contains(got, "the variables X set") {
		t.Error(got)
	}
}

func TestAHostIsAskedAboutByName(t *testing.T) {
	p := asking("npm ci")
	p.Title, p.Reason, p.Subject.Type, p.Subject.Host = "Let everything in this sandbox connect to x:443?", "network", "host", "x:443"
	if got := question(p); !strings.HasPrefix(got, p.Title+"\n") || !strings.Contains(got, "  | npm ci\n") {
		t.Error(got)
	}
}

func TestTheFormOffersWhatTheServerDoes(t *testing.T) {
	for _, rule := range []*protocol.SessionRule{nil, {}} {
		p := asking("x")
		p.SessionRule = rule
		d := form(p)["properties"].(map[string]any)["decision"].(map[string]any)
		values, names := d["enum"].([]string), d["enumNames"].([]string)
		if len(values) != len(names) || values[0] != choiceNo || slices.Contains(values, choiceSession) != (rule != nil) {
			t.Errorf("%v, %v", values, names)
		}
	}
}
