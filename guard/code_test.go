package guard

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// list reads commands from testdata/guard, one a line; ⏎ is a line break.
func list(t testing.TB, name string) (out []string) {
	t.Helper()
	text, err := os.ReadFile("../testdata/guard/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if line != "" && !strings.HasPrefix(line, "# ") {
			out = append(out, strings.ReplaceAll(line, "⏎", "\n"))
		}
	}
	return out
}

func TestDangerousCodeIsNeverAllowed(t *testing.T) {
	commands := list(t, "code-dangerous.txt")
	for _, command := range commands {
		if v := judge(command); v.Decision == rule.Allow {
			t.Errorf("allowed: %q", command)
		}
	}
	t.Log(len(commands), "commands")
}

func TestOrdinaryCodeIsAllowed(t *testing.T) {
	commands := list(t, "code-ordinary.txt")
	for _, command := range commands {
		v := Check(shell.Input{Command: command, Cwd: testRoot, Dialect: "bash"}, DefaultPolicy(), paper{testRoot}, testHome)
		if v.Decision != rule.Allow {
			t.Errorf("%q: %s", command, describe(v))
		}
	}
	t.Log(len(commands), "commands")
}

func TestCodeInTheRequestsOwnEnvironment(t *testing.T) {
	for name, values := range map[string]map[string]rule.Decision{
		"GIT_SSH_COMMAND": {"rm -rf /": rule.Deny, "./evil": rule.Deny, "ssh -i key": rule.Allow},
		"NODE_OPTIONS":    {"--require /tmp/evil.js": rule.Deny, "--max-old-space-size=4096": rule.Allow},
		"PATH":            {"/tmp/evil:/bin": rule.Deny, "/usr/bin:/bin": rule.Allow},
		"PAGER":           {"sh -c id": rule.Deny, "cat": rule.Allow},
		"EDITOR":          {"./x.sh": rule.Ask, "vim": rule.Allow},
		"LD_PRELOAD":      {"x.so": rule.Deny, "": rule.Allow},
	} {
		for value, want := range values {
			v := Check(shell.Input{Command: "ls", Cwd: testRoot, Env: map[string]*string{name: &value}}, DefaultPolicy(), paper{testRoot}, testHome)
			if v.Decision != want {
				t.Errorf("%s=%q: %s, want %s", name, value, describe(v), want)
			}
			for _, f := range v.Findings {
				if f.Source != (effect.Source{Field: "env", Name: name}) {
					t.Errorf("%s=%q is found in %+v", name, value, f.Source)
				}
			}
		}
	}
}

func TestCodeInAnArgv(t *testing.T) {
	for _, args := range [][]string{
		{"python3", "-c", "import os; os.system('rm -rf /')"}, {"git", "-c", "core.pager=./x", "log"}, {"sed", "1e id", "x"}, {"awk", "BEGIN{system(\"rm -rf /\")}"}, {"tar", "xf", "a", "--to-command=sh"},
	} {
		if v := judgeArgv(args...); v.Decision != rule.Deny {
			t.Errorf("%q: %s", args, describe(v))
		}
	}
}

// TestTheWayIsTold checks that a verdict names the one-liner and the function.
func TestTheWayIsTold(t *testing.T) {
	v := judge(`python3 -c 'import os; os.system("rm -rf /")'`)
	var got []string
	for _, l := range v.Findings[0].Via {
		got = append(got, l.Construct)
	}
	if want := "python3 -c, os.system"; strings.Join(got, ", ") != want {
		t.Errorf("via %q, want %q", got, want)
	}
}

// What the request sets stands over what we would give: it is what the command gets.
func TestTheRequestsOwnValueIsJudged(t *testing.T) {
	for _, c := range []struct{ name, value, command, rule string }{
		{"TMPDIR", "/srv/other", "cat $TMPDIR/notes.txt", "fs/read-outside"},
		{"TMPDIR", "/srv/other", "echo x >$TMPDIR/a", "fs/write-outside"},
		{"HOME", "/srv/other", "cat ~/notes.txt", "fs/read-outside"},
		{"HOME", "/srv/other", "cd && cat notes.txt", "fs/read-outside"},
		{"HOME", testRoot + "/own", "cat ~/notes.txt", ""},
		{"SHELL", "/srv/other/sh", "$SHELL -c ls", "program/outside"},
		{"PWD", "/srv/other", "cat $PWD/notes.txt", ""}, // shells look where they are
		{"IFS", "x", "f=axb; cat $f", ""},               // and take no separators from outside
	} {
		v := Check(shell.Input{Command: c.command, Cwd: testRoot, Env: map[string]*string{c.name: &c.value}}, DefaultPolicy(), paper{testRoot}, testHome)
		var rules []string
		for _, f := range v.Findings {
			rules = append(rules, f.RuleID)
		}
		if c.rule == "" && v.Decision != Allow || c.rule != "" && (v.Decision != Deny || !slices.Contains(rules, c.rule)) {
			t.Errorf("%s=%s %s is %s %q, want %q", c.name, c.value, c.command, v.Decision, rules, c.rule)
		}
	}
	gone := map[string]*string{"TMPDIR": nil}
	if v := Check(shell.Input{Command: "rm -rf $TMPDIR/*", Cwd: testRoot, Env: gone}, DefaultPolicy(), paper{testRoot}, testHome); v.Decision != Deny {
		t.Errorf("without TMPDIR /* is deleted: %s", describe(v))
	}
}
