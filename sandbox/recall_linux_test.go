package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// recalling is a bench whose Manager takes a remembered test for its own.
func recalling(t *testing.T, change func(*lastTest)) *bench {
	t.Helper()
	b := reopened(t, Options{}, change)
	b.m.recalls.Store(true)
	return b
}

func TestARecentSelfTestServesAProcessOfOneCommand(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := reopened(t, Options{}, nil)
		b.m.Close()
		m, err := Open(Options{StateDir: b.m.opts.StateDir, Recall: true})
		must(t, err)
		defer m.Close()
		b.m = m
		if o := b.sh("echo fine"); o.out != "fine\n" {
			t.Errorf("%+v", o)
		}
		s, err := m.Sandbox(b.policy)
		must(t, err)
		tested := m.whole.over.Load() || m.brief.over.Load()
		// Where a filter or a tracer is between us and the kernel, each process tests.
		if tested == recallable() || m.recalls.Load() != recallable() || s.box.conf.Rung != m.last.found.rung {
			t.Errorf("tested %v; recalls %v, may %v", tested, m.recalls.Load(), recallable())
		}
		if m.Tested(); !m.whole.over.Load() {
			t.Error("who asks for a test gets none")
		}
	})
}

// What was remembered is of an hour ago, or of a time to come.
func TestAnOldSelfTestIsMadeAnew(t *testing.T) {
	for what, at := range map[string]time.Time{"old": time.Now().Add(-recallTime), "to come": time.Now().Add(time.Hour)} {
		b := reopened(t, Options{}, nil)
		b.m.Close()
		var kept keptTest
		text, err := os.ReadFile(lastTestPath(b.m.opts))
		must(t, err)
		must(t, wire.Decode(text, &kept))
		kept.At = at.Format(time.RFC3339Nano)
		must(t, os.WriteFile(lastTestPath(b.m.opts), wire.Encode(kept), 0o600))
		m, err := Open(Options{StateDir: b.m.opts.StateDir, Mode: WorkspaceWrite, Recall: true})
		must(t, err)
		defer m.Close()
		if _, err := m.Assess(b.policy); err != nil || m.recalls.Load() || recallable() && !m.whole.over.Load() {
			t.Errorf("%s: %v; recalls %v, tested %v", what, err, m.recalls.Load(), m.whole.over.Load())
		}
		if last, known := loadLast(m.opts); recallable() && (!known || !last.recent()) {
			t.Errorf("%s: the new one is not remembered: %v", what, last.report.ProbedAt)
		}
	}
}

// A step that worked when it was tested is refused now: only a test knows what there is.
func TestWhatARememberedTestPromisesAndIsRefusedIsTested(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		gone := func(r *lastTest) { r.found.group += "/gone" }
		b := recalling(t, gone)
		s, err := b.m.Sandbox(b.policy)
		must(t, err)
		if got := b.m.whole.found; !b.m.whole.over.Load() || s.box.conf.Rung != got.rung || s.box.group != "" != (got.group != "") {
			t.Errorf("tested %v; on %s in %q, the self-test found %+v", b.m.whole.over.Load(), s.box.conf.Rung, s.box.group, got)
		}
		b = recalling(t, gone) // and that test fails
		none := map[Mode]assess.Facts{WorkspaceWrite: {Failure: &Missing{Feature: "landlock", Reason: "gone"}}}
		b.m.whole.found, b.m.whole.tested = findings{rung: b.m.last.found.rung, facts: none}, true
		if s, err := b.m.Sandbox(b.policy); err == nil {
			t.Errorf("%+v", s)
		}
		b = recalling(t, func(r *lastTest) { r.found.facts = none })
		if _, err := b.m.Assess(b.policy); err != nil || !b.m.whole.over.Load() {
			t.Errorf("a machine that has become stronger: %v", err)
		}
	})
}

// TestTellsItsMachine is what the next test starts again, in other circumstances.
func TestTellsItsMachine(t *testing.T) {
	if path := os.Getenv("PILLION_TEST_MACHINE"); path != "" {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		must(t, err)
		defer f.Close()
		_, err = fmt.Fprintln(f, recallable(), machineKey())
		must(t, err)
	}
}

// What may change on the same boot, and decides what a sandbox can be, is no other
// circumstances' test: rights, namespaces, what an administrator allows in them. A filter
// or a tracer could pretend that the kernel had done something.
func TestASelfTestIsRememberedForItsCircumstancesOnly(t *testing.T) {
	needs.Namespaces(t)
	needs.Program(t, "unshare", "setpriv", "strace")
	out := filepath.Join(t.TempDir(), "out")
	tell := func(before ...string) string {
		t.Helper()
		argv := append(before, os.Args[0], "-test.run=^TestTellsItsMachine$")
		_ = os.Remove(out)
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = append(os.Environ(), "PILLION_TEST_MACHINE="+out)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", argv, err, text)
		}
		text, err := os.ReadFile(out)
		must(t, err)
		return string(text)
	}
	const allowed = "/proc/sys/user/max_user_namespaces"
	twice := tell("unshare", "-rm", "sh", "-c", "\"$@\" && echo 0 > "+allowed+" && \"$@\"", "sh")
	if lines := strings.Split(twice, "\n"); len(lines) != 3 || lines[0] == lines[1] {
		t.Errorf("no more user namespaces: %q", lines)
	}
	usual := tell()
	if again := tell(); again != usual {
		t.Fatalf("the same circumstances\n%s\n%s", usual, again)
	}
	for _, before := range [][]string{
		{"setpriv", "--no-new-privs"},
		{"unshare", "-rm"},
		{"strace", "-qq", "-o", os.DevNull, "-e", "trace=none"},
	} {
		switch got := tell(before...); {
		case before[0] == "strace" && strings.HasPrefix(got, "true"):
			t.Error("a tracer may answer for the kernel")
		case before[0] != "strace" && got == usual:
			t.Errorf("%q changes nothing", before)
		}
	}
}
