package replay

import (
	"errors"
	"flag"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/test/needs"
)

var (
	update = flag.Bool("update", false, "rewrite ←= bodies and golden sections of the scenarios")
	all    = flag.Bool("all", false, "play every scenario in every way")
	times  = flag.Int("times", 1, "how often each scenario is played")
)

const scenarioDir = "../../testdata/rpc"

// way is one of the ways to play a conversation.
type way struct {
	variant string
	start   Start
	framing jsonrpc.Framing
	usual   func(*Scenario) bool // without -all only these
}

func ways(t *testing.T) []way {
	t.Helper()
	if testing.Short() {
		return []way{{"inprocess", InProcess, jsonrpc.FramingHeader, essential}}
	}
	every := func(*Scenario) bool { return true }
	if !*all && !needs.Everything() {
		// Each once, with the built program where it is about that.
		inProcess := func(s *Scenario) bool { return s.Runs(runtime.GOOS, "inprocess", jsonrpc.FramingHeader) }
		return []way{
			{"inprocess", InProcess, jsonrpc.FramingHeader, every},
			{"binary", Spawn(sidecar(t, plainBuild)), jsonrpc.FramingHeader, func(s *Scenario) bool { return !inProcess(s) }},
		}
	}
	binary := Spawn(sidecar(t, "-race"))
	return []way{
		{"inprocess", InProcess, jsonrpc.FramingHeader, every},
		{"binary", binary, jsonrpc.FramingHeader, every},
		{"inprocess", InProcess, jsonrpc.FramingLines, aboutTheWire},
		{"binary", binary, jsonrpc.FramingLines, aboutFraming},
	}
}

// essential are the scenarios of -short: one of each large subject.
func essential(s *Scenario) bool {
	return slices.Contains([]string{
		"01-init-report", "08-echo-stream", "10-exit-codes", "15-cancel-running", "28-guard-check", "31-sandbox-honest",
		"64-violations", "70-approval-accept", "80-saved", "85-commands", "90-settings-tighten", "100-network",
	}, s.Name)
}

// aboutTheWire are the first thirty kinds of scenarios. After them come features, to which
// all messages look alike.
func aboutTheWire(s *Scenario) bool { return s.Name < "31" }

// aboutFraming are the scenarios whose subject is how messages come.
func aboutFraming(s *Scenario) bool {
	return slices.ContainsFunc(s.Covers, func(id string) bool { return strings.HasPrefix(id, "FR-") })
}

// TestScenarios plays every conversation against a sidecar in this process and
// against the built program, with headers and with lines. They wait more than they
// compute, so all of a way run side by side; the leak check comes when the last
// one is done. What a way leaves out is played by -args -all.
func TestScenarios(t *testing.T) {
	for _, w := range ways(t) {
		t.Run(w.variant+"-"+string(w.framing), func(t *testing.T) {
			noLeaks(t)
			for _, s := range scenarios(t) {
				if !s.Runs(runtime.GOOS, w.variant, w.framing) || !*all && !w.usual(s) {
					continue
				}
				t.Run(s.Name, func(t *testing.T) {
					if !s.Alone {
						t.Parallel()
					}
					for range *times {
						playScenario(t, s, w)
					}
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
		s.Timeout = max(s.Timeout, 5*time.Minute) // many at a time, on a machine that may stall
		out = append(out, s)
	}
	return out
}

func playScenario(t *testing.T, s *Scenario, w way) {
	t.Helper()
	err := Run(t.Context(), s, Options{
		Start: w.start, Framing: w.framing, Root: t.TempDir(), Parent: Parent, Update: *update, Check: published(t),
	})
	var unmet *Unmet
	switch {
	case errors.As(err, &unmet):
		needs.Missing(t, unmet.Need, unmet.Reason)
	case err != nil:
		t.Error(err)
	}
}
