package guard

import (
	"os"
	"strings"
	"testing"
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
		if v := judge(command); v.Decision == Allow {
			t.Errorf("allowed: %q", command)
		}
	}
	t.Log(len(commands), "commands")
}

func TestOrdinaryCodeIsAllowed(t *testing.T) {
	commands := list(t, "code-ordinary.txt")
	for _, command := range commands {
		v := Check(Input{Command: command, Cwd: testRoot, Dialect: "bash"}, DefaultPolicy(), paper{testRoot}, testHome)
		if v.Decision != Allow {
			t.Errorf("%q: %s", command, describe(v))
		}
	}
	t.Log(len(commands), "commands")
}

func TestCodeInTheRequestsOwnEnvironment(t *testing.T) {
	for name, values := range map[string]map[string]Decision{
		"GIT_SSH_COMMAND": {"rm -rf /": Deny, "./evil": Deny, "ssh -i key": Allow},
		"NODE_OPTIONS":    {"--require /tmp/evil.js": Deny, "--max-old-space-size=4096": Allow},
		"PATH":            {"/tmp/evil:/bin": Deny, "/usr/bin:/bin": Allow},
		"PAGER":           {"sh -c id": Deny, "cat": Allow},
		"EDITOR":          {"./x.sh": Ask, "vim": Allow},
		"LD_PRELOAD":      {"x.so": Deny, "": Allow},
	} {
		for value, want := range values {
			v := Check(Input{Command: "ls", Cwd: testRoot, Env: map[string]*string{name: &value}}, DefaultPolicy(), paper{testRoot}, testHome)
			if v.Decision != want {
				t.Errorf("%s=%q: %s, want %s", name, value, describe(v), want)
			}
			for _, f := range v.Findings {
				if f.Source != (Source{Field: "env", Name: name}) {
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
		if v := argv(args...); v.Decision != Deny {
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
