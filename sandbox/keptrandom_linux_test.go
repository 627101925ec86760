package sandbox

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/journal"
	"github.com/pillion-sidecar/pillion/test/long"
)

// scribe makes up commands over few names, so that they meet often.
type scribe struct{ *rand.Rand }

func (s scribe) one(of ...string) string { return of[s.IntN(len(of))] }

func (s scribe) name() string {
	name := s.one("a", "b", "c", "src", "docs")
	for s.IntN(2) == 0 {
		name += "/" + s.one("a", "b", "sub", "'x y'")
	}
	return name
}

// step is one change, or several; what can't be done fails, and the next one is tried.
func (s scribe) step() string {
	a, b := s.name(), s.name()
	return fmt.Sprintf(s.one(
		`printf %[3]d >%[1]s`, `printf %[3]d >>%[1]s`, `mkdir -p %[1]s; printf %[3]d >%[1]s/a`, `rm -rf %[1]s`, `rm -f %[1]s`,
		`mv -f %[1]s %[2]s`, `mv -fT %[1]s %[2]s`, `mkdir -p %[1]s`, `rmdir %[1]s`, `ln -f %[1]s %[2]s`, `ln -sfn %[2]s %[1]s`,
		`chmod 7%[4]d%[5]d %[1]s`, `touch -d @%[3]d %[1]s`, `truncate -s %[3]d %[1]s`, `cp -a %[1]s %[2]s`, `cp %[1]s %[2]s`,
		`sed -i s/1/2/ %[1]s`, `exchange %[1]s %[2]s`, `printf %[3]d >t; mv -f t %[1]s`, `mv -f %[1]s t; mv -f %[2]s %[1]s; mv -f t %[2]s`,
		`tar cf t.tar %[1]s; rm -rf %[1]s; tar xf t.tar; rm t.tar`, `chmod -R a-w %[1]s; chmod -R u+w %[1]s`, `mkdir -p %[1]s; mv -f %[2]s %[1]s/`,
	), a, b, s.IntN(3000), s.IntN(8), s.IntN(8))
}

func (s scribe) command() string {
	var steps []string
	for range 1 + s.IntN(8) {
		steps = append(steps, s.step())
	}
	return strings.Join(steps, "\n")
}

// sequence runs some commands, each as an entry of the journal, in a tree of its own.
type sequence struct {
	*bench
	store   *journal.Store
	seed    uint64
	scripts []string
	names   []string // of the entries, "" where nothing was changed
	before  []string // what the tree was
	undone  string   // the entry of the last undo
}

func (s scribe) sequence(t *testing.T, seed uint64) *sequence {
	q := newSequence(t, seed)
	for range 1 + s.IntN(4) {
		q.run(t, s.command())
	}
	return q
}

func newSequence(t *testing.T, seed uint64) *sequence {
	q := &sequence{bench: newBench(t), seed: seed}
	q.store = q.journaled()
	outside(t, q.ws, "mkdir -p src/sub docs; printf 1 >a; printf 2 >src/a; ln a src/b; ln -s a docs/a; printf 3 >src/sub/a; chmod 640 a")
	return q
}

func (q *sequence) run(t *testing.T, command string) {
	exe, err := os.Executable()
	must(t, err)
	script := "exchange() { " + exe + " exchange \"$@\"; }\n" + command + "\ntrue"
	q.scripts, q.before = append(q.scripts, script), append(q.before, state(t, q.ws))
	q.names = append(q.names, q.kept(q.store, script))
}

func (q *sequence) undo(name string) (journal.Result, error) {
	q.t.Helper()
	q.undone = journal.NewName(time.Now(), "undo")
	return q.foreseen(q.store, name, journal.Options{Name: q.undone})
}

// foreseen undoes an entry; a dry run directly before must have said the same, but for
// directories that are shut: it looks into none.
func (b *bench) foreseen(s *journal.Store, name string, o journal.Options) (journal.Result, error) {
	b.t.Helper()
	try := o
	try.DryRun = true
	dry, unsure := s.Undo(name, try)
	r, err := s.Undo(name, o)
	shut := slices.ContainsFunc(dry.Left, func(l journal.Left) bool { return strings.HasSuffix(l.Why, "permission denied") })
	if text := fmt.Sprintf("%+v %v", r, err); !shut && text != fmt.Sprintf("%+v %v", dry, unsure) {
		b.t.Errorf("an undo, after what its dry run said:\n%+v %v\n%s", dry, unsure, text)
	}
	return r, err
}

