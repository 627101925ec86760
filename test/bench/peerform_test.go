package bench

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// form is the page docs/peers.md.
type form struct {
	rounds, size int
	load         string // how busy the machine was with other things
	peers        []*peer
	judges       []*judge
}

// tables are its figures. Who is missing has its row, too, with the reason.
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

// page is all of it, with what is needed to repeat it or to dispute it.
func (f form) page() string {
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	var b strings.Builder
	fmt.Fprintf(&b, "# Peers\n\nWritten by `make bench-peers` on %s: %s/%s, %d cores, kernel %s, %d samples each, load average %s before.\n\n%s\n%s\n%s",
		time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), strings.TrimSpace(string(kernel)), f.rounds, f.load,
		fmt.Sprintf(peersMethod, f.size>>20), f.tables(), "## How each was called\n\n`$WS` is the workspace and the current directory, `$PEERS` where `test/peers/run` installs, `$TMP` a private directory. The script comes behind the line as one more argument, or is sent to the session.\n\n")
	for _, p := range f.peers {
		fmt.Fprintf(&b, "- %s: `%s`\n", p.name, p.line)
	}
	for _, j := range f.judges {
		fmt.Fprintf(&b, "- %s: `%s`\n", j.name, j.how)
	}
	b.WriteString("\n`pillion serve` and `codex app-server` are sent `exec` and `command/exec` with a workspace-write policy ([test/bench/peersession_test.go](../test/bench/peersession_test.go)). The settings:\n\n```\n")
	files := settings()
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range files {
			if !yield(name) {
				return
			}
		}
	}) {
		fmt.Fprintf(&b, "%s  %s\n", name, files[name])
	}
	b.WriteString("```\n")
	return b.String()
}

const peersMethod = `Everything is measured by turns in one run, each sample of a spawn after a wait (at
most 300 ms) for a machine with nothing else to run; a figure is a median.

- **spawn**: ` + "`sh -c true`" + ` in a sandbox that lets it write in one directory and gives it
  no network, over the same without a sandbox. 1.00 would cost nothing.
- **output**: %d MiB of a log through it, as a share of what ` + "`cat | cat`" + ` carries, the
  start included. Most give the command their own descriptor and carry nothing, so it
  is mostly their start that is seen. Who sends output in messages does more, and has
  it at hand afterwards; messages are read to their end, and decoded only where they
  don't say how long the output is.
- **stopped**, **let through**: verdicts on the labelled commands of
  [testdata/guard](../testdata/guard/README.md), asked without running them: asked about
  or denied of those that should be, allowed of the ordinary ones. The labels are ours
  and include paths outside of the workspace and the network, which others leave to
  their sandbox on purpose; our rules were made with the first list at hand, and the
  fresh lists were gathered afterwards, by a procedure that didn't know the rules
  (what they found was mended since; that page has the count of the first time).

The sandboxes are not the same thing. What each one confines beyond that, its own
documentation says; here it was only tried that a file in the workspace can be
written and one beside it can't. Who can't run on this machine has the reason that it
gave. codex is its native program, without the launcher of npm in front of it.
`

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
