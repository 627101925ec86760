package executor

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/journal"
)

// The second of two same undos at the same time learns that nothing is kept any more.
func TestTheSameUndoSeveralTimesAtOnce(t *testing.T) {
	journals := t.TempDir()
	r := newRig(t, func(c *Config) { c.JournalDir = journals })
	for round := range 10 {
		r.outside("for i in $(seq 30); do echo old >f$i; done")
		r.must(Request{ID: "x", Command: "for i in $(seq 30); do echo new >f$i; done; rm f1 f2"})
		var done sync.WaitGroup
		errs := make([]error, 3)
		for i := range errs {
			done.Go(func() { _, _, errs[i] = OpenJournal(journals, []string{r.ws}).Undo("x", journal.Options{}) })
		}
		done.Wait()
		ok := 0
		for _, err := range errs {
			if err == nil {
				ok++
			} else if !errors.Is(err, ErrNothingKept) {
				t.Errorf("round %d: %v", round, err)
			}
		}
		for _, f := range []string{"f1", "f30"} {
			if text, err := os.ReadFile(filepath.Join(r.ws, f)); ok != 1 || string(text) != "old\n" {
				t.Fatalf("round %d: %d undone: %s is %q, %v", round, ok, f, text, err)
			}
		}
	}
}
