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
