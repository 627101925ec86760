package sandbox

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/sandbox/wintoken"
)

// On a machine that keeps no rules nothing is enforced by default, and best effort
// says what is missing.
func TestTheSelfTestClaimsOnlyWhatItSaw(t *testing.T) {
	r := newRig(t, nil)
	e := r.s.Enforcement()
	f := r.m.whole.found.facts[WorkspaceWrite]
	if e.Available != true || f.Failure != nil || len(f.Refused) < 20 {
		t.Fatalf("%+v, %+v", e, f)
	}
	if f.Refused["tcp"] || f.Refused["read"] || e.Network == LevelEnforced || e.FSRead == LevelEnforced {
		t.Errorf("nothing of ours keeps these: %+v", f.Refused)
	}
	if !f.Refused["daemon"] {
		t.Error("the daemon was left")
	}
	for _, a := range assess.WindowsAttempts.Write {
		if !f.Refused[a] && e.FSWrite == LevelEnforced {
			t.Errorf("%s got through, and writes are said to be enforced", a)
		}
	}
	if _, err := r.m.Sandbox(Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate, Writable: []string{r.ws}}); err == nil {
		t.Error("the default policy was served")
	}
}

func TestTheNextStartRepairsWhatAKilledOneLeft(t *testing.T) {
	dir, ws := tempDir(t), tempDir(t)
	o := Options{StateDir: dir}
	base := sandboxBase(o)
	if err := os.MkdirAll(base, 0o700); err != nil {
		t.Fatal(err)
	}
	killed, lock, err := newPrivateDir(base)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeRecord(killed, wintoken.Record{SID: wintoken.NewSID(), Roots: []string{ws, filepath.Join(ws, "gone")}}); err != nil {
		t.Fatal(err)
	}
	_ = lock.Close()
	living, held, err := newPrivateDir(base)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	unlocked := filepath.Join(base, "unlocked")
	if err := os.MkdirAll(unlocked, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(unlocked, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := sweep(base); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{killed: false, living: true, unlocked: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(unlocked, old, old); err != nil {
		t.Fatal(err)
	}
	if err := sweep(base); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(unlocked); err == nil {
		t.Error("what was never locked stays")
	}
}
