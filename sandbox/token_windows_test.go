package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// Wine takes every part of the token and keeps none of its rules, the integrity level
// included: whether it confines is what the self-test asks on the machine itself.
func TestATokenIsMadeForEveryRungNotVerifiedUnderWine(t *testing.T) {
	user, err := userSID()
	if err != nil {
		t.Fatal(err)
	}
	for _, rung := range windowsRungs {
		token, err := makeToken(planToken(rung, Policy{Mode: ReadOnly}, newSID(), user))
		if err != nil {
			t.Errorf("%s: %v", rung, err)
			continue
		}
		u, err := token.GetTokenUser()
		if err != nil || u.User.Sid.String() != user {
			t.Errorf("%s: %v", rung, err)
		}
		groups, err := token.GetTokenGroups()
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range groups.AllGroups() {
			if slices.Contains(adminGroups, g.Sid.String()) && g.Attributes&windows.SE_GROUP_USE_FOR_DENY_ONLY == 0 {
				t.Errorf("%s: %s counts", rung, g.Sid)
			}
		}
		if err := token.Close(); err != nil {
			t.Error(err)
		}
	}
}

// On a machine that keeps no rules nothing is enforced by default, and best effort
// says what is missing.
func TestTheSelfTestClaimsOnlyWhatItSaw(t *testing.T) {
	r := newRig(t, nil)
	e := r.s.Enforcement()
	f := r.m.whole.survey.facts[WorkspaceWrite]
	if e.Available != true || f.failure != nil || len(f.refused) < 20 {
		t.Fatalf("%+v, %+v", e, f)
	}
	if f.refused["tcp"] || f.refused["read"] || e.Network == LevelEnforced || e.FSRead == LevelEnforced {
		t.Errorf("nothing of ours keeps these: %+v", f.refused)
	}
	if !f.refused["daemon"] {
		t.Error("the daemon was left")
	}
	for _, a := range windowsAttempts.write {
		if !f.refused[a] && e.FSWrite == LevelEnforced {
			t.Errorf("%s got through, and writes are said to be enforced", a)
		}
	}
	if _, err := r.m.Sandbox(Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate, Writable: []string{r.ws}}); err == nil {
		t.Error("the default policy was served")
	}
}

// Wine turns access lists into permission bits and keeps no labels: the walk and the
// way back run there, what they write can be read on Windows only.
func TestGrantsAreTakenBackNotVerifiedUnderWine(t *testing.T) {
	ws := tempDir(t)
	for _, name := range []string{"a.txt", "src/b.txt", ".git/hooks/pre-commit", ".git/index"} {
		path := filepath.Join(ws, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := describe(t, ws)
	own, other := newSID(), newSID()
	for _, sid := range []string{own, other} {
		if err := grant(ws, sid); err != nil {
			t.Fatal(err)
		}
	}
	for _, sid := range []string{own, other, own} { // once more changes nothing
		if err := revoke(ws, sid); err != nil {
			t.Fatal(err)
		}
	}
	if after := describe(t, ws); !bytes.Equal(before, after) {
		t.Errorf("%s\n\n%s", before, after)
	}
}

// describe is the access lists and labels of everything below a directory.
func describe(t *testing.T, root string) []byte {
	t.Helper()
	var b bytes.Buffer
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION|windows.LABEL_SECURITY_INFORMATION)
		if err == nil {
			b.WriteString(path + " " + sd.String() + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
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
	if err := writeRecord(killed, grantRecord{sid: newSID(), roots: []string{ws, filepath.Join(ws, "gone")}}); err != nil {
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
