package sandbox

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
)

// What is in a directory of a command's is the command's only if it made it: another
// command, or a person, has put there what came back by an undo, or was moved there later.
func TestUndoLeavesWhatAnotherMadeWhileTheCommandRan(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		for _, row := range long.Part([]struct{ command, then, holds string }{ // then: "A:" another command, "U:" which is undone after the command's end, "P:" a person, "L:" the same, later
			{"mkdir made; echo 1 >made/own; meet", "A:echo other >made/a|U:rm made/a", `test "$(cat made/a)" = other && ! test -e made/own`},
			{"mkdir made; echo 1 >made/own; meet", "A:echo other >made/own|U:rm made/own", `test "$(cat made/own)" = other`},
			{"mkdir made; echo 1 >made/own; meet", "P:echo other >made/own|U:rm made/own", `test "$(cat made/own)" = other`},
			{"mkdir made; echo 1 >made/own; meet", "A:echo other >made/new; mv made/new made/own|U:rm made/own", `test "$(cat made/own)" = other`},
			{"echo 1 >own; meet", "A:echo other >own|U:rm own", `test "$(cat own)" = other`},
			{"mkdir made; meet", "A:mkdir made/d; echo other >made/d/a|U:rm -r made/d", `test "$(cat made/d/a)" = other`},
			{"mkdir made; meet", "A:mkdir made/d; echo other >made/d/a|U:mv made/d away", `test "$(cat made/d/a)" = other`},
			{"mkdir made; meet", "A:echo other >made/a|U:mv made/a away", `test "$(cat made/a)" = other`},
			{"mkdir made; meet", "A:mkdir d; echo other >d/a|L:mv d made/", `test "$(cat made/d/a)" = other`},
			{"mkdir made; meet", "P:mkdir d; echo other >d/a|L:mv d made/", `test "$(cat made/d/a)" = other`},
			{"mkdir t; echo 1 >t/own; mv t made; meet", "P:mkdir d; echo other >d/a|L:mv d made/", `test "$(cat made/d/a)" = other && ! test -e made/own`},
			{"mkdir t; mv t made; meet", "P:echo other >made/a", `test "$(cat made/a)" = other`},
			{"mkdir -p old/made; meet", "P:mkdir old/made/d; echo other >old/made/d/a", `test "$(cat old/made/d/a)" = other`},
			{"mkdir made; seq 5000 | (cd made; split -l1 -a3 -); echo 1 >made/own; meet", "A:echo other >made/own", `test "$(cat made/own)" = other`},
			{"mkdir made; seq 5000 | (cd made; split -l1 -a3 -); echo 1 >made/own; meet", "A:echo other >made/own|U:rm made/own", `test "$(cat made/own)" = other`},
		}, 4) {
			q := &sequence{bench: newBench(t)}
			q.store = q.journaled()
			outside(t, q.ws, othersTree)
			nextTick(t, q.ws)
			other, undone, later := *q.bench, "", ""
			name := q.together(t, row.command, func() {
				for do := range strings.SplitSeq(row.then, "|") {
					switch who, script, _ := strings.Cut(do, ":"); who {
					case "A":
						other.kept(q.store, script)
					case "U":
						undone = other.kept(q.store, script)
					case "P":
						outside(t, q.ws, script)
					case "L":
						later = script
					}
				}
			})
			outside(t, q.ws, "true; "+later)
			if undone != "" {
				if r, err := q.undo(undone); err != nil || len(r.Left) > 0 {
					t.Errorf("%s; %s: undo of the other one: %v %+v", row.command, row.then, err, r)
				}
			}
			r, err := q.undo(name)
			if err != nil || len(r.Left) == 0 {
				t.Errorf("%s; %s: %v %+v", row.command, row.then, err, r)
			}
			if out, err := exec.Command("sh", "-c", "cd "+q.ws+"; "+row.holds).CombinedOutput(); err != nil {
				t.Errorf("%s; %s: %+v %s", row.command, row.then, r, out)
			}
		}
	})
}

// And the command's own goes, whoever took it away and brought it back meanwhile.
func TestUndoTakesAwayItsOwnThatAnUndoBroughtBack(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		for _, row := range []struct{ command, other string }{
			{"mkdir made; echo 1 >made/own; meet", "rm made/own"},
			{"mkdir -p made/in; echo 1 >made/in/own; meet", "rm -r made/in"},
			{"mkdir -p made/in; echo 1 >made/in/own; meet", "mv made/in away"},
			{"mkdir made; echo 1 >made/own; meet", "echo 2 >made/own"},
		} {
			q := &sequence{bench: newBench(t)}
			q.store = q.journaled()
			outside(t, q.ws, othersTree)
			nextTick(t, q.ws)
			other, undone := *q.bench, ""
			name := q.together(t, row.command, func() { undone = other.kept(q.store, row.other) })
			for _, name := range []string{undone, name} {
				if r, err := q.undo(name); err != nil || len(r.Left) > 0 {
					t.Errorf("%s; %s: %v %+v", row.command, row.other, err, r)
				}
			}
			outside(t, q.ws, "! test -e made")
		}
	})
}
