package cli

import (
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/cli/judge"
	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/rpc/display"
)

// answered is what check prints for a command in /home/dev/project.
func answered(t *testing.T, q judge.Question) string {
	t.Helper()
	q.Workspace = "/home/dev/project"
	j, err := q.Answer()
	if err != nil {
		t.Fatal(err)
	}
	unseen, err := q.Unseen()
	if err != nil {
		t.Fatal(err)
	}
	return report(j, q.Asked, unseen, terminal.Painter{})
}

// An answer that names make under every ls would not be read under make either.
func TestTheEndOfSightIsNamedWhereItIs(t *testing.T) {
	for command, want := range map[string]string{
		"ls -la": "", "git status": "", "bash -c 'ls'": "", "go --version": "", "python3 -c 'print(1)'": "",
		"find . -name '*.go' | wc -l": "", `for f in a b; do echo "$f"; done`: "", "rm -rf ~": "",
		"make -j4": "make", "./x.sh": "./x.sh", "python3 x.py": "python3", "frobnicate": "frobnicate",
		"ls && npm test; npm test": "npm", "a; b; c; d": "a, b, c, …", "env X=1 cargo build": "cargo", "sudo make": "make",
	} {
		got := answered(t, judge.Question{Asked: display.Asked{Command: command}})
		_, after, found := strings.Cut(got, "\n  unseen   what ")
		if found != (want != "") || found && !strings.HasPrefix(after, want+" does; ") {
			t.Errorf("%s: want %q in\n%s", command, want, got)
		}
	}
}

func TestAnAllowedCommandSaysHowItRuns(t *testing.T) {
	for want, q := range map[string]judge.Question{
		"'ls' '-la'": {Asked: display.Asked{Command: "ls  -la"}},
		"typed: the shell gets your text unchanged":     {Asked: display.Asked{Command: "echo $((1+1))"}},
		"a program with its arguments, without a shell": {Asked: display.Asked{Argv: []string{"ls", "-la"}}},
	} {
		if got := answered(t, q); !strings.Contains(got, "\n  runs as  "+want+"\n") {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
}
