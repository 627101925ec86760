package sandbox

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The self-test takes some ten milliseconds, most of an editor's start. Its last
// outcome is kept so that initialize can be answered while the new one runs. It
// decides nothing: commands wait for the new one.

func recallPath(o Options) string { return filepath.Join(o.StateDir, "self-test"+o.Program) }

// remember keeps a successful test; a failed one is worth repeating.
func remember(o Options, got survey, at time.Time) {
	key := machineKey()
	if key == "" || got.rung == RungNone {
		_ = os.Remove(recallPath(o))
		return
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n%s\n%s\n%q\n", key, at.Format(time.RFC3339Nano), got.rung, got.group)
	for _, m := range got.missed {
		fmt.Fprintf(&b, "%s %q %q %q\n", recallMissed, m.Feature, m.Reason, m.Hint)
	}
	for mode, f := range got.facts {
		fmt.Fprintf(&b, "%s = %s\n", mode, strings.Join(f.backend, " "))
		for attempt, refused := range f.refused {
			if refused {
				fmt.Fprintf(&b, "%s %s\n", mode, attempt)
			}
		}
	}
	b.WriteString(recallEnd + "\n")
	_ = os.WriteFile(recallPath(o), b.Bytes(), 0o600) // without it the next start waits for its test, no more
}

// recallEnd closes the file: one that another sidecar is just writing, or that
// was cut off, has no such line.
const recallEnd = "end"

// recallMissed begins the line of a rung that this machine does not give.
const recallMissed = "missed"

// recalled is the outcome of the last test.
type recalled struct {
	survey survey
	report Report
}

// recall reads the last test's outcome, if it still describes this machine.
func recall(o Options) (recalled, bool) {
	b, err := os.ReadFile(recallPath(o))
	if err != nil {
		return recalled{}, false
	}
	sc := bufio.NewScanner(bytes.NewReader(b))
	if !sc.Scan() || sc.Text() != machineKey() || !sc.Scan() {
		return recalled{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, sc.Text())
	if err != nil {
		return recalled{}, false
	}
	if !sc.Scan() {
		return recalled{}, false
	}
	got := survey{rung: sc.Text(), facts: map[Mode]facts{}}
	if !sc.Scan() {
		return recalled{}, false
	}
	if got.group, err = strconv.Unquote(sc.Text()); err != nil {
		return recalled{}, false
	}
	for sc.Scan() && sc.Text() != recallEnd {
		mode, rest, ok := strings.Cut(sc.Text(), " ")
		if !ok {
			return recalled{}, false
		}
		if mode == recallMissed {
			var m Missing
			if _, err := fmt.Sscanf(rest, "%q %q %q", &m.Feature, &m.Reason, &m.Hint); err != nil {
				return recalled{}, false
			}
			got.missed = append(got.missed, m)
			continue
		}
		f := got.facts[Mode(mode)]
		f.rung = got.rung
		if f.refused == nil {
			f.refused = map[string]bool{}
		}
		if backend, ok := strings.CutPrefix(rest, "= "); ok {
			f.backend = strings.Fields(backend)
		} else {
			f.refused[rest] = true
		}
		got.facts[Mode(mode)] = f
	}
	return recalled{got, newReport(got, at)}, sc.Text() == recallEnd
}
