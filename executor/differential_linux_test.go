package executor

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// benign is every command of the public corpus that must be allowed.
func benign(t *testing.T) (list []string) {
	t.Helper()
	f, err := os.Open("../testdata/guard/public.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row struct{ Command, Expect, Profile string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if row.Expect == "allow" && (row.Profile == "" || row.Profile == "balanced") {
			list = append(list, row.Command)
		}
	}
	return list
}

// TestCanonicalTextMeansTheSame runs commands as written and as regenerated, in
// dash and in bash, each in a fresh copy of one project, and compares what they
// print, how they end and what they leave.
func TestCanonicalTextMeansTheSame(t *testing.T) {
	t.Parallel()
	long.Test(t)
	commands := append(benign(t), ordinary...)
	if !needs.Everything() { // a part, another one each time
		rand.Shuffle(len(commands), func(i, j int) { commands[i], commands[j] = commands[j], commands[i] })
		commands = commands[:len(commands)/5]
	}
	jobs := make(chan string, len(commands))
	for _, c := range commands {
		jobs <- c
	}
	close(jobs)
	var mu sync.Mutex
	var total tally
	var wg sync.WaitGroup
	for range 2 {
		l := newLab(t)
		l.seedProject()
		wg.Go(func() {
			for chunk := range chunks(jobs, 16) {
				n, err := l.replay(chunk)
				mu.Lock()
				total.add(n)
				if err != nil {
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	t.Logf("%d commands: %+v", len(commands), total)
	if total.Canonical < len(commands)/2 {
		t.Errorf("only %d of %d commands run as canonical text", total.Canonical, len(commands))
	}
}

type tally struct{ Canonical, Written, Gated, Unsteady, Slow int }

func (t *tally) add(o tally) {
	t.Canonical += o.Canonical
	t.Written += o.Written
	t.Gated += o.Gated
	t.Unsteady += o.Unsteady
	t.Slow += o.Slow
}

// chunks yields n elements at a time.
func chunks(in <-chan string, n int) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		for {
			var chunk []string
			for c := range in {
				if chunk = append(chunk, c); len(chunk) == n {
					break
				}
			}
			if len(chunk) == 0 || !yield(chunk) {
				return
			}
		}
	}
}

// twin is one command both ways in one shell.
type twin struct {
	shell              string
	written, canonical string
}

// replay runs every command of a chunk both ways.
func (l *lab) replay(commands []string) (n tally, err error) {
	var twins []twin
	for _, command := range commands {
		for dialect, shell := range map[string]string{"posix": "dash", "bash": "bash"} {
			v, _ := l.check(command, dialect)
			switch {
			case v.Decision != guard.Allow:
				n.Gated++
			case v.RunAs != "canonical":
				n.Written++
			default:
				n.Canonical++
				twins = append(twins, twin{shell, command, v.Canonical})
			}
		}
	}
	n.Canonical, n.Written, n.Gated = (n.Canonical+1)/2, (n.Written+1)/2, (n.Gated+1)/2
	var trials []trial
	for _, w := range twins {
		trials = append(trials, l.ordinary(w.shell, w.written), l.ordinary(w.shell, w.canonical))
	}
	done, err := l.drive(trials)
	if err != nil {
		return n, err
	}
	var wrong []string
	for i, w := range twins {
		a, b := done[2*i], done[2*i+1]
		switch {
		case a.TimedOut || b.TimedOut:
			n.Slow++
		case a.difference(b) == "":
		default:
			steady, err := l.settle(w, a, b)
			if err != nil {
				wrong = append(wrong, err.Error())
			} else if !steady {
				n.Unsteady++
			}
		}
	}
	if len(wrong) > 0 {
		return n, errors.New(strings.Join(wrong, "\n"))
	}
	return n, nil
}

// settle runs a command that came out differently again, both ways: some differ
// from themselves. It is wrong when every written run was like the first and no
// canonical one was.
func (l *lab) settle(w twin, a, b outcome) (steady bool, err error) {
	var trials []trial
	for range 3 {
		trials = append(trials, l.ordinary(w.shell, w.written), l.ordinary(w.shell, w.canonical))
	}
	done, err := l.drive(trials)
	if err != nil {
		return false, err
	}
	for i, o := range done {
		same := a.difference(o) == ""
		if i%2 == 0 && !same {
			return false, nil
		}
		if i%2 == 1 && same {
			return true, nil
		}
	}
	return false, fmt.Errorf("%s %q\n  as %q\n  %s", w.shell, w.written, w.canonical, a.difference(b))
}

// seedProject makes the project, and its history as a command of the sandbox.
func (l *lab) seedProject() {
	l.t.Helper()
	if err := makeProject(filepath.Join(l.ws, "seed")); err != nil {
		l.t.Fatal(err)
	}
	const history = "git init -q -b main --template= . && git add -A && git commit -qm first && echo more >>input.txt && git commit -qam second && echo dirty >>README.md"
	if _, err := l.drive([]trial{l.ordinary("dash", history)}); err != nil {
		l.t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(l.ws, "project"), filepath.Join(l.ws, "seeded")); err != nil {
		l.t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(l.ws, "seed")); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) ordinary(shell, text string) trial {
	seed := filepath.Join(l.ws, "seeded")
	if _, err := os.Stat(seed); err != nil {
		seed = filepath.Join(l.ws, "seed")
	}
	return trial{Shell: []string{shell}, Text: text, Seed: seed, Path: "/usr/bin:/bin", Limit: 5 * time.Second}
}

// passing is what differs from one moment or process to the next.
var passing = regexp.MustCompile(`\b\d+(\.\d+)? ?(ms|s|[MG]B/s)\b|tmp\.\w+|\d{4}-\d\d-\d\dT[\w-]+`)

// difference says where two outcomes differ, "" if they don't.
func (o outcome) difference(b outcome) string {
	still := func(s string) string { return passing.ReplaceAllString(s, "…") }
	switch {
	case o.Exit != b.Exit:
		return fmt.Sprintf("%s, then %s (%q, %q)", o.Exit, b.Exit, o.Stderr, b.Stderr)
	case still(o.Stdout) != still(b.Stdout):
		return fmt.Sprintf("stdout %q, then %q", o.Stdout, b.Stdout)
	case still(o.Stderr) != still(b.Stderr):
		return fmt.Sprintf("stderr %q, then %q", o.Stderr, b.Stderr)
	case !maps.Equal(o.Tree, b.Tree):
		return fmt.Sprintf("files %v, then %v", o.Tree, b.Tree)
	}
	return ""
}
