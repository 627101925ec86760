package wintoken

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/windows"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// Wine takes every part of the token and keeps none of its rules, the integrity level
// included: whether it confines is what the self-test asks on the machine itself.
func TestATokenIsMadeForEveryRungNotVerifiedUnderWine(t *testing.T) {
	user, err := UserSID()
	if err != nil {
		t.Fatal(err)
	}
	for _, rung := range policy.WindowsRungs {
		token, err := MakeToken(PlanToken(rung, policy.Policy{Mode: policy.ReadOnly}, NewSID(), user))
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

// Wine turns access lists into permission bits and keeps no labels: the walk and the
// way back run there, what they write can be read on Windows only.
func TestGrantsAreTakenBackNotVerifiedUnderWine(t *testing.T) {
	ws, err := os.MkdirTemp("", "pillion-test-") // Wine lacks the calls of TempDir's end
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.RemoveTree(ws) })
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
	own, other := NewSID(), NewSID()
	for _, sid := range []string{own, other} {
		if err := Grant(ws, sid); err != nil {
			t.Fatal(err)
		}
	}
	for _, sid := range []string{own, other, own} { // once more changes nothing
		if err := Revoke(ws, sid); err != nil {
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

func TestTheFlagsOfJobsAreTheSystems(t *testing.T) {
	for name, pair := range map[string][2]uint32{
		"active process": {jobActiveProcess, windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS}, "job time": {jobTime, windows.JOB_OBJECT_LIMIT_JOB_TIME},
		"job memory": {jobMemory, windows.JOB_OBJECT_LIMIT_JOB_MEMORY}, "exception": {jobDieOnException, windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION},
		"close": {jobKillOnClose, windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %#x, the library says %#x", name, pair[0], pair[1])
		}
	}
}
