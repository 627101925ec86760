package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-sidecar/pillion/rpc"
)

// answered is what check prints for a command in /home/dev/project.
func answered(t *testing.T, q question) string {
	t.Helper()
	q.workspace = "/home/dev/project"
	j, err := q.answer()
	if err != nil {
		t.Fatal(err)
	}
	unseen, err := q.unseen()
	if err != nil {
		t.Fatal(err)
	}
	return report(j, q.asked, unseen, painter{})
}

func TestOneRuleSpeaksOnce(t *testing.T) {
	finding := func(rule, decision, message string, at int) rpc.Finding {
		return rpc.Finding{RuleID: rule, Decision: decision, Message: message, Span: rpc.Span{Start: at, End: at + 1}}
	}
	v := rpc.GuardVerdict{Decision: "deny", Findings: []rpc.Finding{
		finding("a", "deny", "deletes 1", 0), finding("a", "deny", "deletes 2", 1), finding("a", "deny", "deletes 2", 2),
		finding("b", "deny", "reads", 3), finding("c", "deny", "writes", 4), finding("d", "deny", "sends", 5),
		finding("a", "ask", "deletes 3", 6), finding("e", "ask", "asks", 7), finding("e", "ask", "asks again", 8),
	}}
	main, others := byRule(v)
	var got []string
	for _, m := range main {
		got = append(got, m.RuleID+": "+strings.Join(append([]string{m.Message}, m.likewise...), ", "))
	}
	if d := cmp.Diff([]string{"a: deletes 1, deletes 2", "b: reads", "c: writes"}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"e", "d"}, distinct(others)); d != "" {
		t.Error(d)
	}
}

// An answer that names make under every ls would not be read under make either.
func TestTheEndOfSightIsNamedWhereItIs(t *testing.T) {
	for command, want := range map[string]string{
		"ls -la": "", "git status": "", "bash -c 'ls'": "", "go --version": "", "python3 -c 'print(1)'": "",
		"find . -name '*.go' | wc -l": "", `for f in a b; do echo "$f"; done`: "", "rm -rf ~": "",
		"make -j4": "make", "./x.sh": "./x.sh", "python3 x.py": "python3", "frobnicate": "frobnicate",
		"ls && npm test; npm test": "npm", "a; b; c; d": "a, b, c, …", "env X=1 cargo build": "cargo", "sudo make": "make",
	} {
		got := answered(t, question{asked: asked{command: command}})
		_, after, found := strings.Cut(got, "\n  unseen   what ")
		if found != (want != "") || found && !strings.HasPrefix(after, want+" does; ") {
			t.Errorf("%s: want %q in\n%s", command, want, got)
		}
	}
}

func TestAnAllowedCommandSaysHowItRuns(t *testing.T) {
	for want, q := range map[string]question{
		"'ls' '-la'": {asked: asked{command: "ls  -la"}},
		"typed: the shell gets your text unchanged":     {asked: asked{command: "echo $((1+1))"}},
		"a program with its arguments, without a shell": {asked: asked{argv: []string{"ls", "-la"}}},
	} {
		if got := answered(t, q); !strings.Contains(got, "\n  runs as  "+want+"\n") {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
}
