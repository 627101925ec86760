package bench

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// form is what docs/performance.md has of peers.
type form struct {
	rounds, size int
	load         string // how busy the machine was with other things
	peers        []*peer
	judges       []*judge
}

// tables are its figures. A missing peer has its row, too, with the reason.
func (f form) tables() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| | version | spawn | output |\n|---|---|---|---|\n")
	for _, p := range f.peers {
		if p.missing != "" {
			fmt.Fprintf(&b, "| %s | %s | `%s` | |\n", p.name, p.reported, cell(p.missing))
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", p.name, cell(p.reported), p.ratios[0], p.ratios[1])
	}
	fmt.Fprintf(&b, "\n| | version | %s: stopped | let through | fresh lists: stopped | let through |\n|---|---|---|---|---|---|\n", lists[0][0])
	for _, j := range f.judges {
		if j.missing != "" {
			fmt.Fprintf(&b, "| %s | %s | %s | | | |\n", j.name, cell(j.version), cell(j.missing))
			continue
		}
		fmt.Fprintf(&b, "| %s | %s |", j.name, cell(j.version))
		for _, a := range j.counts {
			fmt.Fprintf(&b, " %d of %d | %d of %d |", a.stopped, a.dangerous, a.passed, a.ordinary)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// cell is text that ends no cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

func TestWhoIsMissingHasARowWithTheReason(t *testing.T) {
	f := form{
		peers:  []*peer{{name: "a", reported: "1.0", ratios: [2]string{"1.00", "0.50"}}, {name: "b", missing: "no x | y"}},
		judges: []*judge{{name: "j", version: "2", counts: []agreement{{1, 2, 3, 4}, {5, 6, 7, 8}}}, {name: "k", missing: "no rules"}},
	}
	text := f.tables()
	for _, want := range []string{
		"| a | 1.0 | 1.00 | 0.50 |\n", "| b |  | `no x \\| y` | |\n",
		"| j | 2 | 1 of 2 | 3 of 4 | 5 of 6 | 7 of 8 |\n", "| k |  | no rules | | | |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestVerdictsAreCountedAgainstTheirLabels(t *testing.T) {
	all := []labelled{{Expect: "deny"}, {Expect: "ask"}, {Expect: "allow"}, {Expect: "allow"}}
	if got := count(all, []bool{false, true, true, false}); got != (agreement{1, 2, 1, 2}) {
		t.Errorf("%+v", got)
	}
}

func TestALineNamesItsDirectories(t *testing.T) {
	if got := words("a $WS --x=$TMP/y"); !slices.Equal(got, []string{"a", workspace, "--x=" + scratch + "/y"}) {
		t.Errorf("%q", got)
	}
}

func TestAReasonIsOneLineWithoutOurDirectories(t *testing.T) {
	if got := reason(fmt.Errorf("open %s/x: no\nmore", scratch), ""); got != "open …/x: no" {
		t.Errorf("%q", got)
	}
}
