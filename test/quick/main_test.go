package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/needs"
)

// Whichever package ends last says what was not tested.
func TestMain(m *testing.M) { os.Exit(needs.M{M: m}.Run()) }

var some = []pkg{
	{"", []string{"rpc"}, nil},
	{"guard", nil, []string{"test/long"}},
	{"executor", []string{"guard"}, nil},
	{"rpc", []string{"executor"}, nil},
	{"test/bench", nil, []string{"rpc"}},
	{"sandbox", nil, nil},
	{"test/long", nil, nil},
}

func chosen(c change) string {
	var names []string
	for _, p := range some {
		if c.touched[p.path] || c.importers[p.path] {
			names = append(names, "./"+p.path)
		}
	}
	return strings.Join(names, " ")
}

func TestWhatImportsAChangeIsTested(t *testing.T) {
	for file, want := range map[string]string{
		"executor/exec.go":        "./ ./executor ./rpc ./test/bench",
		"sandbox/run_test.go":     "./sandbox",
		"sandbox/testdata/x/y.sb": "./sandbox",
		"test/long/long.go":       "./guard ./test/long",
		"rpc/doc.md":              "./rpc",
		"main.go":                 "./",
	} {
		if got := chosen(changes([]string{file}, some)); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	c := changes([]string{"README.md", "testdata/rpc/01.rpc.txtar", "editors/nvim/lua/pillion/x.lua"}, some)
	for _, want := range []string{"test/arch", "test/pages", "rpc/replay", "rpc/protocol/generate"} {
		if !c.touched[want] {
			t.Errorf("%s does not run", want)
		}
	}
}

func TestTheSlowestTestsAreLeftOut(t *testing.T) {
	times := map[string]float64{"TestA": 0.5, "TestB": 1, "TestC": 2, "TestD": 4}
	must := func(test string) bool { return test == "TestD" }
	if left := leftOut(times, 6, must); !slices.Equal(left, []string{"TestC"}) {
		t.Errorf("%q", left)
	}
	if left := leftOut(times, 8, must); left != nil {
		t.Errorf("%q", left)
	}
}

func TestSubtestsSideBySideCountHalfAndOtherRunsWhole(t *testing.T) {
	got := secondsOf("--- PASS: TestA (0.00s)\n    --- PASS: TestA/x_y (3.00s)\n        --- PASS: TestA/x_y/z (3.00s)\n    --- FAIL: TestA/b (1.00s)\n--- PASS: TestB (0.70s)\n    --- PASS: TestB (4.00s) as uid=0, elsewhere\n")
	if len(got) != 2 || got["TestA"] != 2 || got["TestB"] != 4.7 {
		t.Errorf("%v", got)
	}
}

func TestTheTimesAreWellFormed(t *testing.T) {
	times, err := readTimes()
	if err != nil || len(times["executor"]) == 0 {
		t.Errorf("%d tests of executor, %v", len(times["executor"]), err)
	}
}

// A test in the file of what changed is never left out.
func TestTheTestsOfAFile(t *testing.T) {
	for _, file := range []string{"times.go", "main.go", "main_test.go"} {
		got := testsOf(file)
		if named := slices.Contains(got, "TestTheTestsOfAFile"); named != strings.HasPrefix(file, "main") {
			t.Errorf("%s: %q", file, got)
		}
	}
}

func TestAChangedFixtureRunsWhole(t *testing.T) {
	t.Chdir("../..")
	calls := fixtureTests([]string{"testdata/cli/exec.txt", "testdata/rpc/10-exit-codes.rpc.txtar", "testdata/rpc/01-init-report.rpc.txtar", "testdata/rpc/gone.rpc.txtar", "README.md"})
	if len(calls) != 2 || calls[0][3] != "^TestScenarios$/^inprocess-header$/^(10-exit-codes|01-init-report)$" || calls[1][3] != "^TestScripts$/^(exec)$" {
		t.Errorf("%q", calls)
	}
}

func TestADistantImporterIsOnlyVetted(t *testing.T) {
	c := changes([]string{"guard/check.go"}, some) // executor imports it
	for _, p := range some {
		if want := p.path == "rpc" || p.path == "test/bench" || p.path == ""; c.importers[p.path] && !c.touched[p.path] && c.distant(p) != want {
			t.Errorf("%q is distant: %v", p.path, !want)
		}
	}
}
