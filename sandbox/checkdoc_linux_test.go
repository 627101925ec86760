package sandbox

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

const escapesHead = `# Escape checks

Written from the tests (` + "`make generate`" + `), which run each row in the real sandbox on every rung, as root and as an ordinary user. After every one of them the host is compared with what it was before.

- **deny**: it fails.
- **works**: it succeeds, as it must.
- **private**: it succeeds on something of the sandbox's own; the host has nothing of it.
- **open**: it succeeds. A limit that the sandbox's report names.
- **missing**: it fails, although it does no harm.

Rungs: *full* has namespaces, Landlock and seccomp; *no-userns* lacks namespaces, *no-landlock* lacks Landlock. Numbers are those of a longer list, in which the rest is not the sandbox's.

`

// TestEscapesDocument holds docs/escapes.md to the table.
func TestEscapesDocument(t *testing.T) {
	const path = "../docs/escapes.md"
	want := escapesMarkdown()
	if *update {
		must(t, os.WriteFile(path, []byte(want), 0o644))
	}
	got, err := os.ReadFile(path)
	must(t, err)
	if string(got) != want {
		t.Errorf("%s is not what the checks say, run make generate", path)
	}
}

func escapesMarkdown() string {
	var s strings.Builder
	s.WriteString(escapesHead + "| # | check | full | no-userns | no-landlock |\n|--:|---|---|---|---|\n")
	for _, c := range byNumber(checks()) {
		fmt.Fprintf(&s, "| %d | %s | %s | %s | %s |\n", c.n, c.name,
			c.want[RungFull], c.want[RungNoUserns], c.want[RungNoLandlock])
	}
	return s.String()
}

func byNumber(cs []check) []check {
	slices.SortStableFunc(cs, func(a, b check) int { return a.n - b.n })
	return cs
}

func (c cell) String() string {
	if c.why == "" {
		return string(c.is)
	}
	return string(c.is) + ": " + c.why
}

// Every residual and every loss has its reason, or nobody can judge it.
func TestEveryOpenOrMissingCellHasItsReason(t *testing.T) {
	for _, c := range checks() {
		for _, rung := range []string{RungFull, RungNoUserns, RungNoLandlock} {
			if cell := c.want[rung]; cell.is == "" || cell.why == "" && (cell.is == open || cell.is == missing) {
				t.Errorf("%d %s at %s: %q without a reason", c.n, c.name, rung, cell.is)
			}
		}
	}
}

// Checks 34, 35 and 57 are the proxy's and the output's; 60 and 63 are tests of
// their own too.
func TestEveryNumberHasARow(t *testing.T) {
	elsewhere := map[int]bool{34: true, 35: true, 57: true, 63: true}
	rows, names := map[int]bool{}, map[string]bool{}
	for _, c := range checks() {
		rows[c.n] = true
		if names[c.name] {
			t.Errorf("two rows are called %q", c.name)
		}
		names[c.name] = true
	}
	for n := 1; n <= 64; n++ {
		if rows[n] == elsewhere[n] {
			t.Errorf("check %d: has a row: %v", n, rows[n])
		}
	}
}

// TestTheNamesAreInTheDocument holds docs/boundary.md to the table of names.
func TestTheNamesAreInTheDocument(t *testing.T) {
	const path = "../docs/boundary.md"
	got, err := os.ReadFile(path)
	must(t, err)
	head, _, found := strings.Cut(string(got), "| name | who obeys it | source |\n")
	if !found {
		t.Fatalf("%s has no table of names", path)
	}
	var s strings.Builder
	s.WriteString(head + "| name | who obeys it | source |\n|---|---|---|\n")
	for _, row := range protect.Names {
		fmt.Fprintf(&s, "| `%s` | %s | %s |\n", row.Name, row.By, row.Source)
	}
	if *update {
		must(t, os.WriteFile(path, []byte(s.String()), 0o644))
	} else if s.String() != string(got) {
		t.Errorf("%s is not what the table says, run make generate", path)
	}
}

var update = flag.Bool("update", false, "write testdata and the tables of docs that these tests make")
