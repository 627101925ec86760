package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/journal"
)

const othersTree = `mkdir -p old/in other; echo precious >old/f; echo "other's" >other/f; echo orig >f; echo bk >bk; echo deep >old/in/g`

// A file where a command has changed something, which is not what it left, is another
// program's: undo names it, and leaves it as it is.
func TestUndoLeavesWhatTheCommandDidNotLeave(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		for _, row := range []struct{ command, person, holds string }{
			{"mkdir made; echo 1 >made/a", "mv old made/", "test $(cat made/old/f) = precious && test $(cat made/old/in/g) = deep"},
			{"mkdir made; echo 1 >made/a", "mkdir made/empty", "test -d made/empty"},
			{"mkdir -p made/by; echo 1 >made/a", "rm old/in/g; mv old/in made/by", "test -d made/by/in"},
			{"mkdir made", "mv f made/", "test $(cat made/f) = orig"},
			{"echo x >old/f", "mv old bak; mv other old", `test "$(cat old/f)" = "other's" && test $(cat bak/f) = x`},
			{"chmod 711 old", "chmod 700 old", "test $(stat -c %a old) = 700"},
			{"chmod 711 old", "rm -r old; mkdir -m 750 old", "test $(stat -c %a old) = 750"},
			{"chmod 711 old; touch old/new", "mv old bak; mkdir -m 711 old", "test $(stat -c %a old) = 711"},
			{"echo x >f", "mv bk f", "test $(cat f) = bk"},
			{"cp -a old new; rm -r old; mv new old", "echo mine >old/mine", "test $(cat old/f old/in/g old/mine | tr -d '\n') = preciousdeepmine"},
			{"chmod 600 f", "chmod 604 bk; mv bk f", "test $(stat -c %a f) = 604"},
			{"mkdir made; mv f made/", "echo more >>made/f", "cat made/f | grep -q more"},
		} {
			q, r, err := undoBehind(t, othersTree, row.command, row.person)
			if err != nil || len(r.Left) == 0 {
				t.Errorf("%s; then %s: %v %+v", row.command, row.person, err, r)
			}
			outside(t, q.ws, row.holds)
		}
	})
}

// nextTick waits until what is changed has a later time than what is there.
func nextTick(t *testing.T, dir string) {
	t.Helper()
	made := func() (st unix.Stat_t) {
		f, err := os.CreateTemp(filepath.Dir(dir), "tick")
		must(t, err)
		must(t, unix.Fstat(int(f.Fd()), &st))
		must(t, errors.Join(f.Close(), os.Remove(f.Name())))
		return st
	}
	begin := made()
	eventually(t, "the clock of change times goes on", func() bool { now := made(); return now.Ctim.Nano() > begin.Ctim.Nano() })
}

// Nor is what an undo has put back another command's.
func TestUndoLeavesWhatAnotherUndoBroughtBack(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		for _, row := range []struct{ first, then, holds string }{
			{"rm -r old", "mkdir old; echo new >old/new", "test $(cat old/f old/in/g | tr -d '\n') = preciousdeep && ! test -e old/new"},
		} {
			q := &sequence{bench: newBench(t)}
			q.store = q.journaled()
			outside(t, q.ws, othersTree)
			a, b := q.kept(q.store, row.first), q.kept(q.store, row.then)
			_, err := q.undo(a)
			must(t, err)
			if r, err := q.undo(b); err != nil || len(r.Left) == 0 {
				t.Errorf("%s; %s: %v %+v", row.first, row.then, err, r)
			}
			outside(t, q.ws, row.holds)
		}
	})
}

// Nor is a file the command's that another one has put in its directory meanwhile, and
// taken away again, when an undo of that brings it back.
func TestUndoLeavesWhatAnUndoBroughtBackToItsDirectory(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		q := newSequence(t, 0)
		nextTick(t, q.ws)
		other, removal := *q.bench, ""
		made := q.together(t, "mkdir made; echo 1 >made/own; meet", func() {
			other.kept(q.store, "mv src/sub/a made/")
			removal = other.kept(q.store, "rm made/*")
		})
		if r, err := q.undo(removal); err != nil || len(r.Left) > 0 {
			t.Errorf("%v %+v", err, r)
		}
		if r, err := q.undo(made); err != nil || len(r.Left) == 0 {
			t.Errorf("%v %+v", err, r)
		}
		outside(t, q.ws, `test "$(cat made/a)" = 3 && ! test -e made/own`)
	})
}

// together runs a command, and f when it says "meet"; it goes on when f is done.
func (q *sequence) together(t *testing.T, command string, f func()) (name string) {
	t.Helper()
	done := make(chan string)
	on := filepath.Join(q.ws, "goes-on")
	_ = os.Remove(on)
	go func() {
		done <- q.kept(q.store, "meet() { echo >met; while ! test -e goes-on; do sleep .01; done; }\n"+command)
	}()
	waitForFile(t, filepath.Join(q.ws, "met"))
	f()
	must(t, os.WriteFile(on, nil, 0o600))
	return <-done
}

