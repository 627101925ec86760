package guard

import (
	"os"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/guard/rule"
)

// coverageRow is a way to misuse a program, from one of the public lists.
type coverageRow struct{ rule, program, command string }

func coverageRows(t *testing.T, name string) (rows []coverageRow) {
	t.Helper()
	text, err := os.ReadFile("../testdata/guard/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(fields) == 3 {
			rows = append(rows, coverageRow{fields[0], fields[1], strings.ReplaceAll(fields[2], "⏎", "\n")})
		}
	}
	return rows
}

// Every way that the lists name is found, by the rule that is about it. A row with
// "-" is a gap that is known, or a use that is ordinary; -v shows them, and the
// programs that no model knows.
func TestCoverageOfTheLists(t *testing.T) {
	for file, dialect := range map[string]string{"gtfobins.tsv": "bash", "lolbas.tsv": "cmd"} {
		found, gaps, strangers := 0, 0, map[string]bool{}
		for _, r := range coverageRows(t, file) {
			if name := strings.ToLower(strings.TrimSuffix(r.program, ".exe")); !programs().Known(name) {
				strangers[r.program] = true
			}
			v := judgeIn(dialect, r.command)
			switch {
			case r.rule == "-":
				gaps++
				if v.Decision == rule.Allow {
					t.Logf("%s: not found: %s: %q", file, r.program, r.command)
				}
			case !v.found(r.rule):
				t.Errorf("%s: %s misses %q: %s", file, r.rule, r.command, describe(v))
			default:
				found++
			}
		}
		t.Logf("%s: %d found, %d gaps, %d programs without a model: %v", file, found, gaps, len(strangers), strangers)
	}
}
