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

For auditors: what the tests (` + "`go test ./sandbox`" + `) try in the real sandbox, on every rung, as root
and as an ordinary user. After each the host is compared with what it was before.

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
	var reasons, mixed []string
	names := map[string]string{} // of checks that have the same cells
	everywhere := map[cell][]check{}
	for _, c := range byNumber(checks()) {
		full, noUserns, noLandlock := c.want[RungFull], c.want[RungNoUserns], c.want[RungNoLandlock]
		if full.why == "" && full == noUserns && full == noLandlock {
			everywhere[full] = append(everywhere[full], c) // what works everywhere is not listed
			continue
		}
		with := full.short(&reasons)
		if noLandlock != full {
			with += "; `no-landlock`: " + noLandlock.short(&reasons)
		}
		cells := fmt.Sprintf(" | %s | %s |\n", with, noUserns.short(&reasons))
		if names[cells] == "" {
			mixed = append(mixed, cells)
		}
		names[cells] += "; " + c.name
	}
	s.WriteString(escapesHead + "## Fails on every rung\n\n" + listed(everywhere[cell{is: deny}]) + escapesMixed)
	for _, cells := range mixed {
		s.WriteString("| " + strings.TrimPrefix(names[cells], "; ") + cells)
	}
	s.WriteString("\n")
	for i, why := range reasons {
		fmt.Fprintf(&s, "%d. %s\n", i+1, why)
	}
	return s.String()
}

// listed has a line for each number.
func listed(cs []check) string {
	var s strings.Builder
	for i, c := range cs {
		if i > 0 && cs[i-1].n == c.n {
			fmt.Fprintf(&s, "; %s", c.name)
			continue
		}
		fmt.Fprintf(&s, "\n- %s", c.name)
	}
	return strings.TrimPrefix(s.String(), "\n") + "\n"
}

const escapesMixed = `
## Depends on the rung

The [rungs](sandbox.md#rungs). **deny**: it fails. **works**: it succeeds, as it must. **private**: it succeeds on
something of the sandbox's own. **open**: it succeeds, which the sandbox's report names. **missing**: it fails,
although it is harmless. Numbers are reasons, below.

| check | ` + "`full`, `no-landlock` | `no-userns`" + ` |
|---|---|---|
`

func byNumber(cs []check) []check {
	slices.SortStableFunc(cs, func(a, b check) int { return a.n - b.n })
	return cs
}

// short is a cell whose reason, if it has one, is a number of the list.
func (c cell) short(reasons *[]string) string {
	if c.why == "" {
		return string(c.is)
	}
	i := slices.Index(*reasons, c.why)
	if i < 0 {
		i = len(*reasons)
		*reasons = append(*reasons, c.why)
	}
	return fmt.Sprintf("%s (%d)", c.is, i+1)
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
	const heading = "\n## Names\n\n"
	head, _, found := strings.Cut(string(got), heading)
	if !found {
		t.Fatalf("%s has no section of names", path)
	}
	var s strings.Builder
	s.WriteString(head + heading)
	var programs []string
	names := map[string]string{}
	for _, row := range protect.Names {
		program := row.By[:strings.IndexAny(row.By+":", ":,")]
		if names[program] == "" {
			programs = append(programs, program)
		}
		names[program] += ", `" + row.Plain() + "`"
	}
	var own string // what begins with its program's name says whose it is
	for _, program := range programs {
		mine := strings.TrimPrefix(names[program], ", ")
		if begins(mine, strings.ToLower(program)) {
			own += ", " + mine
			continue
		}
		fmt.Fprintf(&s, "- %s: %s\n", program, mine)
	}
	fmt.Fprintf(&s, "- the program that the name begins with: %s\n", strings.TrimPrefix(own, ", "))
	if *update {
		must(t, os.WriteFile(path, []byte(s.String()), 0o644))
	} else if s.String() != string(got) {
		t.Errorf("%s is not what the table says, run make generate", path)
	}
}

// begins reports that each of the names begins with the program's first word.
func begins(names, program string) bool {
	word, _, _ := strings.Cut(program, " ")
	for name := range strings.SplitSeq(strings.ToLower(names), ", ") {
		if !strings.HasPrefix(strings.TrimLeft(name, "`._$"), word) {
			return false
		}
	}
	return true
}

var update = flag.Bool("update", false, "write testdata and the tables of docs that these tests make")