// A person who writes to the same files while a command runs has changed them since.
func TestUndoLeavesWhatSomebodyWroteWhileTheCommandRan(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		for _, row := range []struct{ command, person, holds string }{
			{"echo cmd >f; meet", "echo USER >f", "test $(cat f) = USER"},
			{"echo cmd >f; meet", "echo USER >>f", "test $(tail -n1 f) = USER"},
			{"echo cmd >f; meet; echo cmd2 >>f", "echo USER >>f", "test $(tail -n1 f) = USER"},
			{"echo cmd >f; meet; echo cmd2 >f; echo cmd3 >>f", "echo USER >f", "test $(cat f) = USER"},
			{"chmod 600 f; meet", "echo USER >f", "test $(cat f) = USER"},
			{"echo cmd >f; mv f g; meet", "echo USER >g", "grep -q USER g f"},
			{"echo cmd >old/in/g; mv old new; meet", "echo USER >new/in/g", "grep -q USER old/in/g"},
			{"echo made >n; meet", "echo USER >n", "test $(cat n) = USER"},
			{"echo made >n; meet; echo cmd >n", "echo USER >n", "test $(cat n) = USER"},
			{"echo made >n; meet; rm n", "echo USER >n", "test $(cat n) = USER"},
			{"echo made >n; meet; echo 2 >n2; mv n2 n", "echo USER >n", "test $(cat n) = USER"},
			{"mkdir made; echo made >made/n; meet", "echo USER >made/n", "test $(cat made/n) = USER"},
			{"mkdir -p made/by; meet", "echo USER >made/by/mine", "test $(cat made/by/mine) = USER"},
			{"mkdir made; meet", "mv old made", "test $(cat made/old/in/g) = deep"},
			{"mkdir made; mv old made; meet", "mkdir made/mine", "test -d made/mine && test $(cat old/in/g) = deep"},
		} {
			q := &sequence{bench: newBench(t)}
			q.store = q.journaled()
			outside(t, q.ws, othersTree)
			name := q.together(t, row.command, func() { outside(t, q.ws, row.person) })
			r, err := q.undo(name)
			if err != nil || len(r.Left) == 0 {
				t.Errorf("%s; meanwhile %s: %v %+v", row.command, row.person, err, r)
			}
			if out, err := exec.Command("sh", "-c", "cd "+q.ws+"; "+row.holds).CombinedOutput(); err != nil {
				t.Errorf("%s; meanwhile %s: %+v %s", row.command, row.person, r, out)
			}
		}
	})
}

// What lies in a directory that was left shut comes back as well, whoever shut it.
func TestUndoEntersDirectoriesThatAreShut(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		for _, row := range []struct{ command, person string }{
			{"chmod 700 old; rm old/f; chmod 0 old", ""},
			{"chmod 700 old/in old; rm old/in/g; echo x >old/f; chmod 0 old/in old", ""},
			{"rm old/f; mv bk old/; echo x >old/in/g; echo n >old/in/new", "chmod 0 old/in old"},
			{"mkdir -p made/in; mv f made/in; echo 1 >made/1; chmod 0 made/in made", ""},
			{"chmod 500 old/in; mv old new; chmod 0 new", ""},
			{"mkdir shut; mv old shut; echo x >shut/old/f; rm -r shut/old/in; chmod 100 shut/old; chmod 400 shut", ""},
		} {
			q := &sequence{bench: newBench(t)}
			q.store = q.journaled()
			t.Cleanup(func() { outside(t, q.ws, "chmod -R u+rwX .") })
			outside(t, q.ws, othersTree)
			look := func() string { return shutState(t, q.ws) }
			before := look()
			name := q.kept(q.store, row.command)
			if row.person != "" {
				outside(t, q.ws, row.person)
			}
			after := look()
			want := map[bool]string{true: before, false: after}
			for i := range 3 {
				r, err := q.undo(name)
				if row.person != "" && i == 0 {
					outside(t, q.ws, `test "$(stat -c %a old)" = 0 && chmod 755 old && test "$(stat -c %a old/in)" = 0 && chmod 755 old/in`)
				}
				if now := look(); err != nil || len(r.Left) > 0 || now != want[i%2 == 0] {
					t.Errorf("%s, undone %d times: %v %+v\n%s", row.command, i+1, err, r, difference(want[i%2 == 0], now))
				}
				if name = q.undone; row.person != "" {
					break
				}
			}
		}
	})
}

// shutState is what a tree holds, also where it is shut; it is left as it was.
func shutState(t *testing.T, dir string) string {
	t.Helper()
	var modes []func() error
	var text string
	var look func(file string)
	look = func(file string) {
		info, err := os.Lstat(file)
		must(t, err)
		text += fmt.Sprintln(strings.TrimPrefix(file, dir), info.Mode())
		if !info.IsDir() {
			content, err := os.ReadFile(file)
			must(t, err)
			text += string(content)
			return
		}
		must(t, os.Chmod(file, 0o700))
		modes = append(modes, func() error { return os.Chmod(file, info.Mode()) })
		names, err := os.ReadDir(file)
		must(t, err)
		for _, e := range names {
			look(filepath.Join(file, e.Name()))
		}
	}
	look(dir)
	for _, back := range slices.Backward(modes) {
		must(t, back())
	}
	return text
}

// undoBehind undoes a command after which a person has changed something.
func undoBehind(t *testing.T, tree, command, person string) (*sequence, journal.Result, error) {
	t.Helper()
	q := &sequence{bench: newBench(t)}
	q.store = q.journaled()
	outside(t, q.ws, tree)
	nextTick(t, q.ws)
	name := q.kept(q.store, command)
	outside(t, q.ws, person)
	r, err := q.undo(name)
	return q, r, err
}