func (q *sequence) String() string {
	return fmt.Sprintf("seed %d\n%s", q.seed, strings.Join(q.scripts, "\n--\n"))
}

// onRandomSequences is for what must hold whatever commands do.
func onRandomSequences(t *testing.T, f func(t *testing.T, s scribe, q *sequence)) {
	t.Parallel()
	onEveryRung(t, func(t *testing.T, _ string) {
		user, _, rung := share()
		for _, seed := range long.Seeds(40, user*len(built)+rung, len(built)) {
			// By itself, or the sandboxes of all rounds are there until the last one's end.
			t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
				s := scribe{rand.New(rand.NewPCG(seed, 0))}
				q := s.sequence(t, seed)
				f(t, s, q)
				files.RemoveTree(q.ws)
			})
		}
	})
}

// Undone from its end, each undo of a sequence gives the tree that its command found.
func TestAnySequenceComesBack(t *testing.T) {
	onRandomSequences(t, func(t *testing.T, _ scribe, q *sequence) { q.comesBack(t) })
}

func (q *sequence) comesBack(t *testing.T) {
	after := state(t, q.ws)
	for i, name := range slices.Backward(q.names) {
		q.gives(t, name, i, q.before[i])
		if name != "" { // redo, and undo again
			q.gives(t, q.undone, i, after)
			q.gives(t, q.undone, i, q.before[i])
		}
		after = q.before[i]
	}
}

// gives undoes an entry of command i.
func (q *sequence) gives(t *testing.T, name string, i int, want string) {
	t.Helper()
	var r journal.Result
	var err error
	if name != "" {
		r, err = q.undo(name)
	}
	if now := state(t, q.ws); err != nil || len(r.Left) > 0 || now != want {
		t.Fatalf("command %d of %d: %v %+v\n%s%v", i+1, len(q.names), err, r, difference(want, now), q)
	}
}

// What chance has found once.
func TestSequencesThatDidNotComeBack(t *testing.T) {
	t.Parallel()
	onEveryRung(t, func(t *testing.T, _ string) {
		for _, commands := range [][]string{
			{"sed -i s/1/2/ src/b", "printf x >c; exchange c src/b; rm -rf src"},
			{"sed -i s/1/2/ src/b", "printf x >c; exchange src/b c; rm -rf src"},
			{"chmod 600 src/b", "mkdir d; printf x >d/c; exchange src/b d/c; rm src/b", "rm -r d"},
			{"printf 22 >a", "rmdir a; ln -f a b"},
			{"printf 22 >t", "printf 4 >t", "printf 28 >t; mv -f t src"},
			{"mv -f a src/; rm -rf src"},
			{"mkdir n; mv a n/a; mv n/a src/c; echo 1 >n/x; mv n/x n/a; rm n/a; echo 2 >n/a; rm src/c"},
		} {
			q := newSequence(t, 0)
			for _, c := range commands {
				q.run(t, c)
			}
			q.comesBack(t)
		}
	})
}

// Nor is the clock of change times too coarse to tell who was first.
func TestWhatIsWrittenRightAfterACommandStays(t *testing.T) {
	t.Parallel()
	onEveryRung(t, func(t *testing.T, _ string) {
		q := newSequence(t, 0)
		file := filepath.Join(q.ws, "new")
		for range 20 {
			name := q.kept(q.store, "echo command >new")
			must(t, os.WriteFile(file, []byte("mine"), 0o600))
			r, err := q.undo(name)
			if got, _ := os.ReadFile(file); err != nil || string(got) != "mine" || len(r.Left) != 1 {
				t.Fatalf("%q, %+v, %v", got, r, err)
			}
			must(t, os.Remove(file))
		}
	})
}

