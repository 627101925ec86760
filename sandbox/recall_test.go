package sandbox

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	again, ok := recall(o)
	if ok != (machineKey() != "") {
		t.Fatalf("recalled: %v", ok)
	}
	if !ok {
		return // a platform without a self-test remembers nothing
	}
	fresh.ProbedAt = again.ProbedAt
	if d := cmp.Diff(fresh, again); d != "" {
		t.Error(d)
	}
	if _, ok := recall(Options{StateDir: o.StateDir, Program: "-other"}); ok {
		t.Error("another program recalled it")
	}
	b, err := os.ReadFile(recallPath(o))
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"another boot": "x" + string(b), "nothing": "", "half": strings.SplitAfter(string(b), "\n")[0],
		"cut off": strings.TrimSuffix(string(b), recallEnd+"\n"), "no time": strings.Replace(string(b), "T", "?", 1),
	} {
		if err := os.WriteFile(recallPath(o), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := recall(o); ok && text != string(b) {
			t.Errorf("%s was recalled", what)
		}
	}
}

// What was remembered decides nothing: a command waits for this run's own test.
func TestCommandsWaitForTheFreshTest(t *testing.T) {
	m := &Manager{opts: Options{StateDir: t.TempDir()}, known: true, recall: Report{Rung: "remembered"}}
	m.test.Do(func() {
		m.survey = survey{facts: map[Mode]facts{WorkspaceWrite: {failure: &Missing{Feature: "landlock", Reason: "gone"}}}}
	})
	if r := m.Report(); r.Rung != "remembered" {
		t.Errorf("report %+v", r)
	}
	if _, err := m.Assess(Policy{Mode: WorkspaceWrite, Network: NetworkDeny}); err == nil {
		t.Error("the remembered report let a command through")
	}
}
