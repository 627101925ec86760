package sandbox

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/journal"
	"github.com/pillion-sidecar/pillion/test/long"
)

// turns are two commands that run at the same time, and a person: one step after the other,
// or what is between another's look and change would be lost, as docs/undo.md says.
type turns struct {
	*sequence
	texts []string // that the person wrote, or that were there
	told  []string // what was done, for who reads of a failure
}

// holds says which of the texts are somewhere below a directory.
func (q *turns) holds(t *testing.T, dir string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	must(t, filepath.WalkDir(dir, func(file string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(file)
		for _, own := range q.texts {
			found[own] = found[own] || strings.Contains(string(text), own)
		}
		return err
	}))
	return found
}

func (q *turns) person(t *testing.T, s scribe) {
	text := fmt.Sprintf("<text %d>", len(q.texts))
	file := filepath.Join(q.ws, strings.ReplaceAll(s.name(), "'", ""))
	old, err := os.ReadFile(file)
	if err != nil || slices.ContainsFunc(q.texts, func(own string) bool { return strings.Contains(string(old), own) }) {
		file = filepath.Join(filepath.Dir(file), fmt.Sprint("mine", len(q.texts))) // who writes over their own text has lost it
	}
	if os.WriteFile(file, []byte(text), 0o644) == nil {
		q.texts, q.told = append(q.texts, text), append(q.told, "a person wrote "+text+" to "+file)
	}
}

// run gives back what is kept of the commands.
func (q *turns) run(t *testing.T, s scribe) (names []string) {
	const rounds = 3
	must(t, os.Mkdir(filepath.Join(q.ws, ".t"), 0o755))
	exe, err := os.Executable()
	must(t, err)
	done := map[string]chan string{}
	for _, who := range []string{"A", "B"} {
		script := "exchange() { " + exe + " exchange \"$@\"; }\nturn() { echo >.t/" + who + "$1; while ! test -e .t/go" + who + "$1; do sleep .003; done; }\n"
		for i := range rounds {
			step := s.step()
			script += fmt.Sprintf("turn %d\n%s\n", i, step)
			q.told = append(q.told, fmt.Sprint(who, i, ": ", step))
		}
		own, back := *q.bench, make(chan string)
		done[who] = back
		go func() { back <- own.kept(q.store, script+fmt.Sprintf("turn %d\n", rounds)) }()
	}
	for i := range rounds + 1 {
		for _, who := range []string{"A", "B"} {
			if s.IntN(2) == 0 {
				q.person(t, s)
			}
			waitForFile(t, filepath.Join(q.ws, fmt.Sprint(".t/", who, i)))
			must(t, os.WriteFile(filepath.Join(q.ws, fmt.Sprint(".t/go", who, i)), nil, 0o600))
			if i < rounds {
				waitForFile(t, filepath.Join(q.ws, fmt.Sprint(".t/", who, i+1)))
			} else {
				names = append(names, <-done[who])
			}
		}
	}
	return names
}

// Whatever two commands and a person do at the same time, and in whatever order it is
// undone: no undo of a command takes a person's text away, and each text that was ever
// there is there, or comes back by an undo.
func TestNoTextIsLostOfTwoCommandsAndAPerson(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		for round := range long.Rounds(20) {
			seed := long.Seed(round)
			s := scribe{rand.New(rand.NewPCG(seed, 1))}
			q := &turns{sequence: &sequence{bench: newBench(t), seed: seed}, texts: []string{"<was 1>", "<was 2>", "<was 3>"}}
			q.store = q.journaled()
			outside(t, q.ws, "mkdir -p src/sub docs; printf '<was 1>' >a; printf '<was 2>' >src/a; ln a src/b; ln -s a docs/a; printf '<was 3>' >src/sub/a")
			q.undone(t, s, q.run(t, s))
			files.RemoveTree(q.ws)
		}
	})
}

func (q *turns) undone(t *testing.T, s scribe, commands []string) {
	names, redone := commands, false
	for range 6 {
		name := names[s.IntN(len(names))]
		redone = redone || !slices.Contains(commands, name)
		before := q.holds(t, q.ws)
		undo := journal.NewName(time.Now(), "undo")
		r, err := q.foreseen(q.store, name, journal.Options{Name: undo})
		q.told = append(q.told, fmt.Sprintf("undo %s: %+v %v", name, r, err))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("seed %d: %v\n%s", q.seed, err, strings.Join(q.told, "\n"))
		}
		after, kept := q.holds(t, q.ws), q.holds(t, q.policy.Journal)
		for _, text := range q.texts {
			taken := !redone && before[text] && !after[text] // what redo brings back of a command's copies may go
			if taken || !after[text] && !kept[text] {
				t.Fatalf("seed %d: %s is gone (taken by the undo of a command: %v)\n%s", q.seed, text, taken, strings.Join(q.told, "\n"))
			}
		}
		names = append(slices.Clip(names), undo)
	}
}
