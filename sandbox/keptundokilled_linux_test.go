package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/journal"
	"github.com/pillion-sidecar/pillion/test/long"
)

// undoHelper is an undo that the kernel kills at the first write that would make a file
// larger than a limit: its own log, mostly.
func undoHelper(args []string) int {
	limit, err := strconv.ParseUint(args[3], 10, 64)
	deadly := [4]uint64{} // SIG_DFL instead of the runtime's handler, in the kernel's struct sigaction
	if _, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGXFSZ), uintptr(unsafe.Pointer(&deadly)), 0, 8, 0, 0); errno != 0 {
		return 2
	}
	if err == nil {
		err = unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: limit})
	}
	if err == nil {
		_, err = journal.Open(args[0], []string{args[1]}).Undo(args[2], journal.Options{Name: journal.NewName(time.Now(), "killed"), Force: len(args) > 4})
	}
	return said(err)
}

// everyStep is undone by each kind of step that there is.
const everyStep = `echo ruined >>src/gen/one; chmod 600 run.sh; echo evil >again.sh; mv docs other; ln src/a.go src/hard; rm -r private pipe
rm -rf src; mkdir src; echo new >src/a.go; mkdir -p made/by; echo 1 >made/by/hand; mv big made; touch -d 2001-01-01 made/big; truncate -s 5 made/big
printf x >c; exchange c readonly; mv c made/by; mv run.sh t; mv again.sh run.sh; mv t again.sh; rm -r other`

// midway runs f after undos that were killed at each of their records, or at some of them.
func midway(t *testing.T, f func(q *sequence, round int)) {
	t.Parallel()
	long.Test(t)
	everyUser(t, func(t *testing.T) {
		exe, err := os.Executable()
		must(t, err)
		killed := 0
		for limit := 350; ; limit += max(61, 4001/long.Rounds(20)) {
			q := &sequence{bench: newBench(t), seed: uint64(limit)}
			q.store = q.journaled()
			outside(t, q.ws, usersTree)
			attributed(t, q.ws)
			q.run(t, "echo first >>src/gen/one; chmod 700 run.sh; echo first >>big")
			q.run(t, everyStep)
			again := fmt.Sprint(limit)
			for times := 1 + limit%2; times > 0; times-- { // another one is killed, too
				out, err := exec.Command(exe, "undo", q.policy.Journal, q.ws, q.names[1], again).CombinedOutput()
				if err == nil {
					if killed == 0 {
						t.Error("no undo was killed midway")
					}
					return
				}
				if !strings.Contains(err.Error(), "file size limit") {
					t.Fatalf("%v %s", err, out)
				}
				again = fmt.Sprint(limit/2 + 200)
			}
			f(q, killed)
			killed++
		}
	})
}

// A killed undo is known by its own log: it is gone on with, and what came before its
// command can be undone, too.
func TestAnUndoThatWasKilledIsGoneOnWith(t *testing.T) {
	midway(t, func(q *sequence, _ int) {
		q.gives(q.t, q.names[1], 1, q.before[1])
		q.gives(q.t, q.names[0], 0, q.before[0])
	})
}

func TestWhatIsWrittenAfterAKilledUndoStays(t *testing.T) {
	midway(t, func(q *sequence, round int) {
		var found []string
		must(q.t, filepath.WalkDir(q.ws, func(file string, e os.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				found = append(found, file)
			}
			return err
		}))
		file := found[round%len(found)]
		must(q.t, os.Chmod(file, 0o600))
		mine := fmt.Sprintln("a person's", round)
		must(q.t, os.WriteFile(file, []byte(mine), 0o600))
		for i := range 2 {
			if r, err := q.undo(q.names[1-i]); err != nil {
				q.t.Fatal(r, err)
			}
			if out, _ := exec.Command("grep", "-rlxF", strings.TrimSpace(mine), q.ws).Output(); len(out) == 0 {
				q.t.Fatalf("limit %d: %s is gone", q.seed, file)
			}
		}
	})
}