// What a person has written since is there afterwards, in whatever order commands are
// undone; what could not be undone for that is named.
func TestUndoInAnyOrderLosesNothingOfAPersons(t *testing.T) {
	onRandomSequences(t, func(t *testing.T, s scribe, q *sequence) {
		outside(t, q.ws, "find . -type f -links 1 | sort >../found; mkdir -p new && echo mine >new/mine")
		found, err := os.ReadFile(filepath.Join(q.ws, "../found"))
		must(t, err)
		mine := map[string]string{"./new/mine": "mine\n"}
		for i, file := range strings.Fields(strings.ReplaceAll(string(found), " ", "?")) {
			if s.IntN(3) == 0 && !strings.Contains(file, "?") {
				mine[file] = fmt.Sprintln("a person's", i)
				must(t, os.WriteFile(filepath.Join(q.ws, file), []byte(mine[file]), 0o600))
			}
		}
		names := slices.Clone(q.names)
		s.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		var left []journal.Left
		for _, name := range names {
			for times := 1 + s.IntN(3); name != "" && times > 0; times-- { // and redo, and undo again
				r, err := q.undo(name)
				if err != nil && !errors.Is(err, os.ErrNotExist) { // an undo that changed nothing has no entry
					t.Fatalf("%v%v", err, q)
				}
				left, name = append(left, r.Left...), q.undone
			}
		}
		for file, text := range mine {
			if got, err := os.ReadFile(filepath.Join(q.ws, file)); string(got) != text {
				// It may be under the name that it had before a command moved it.
				if out, _ := exec.Command("grep", "-rlxF", strings.TrimSpace(text), q.ws).Output(); len(out) == 0 {
					t.Fatalf("%s is %q, %v; left %+v\n%v", file, got, err, left, q)
				}
			}
		}
		q.again(t, s)
	})
}

// again undoes some of all that is kept, in any order and again, by force and in part, with
// more of a person's in its way: what there was is there, or is kept by an undo.
func (q *sequence) again(t *testing.T, s scribe) {
	t.Helper()
	var did []string
	for i := range 4 + s.IntN(8) {
		if s.IntN(3) == 0 {
			person := fmt.Sprintf(s.one(`rm -rf %[1]s`, `mv -f %[1]s %[2]s`, `mkdir -p %[1]s; echo mine %[3]d >%[1]s/mine`, `echo mine %[3]d >%[1]s`,
				`find . -type d -exec sh -c 'echo mine %[3]d >"$1/a"' sh {} \;`), s.name(), s.name(), i)
			did = append(did, person)
			outside(t, q.ws, "exec 2>/dev/null; "+person+"; true")
		}
		items, err := q.store.List()
		if must(t, err); len(items) == 0 {
			return
		}
		had, o := q.contents(), journal.Options{Name: journal.NewName(time.Now(), "again"), Force: s.IntN(2) == 0}
		if s.IntN(4) == 0 {
			o.Paths = []string{filepath.Join(q.ws, s.name())}
		}
		name := items[s.IntN(min(len(items), 1+s.IntN(len(items))))].Name
		r, err := q.foreseen(q.store, name, o)
		did = append(did, fmt.Sprintf("undo of %s: %+v: %+v", name, o, r))
		if lost := q.lost(had); err != nil || len(lost) > 0 || t.Failed() {
			t.Fatalf("%q is nowhere: %v\n%s\n%v", lost, err, strings.Join(did, "\n"), q)
		}
	}
}

// gitSteps make, change and remove what makes a git directory, and what git obeys in one.
var gitSteps = []string{
	"mkdir -p g/objects g/refs", "echo ref: refs/heads/main >g/HEAD", "mkdir -p g/hooks; echo x >g/hooks/pre-commit", "rm -r g/hooks",
	"printf '[core]\\n\\tbare = false\\n' >g/config", "printf '[core]\\n\\tfsmonitor = x\\n' >g/config", "rm g/config", "rm g/HEAD", "rm -r g/refs",
	"mv g h", "mv h g", "mv g/hooks h", "mv h g/hooks", "mv g/config h", "mv -f h g/config", "mv g/objects h", "ln -s a g/objects/a", "rm g/objects/a",
	"mkdir -p g/objects/info; echo /x >g/objects/info/alternates", "rm -r g/objects/info", "rm -r g", "rm -r h", "exchange g/config h", "cp g/HEAD h",
}

