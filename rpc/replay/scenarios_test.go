package replay

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite ←= bodies and golden sections of the scenarios")

const scenarioDir = "../../testdata/rpc"

// TestScenarios plays every conversation against a sidecar in this process and
// against the built program. They wait more than they compute, so all of a
// variant run side by side; the leak check comes when the last one is done.
func TestScenarios(t *testing.T) {
	for _, v := range []struct {
		name  string
		start Start
	}{
		{"inprocess", InProcess},
		{"binary", spawner(sidecar(t, "-race"))},
	} {
		t.Run(v.name, func(t *testing.T) {
			noLeaks(t)
			for _, s := range scenarios(t) {
				t.Run(s.Name, func(t *testing.T) {
					if !s.Runs(runtime.GOOS, v.name) {
						t.Skipf("meant for %v %v", s.GOOS, s.Variants)
					}
					if !s.Alone {
						t.Parallel()
					}
					playScenario(t, s, v.start)
				})
			}
		})
	}
}

func scenarios(t *testing.T) []*Scenario {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(scenarioDir, "*.rpc.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	var out []*Scenario
	for _, file := range files {
		s, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		if s.Title == "" || len(s.Covers) == 0 {
			t.Errorf("%s: no title or no covers", file)
		}
		out = append(out, s)
	}
	return out
}

func playScenario(t *testing.T, s *Scenario, start Start) {
	t.Helper()
	err := Run(t.Context(), s, Options{Start: start, Root: t.TempDir(), Parent: parent, Update: *update, Check: published(t)})
	var unmet *Unmet
	switch {
	case errors.As(err, &unmet) && required(unmet.Need):
		t.Errorf("PILLION_REQUIRE: %v", err)
	case errors.As(err, &unmet):
		t.Skip(err)
	case err != nil:
		t.Error(err)
	}
}

// required reports whether a missing need is a failure here: a machine that is
// meant to have it must not pass by skipping.
func required(need string) bool {
	for _, r := range strings.Split(os.Getenv("PILLION_REQUIRE"), ",") {
		if r == need || strings.HasPrefix(need, r+":") {
			return true
		}
	}
	return false
}
