package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/journal"
	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/users"
)

// ruin changes and destroys what it finds, again and again.
const ruin = `while :; do
for f in $(find . -type f | sort -R | head -n 5); do echo ruined >>"$f"; chmod 7$((i % 8))0 "$f"; mv -f "$f" moved; echo new >"$f"; rm -rf src/gen; i=$((i + 1)); done
mkdir -p src/gen made/by; cp -a docs made/by; mv -f moved docs/moved; sed -i s/a/b/ src/a.go; ln -f big made/hard; rm -rf made docs/empty; rmdir private; truncate -s 5 big
mv src elsewhere; mv elsewhere src; ln -sfn $i dangling; rm -f again.sh; tar cf t.tar src; rm -rf src; tar xf t.tar
done 2>/dev/null`

func ruinHelper(args []string) int { return endless(args[0], args[1], ruin, "churn-"+args[2]) }

// At whatever moment any process of ours is killed, with the sidecar: undo gives back
// what was there. Of the command's own at most what it had just made is left, or what
// undo names.
func TestKilledAtAnyMomentAllComesBack(t *testing.T) {
	t.Parallel()
	long.Test(t)
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		s := b.journaled()
		sidecar := filepath.Join(filepath.Dir(b.ws), "killed")
		undone, named := 0, 0
		for round := range long.Rounds(80 / len(users.All())) {
			must(t, os.RemoveAll(b.ws))
			must(t, os.Mkdir(b.ws, 0o755))
			outside(t, b.ws, usersTree)
			before := state(t, b.ws)
			b.entry = journal.NewName(time.Now(), "ruin")
			who := b.killSomebody(sidecar, "ruin", sidecar, b.ws, mark())
			if _, err := os.Stat(filepath.Join(b.policy.Journal, b.entry)); err != nil {
				continue // killed before its first change
			}
			undone++
			var r journal.Result
			var err error
			eventually(t, "nobody writes the entry any more", func() bool {
				r, err = s.Undo(b.entry, journal.Options{Name: journal.NewName(time.Now(), "undo")})
				return !errors.Is(err, journal.ErrRuns)
			})
			change := difference(before, state(t, b.ws))
			if err == nil && len(r.Left) > 0 { // what it had just made is where something was
				named++
				r, err = s.Undo(b.entry, journal.Options{Force: true, Name: journal.NewName(time.Now(), "force")})
				change = difference(before, state(t, b.ws))
			}
			if err != nil || !b.onlyMade(change, r.Left) {
				t.Fatalf("round %d, %s killed: %v %+v\n%s", round, who, err, r, change)
			}
		}
		if undone == 0 || named > 1+undone/5 {
			t.Errorf("of %d moments at which something was changed, %d left something in its place", undone, named)
		}
	})
}

// onlyMade says that nothing is missing, and that there is at most one unreported name
// more.
func (b *bench) onlyMade(change string, left []journal.Left) bool {
	names := 0
	for line := range strings.Lines(change) {
		told := slices.ContainsFunc(left, func(l journal.Left) bool {
			return strings.Contains(line, strings.TrimPrefix(l.Path, b.ws+"/"))
		})
		switch {
		case line[0] == '-', strings.HasPrefix(line, "+ one file:") && !told:
			return false
		case !told && !strings.Contains(line, "  ./"): // its content's line comes with it
			names++
		}
	}
	return names <= 1
}