// A dry run, which each undo of these tests is compared with, foresees also what is left
// because git would obey it by now.
func TestADryRunForeseesWhatIsLeftForGit(t *testing.T) {
	onRandomSequences(t, func(t *testing.T, s scribe, q *sequence) {
		for range 3 + s.IntN(8) {
			q.run(t, s.one(gitSteps...)+"\n"+s.one(gitSteps...)+"\n"+s.one(gitSteps...))
		}
		for range 2 * len(q.names) {
			name := q.names[s.IntN(len(q.names))]
			if name == "" {
				continue
			}
			undone := journal.NewName(time.Now(), "undo")
			_, err := q.foreseen(q.store, name, journal.Options{Name: undone, Force: s.IntN(3) == 0})
			if err != nil && !errors.Is(err, os.ErrNotExist) || t.Failed() {
				t.Fatal(err, q)
			}
			q.names = append(q.names, undone)
		}
	})
}

// numbers is a tree in which the numbers of directories that are gone are taken again.
type numbers struct {
	*sequence
	taken int
}

func newNumbers(t *testing.T) *numbers {
	q := &numbers{sequence: newSequence(t, 0)}
	must(t, os.Mkdir(filepath.Join(q.ws, "taken"), 0o700))
	return q
}

func (q *numbers) of(dir string) (ino uint64) {
	var st unix.Stat_t
	must(q.t, unix.Lstat(filepath.Join(q.ws, dir), &st))
	return st.Ino
}

// take makes a directory of a number, unless this file system gives no number again.
func (q *numbers) take(ino uint64, as string) {
	for range 64 {
		dir := filepath.Join("taken", strconv.Itoa(q.taken))
		q.taken++
		must(q.t, os.MkdirAll(filepath.Join(q.ws, dir), 0o700))
		if q.of(dir) == ino {
			must(q.t, os.Rename(filepath.Join(q.ws, dir), filepath.Join(q.ws, as)))
			break
		}
	}
}

// takesBack undoes an entry whole.
func (q *numbers) takesBack(name string) string {
	q.t.Helper()
	if r, err := q.undo(name); err != nil || len(r.Left) > 0 {
		q.t.Fatalf("%v %+v", err, r)
	}
	return q.undone
}

// The number of what is gone is given again; what was made in the place of the one is not
// in that of the other.
func TestANumberThatIsGivenAgainIsAnotherDirectorys(t *testing.T) {
	t.Parallel()
	onEveryRung(t, func(t *testing.T, _ string) {
		q := newNumbers(t)
		q.run(t, "mkdir b")
		first := q.of("b")
		q.run(t, "rmdir b")
		q.take(first, "first")
		undo := q.takesBack(q.names[1])
		second := q.of("b")
		redo := q.takesBack(undo)
		q.take(second, "second")
		q.takesBack(redo)
		_ = os.Remove(filepath.Join(q.ws, "second")) // it may be taken by nobody
		q.take(second, "d")
		q.run(t, "mv -T d e")
		q.run(t, "rmdir e")
		q.take(second, "third")
		q.takesBack(q.names[3])
		q.takesBack(q.names[2])
		q.takesBack(q.names[0])
		if _, err := os.Lstat(filepath.Join(q.ws, "b")); !errors.Is(err, os.ErrNotExist) {
			t.Fatal("b is there still:", err)
		}
	})
}

// A directory that an undo made again with its own number, and the next one with another,
// is still the one that a command moved. Of some that are gone together, which come back
// from the last to the first, the one in the middle gets its own.
func TestADirectoryMayGetItsOwnNumberAgain(t *testing.T) {
	t.Parallel()
	onEveryRung(t, func(t *testing.T, _ string) {
		for _, some := range []string{"1 2 3 4 5 6 7 8 9 10 11", "1 2 3 4 5 6 7 8 9 10 11 12"} {
			q := newNumbers(t)
			outside(t, q.ws, "for i in "+some+"; do mkdir $i; done")
			q.run(t, "for i in "+some+"; do mv $i a$i; done")
			q.run(t, "rmdir a*")
			redo := q.takesBack(q.takesBack(q.names[1]))
			for i := range 64 { // whatever is free around here
				must(t, os.Mkdir(filepath.Join(q.ws, "taken", strconv.Itoa(i)), 0o700))
			}
			q.takesBack(redo)
			q.takesBack(q.names[0])
		}
	})
}
