package sandbox

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
)

func TestAReportIsRecalledOnTheSameMachineOnly(t *testing.T) {
	o := Options{StateDir: t.TempDir()}
	m, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if m.known {
		t.Fatal("a first start recalled something")
	}
	fresh := m.Report()
	again, ok := loadLast(o)
	if ok != (machineKey() != "") {
		t.Fatalf("recalled: %v", ok)
	}
	if !ok {
		return // a platform without a self-test remembers nothing
	}
	fresh.ProbedAt = again.report.ProbedAt
	if d := cmp.Diff(fresh, again.report); d != "" {
		t.Error(d)
	}
	if g := m.whole.found.group; again.found.group != g {
		t.Errorf("group %q, recalled %q", g, again.found.group)
	}
	if _, ok := loadLast(Options{StateDir: o.StateDir, Program: "-other"}); ok {
		t.Error("another program recalled it")
	}
	b, err := os.ReadFile(lastTestPath(o))
	if err != nil {
		t.Fatal(err)
	}
	key := machineKey()
	for what, text := range map[string]string{
		"another boot": strings.Replace(string(b), key, strings.Repeat("x", len(key)), 1), "nothing": "", "half": string(b[:len(b)/2]),
		"cut off": string(b[:len(b)-1]), "no time": strings.Replace(string(b), again.report.ProbedAt.Format("2006-"), "?006-", 1),
	} {
		if err := os.WriteFile(lastTestPath(o), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := loadLast(o); ok && text != string(b) {
			t.Errorf("%s was recalled", what)
		}
	}
}

// A self-test that is put off comes all the same: on request, when a command needs it, and
// in any case.
func TestASelfTestThatMayComeLaterComes(t *testing.T) {
	o := Options{StateDir: t.TempDir(), Later: true}
	first, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if first.known {
		t.Fatal("a first start recalled something")
	}
	first.Report() // waits, for nothing is known
	first.Close()
	for name, wake := range map[string]func(*Manager){
		"told to":     func(m *Manager) { m.Begin(); m.Begin() },
		"needed":      func(m *Manager) { _, _ = m.Assess(Policy{Mode: WorkspaceWrite}) },
		"in any case": func(*Manager) {},
	} {
		m, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		if m.known != (machineKey() != "") || m.known && m.whole.over.Load() {
			t.Errorf("%s: known %v, tested %v", name, m.known, m.whole.over.Load())
		}
		wake(m)
		for end := time.Now().Add(time.Minute); !m.whole.over.Load(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: it did not come", name)
			}
		}
		m.Close()
	}
}

// What was remembered decides nothing: a command waits for this run's own test.
func TestCommandsWaitForTheFreshTest(t *testing.T) {
	m := &Manager{opts: Options{StateDir: t.TempDir()}, known: true, last: lastTest{report: Report{Rung: "remembered"}}}
	m.whole.found, m.whole.tested = findings{facts: map[Mode]assess.Facts{WorkspaceWrite: {Failure: &Missing{Feature: "landlock", Reason: "gone"}}}}, true
	if r := m.Report(); r.Rung != "remembered" {
		t.Errorf("report %+v", r)
	}
	if _, err := m.Assess(Policy{Mode: WorkspaceWrite, Network: NetworkDeny}); err == nil {
		t.Error("the remembered report let a command through")
	}
}
