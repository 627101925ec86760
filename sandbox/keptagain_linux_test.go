package sandbox

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/journal"
	"github.com/pillion-sidecar/pillion/test/long"
)

// Where an undo leaves a directory of the command's, because something of the user's is in
// it by now, what was there before comes back beside that. Whoever undoes the same command
// again, by force or not, loses nothing of it, whatever he has done with it meanwhile.
func TestAnUndoThatComesAgainTakesNothingAwayThatTheFirstHasPutBack(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		fill := `find . -type d -perm -300 -exec sh -c 'echo theirs >"$1/theirs"' sh {} \;`
		scripts := append([]string{
			`rm -rf src; mkdir src; echo new >src/new`, `rmdir docs/empty; mkdir docs/empty; echo new >docs/empty/new`,
			`mv src was; mkdir -p src/gen; mv was/gen/one src/gen/one; echo new >src/gen/new`,
			`rm -rf src; mkdir -p src/gen/sub; echo new >src/gen/sub/new; mv run.sh src/gen/sub/run.sh`,
		}, long.Part(destructive, 4)...)
		for i, script := range scripts {
			for _, meanwhile := range []string{"true", `find . -type f -perm -600 ! -name theirs -exec sh -c 'echo mine >>"$1"' sh {} \;`} {
				b := newBench(t)
				s := b.journaled()
				outside(t, b.ws, usersTree)
				before := names(state(t, b.ws))
				name := b.kept(s, script)
				if name == "" {
					continue
				}
				outside(t, b.ws, fill)
				again := journal.Options{Force: i%3 != 2}
				var r journal.Result
				for _, o := range []journal.Options{{}, again, {Force: true}} {
					o.Name = journal.NewName(time.Now(), "undo")
					var err error
					if r, err = b.foreseen(s, name, o); err != nil {
						break // all of it was undone
					}
					outside(t, b.ws, meanwhile)
				}
				now := names(state(t, b.ws))
				for _, path := range before {
					told := slices.ContainsFunc(r.Left, func(l journal.Left) bool { return strings.HasPrefix(b.ws+"/"+path, l.Path) })
					if !slices.Contains(now, path) && !told {
						t.Errorf("%s\n%s: %s is gone: %+v", script, meanwhile, path, r)
					}
				}
			}
		}
	})
}

// names are those of what a state is about.
func names(state string) (all []string) {
	for line := range strings.Lines(state) {
		if words := strings.Fields(line); len(words) > 3 && len(words[1]) == 1 {
			all = append(all, words[0])
		}
	}
	return all
}
