package sandbox

import (
	"reflect"
	"strings"
	"testing"
)

func TestRecordsOfGrants(t *testing.T) {
	for _, g := range []grantRecord{
		{sid: newSID()},
		{sid: newSID(), roots: []string{`C:\Users\a b\ws`, "C:\\strange\nname", `\\server\share`}},
	} {
		got, err := decodeGrants(g.encode())
		if err != nil || !reflect.DeepEqual(got, g) {
			t.Errorf("%+v became %+v, %v", g, got, err)
		}
	}
}

// A record is whole before anything is changed: whatever else is read has nothing
// to undo.
func TestARecordThatWasCutOffIsNone(t *testing.T) {
	whole := string(grantRecord{sid: newSID(), roots: []string{`C:\ws`, `D:\ws`}}.encode())
	for i := range len(whole) {
		if g, err := decodeGrants([]byte(whole[:i])); err == nil {
			t.Fatalf("%q is taken for %+v", whole[:i], g)
		}
	}
	for _, text := range []string{whole + "x", strings.Replace(whole, `"C:`, `C:`, 1), strings.Replace(whole, "grants 1", "grants 2", 1)} {
		if _, err := decodeGrants([]byte(text)); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestWhatIsGrantedOfAPolicy(t *testing.T) {
	p := Policy{Mode: WorkspaceWrite, Writable: []string{`C:\a`, `C:\b`}, Readable: []string{`C:\r`}, Caches: []string{`C:\c`}}
	if g := planGrants("own", p); !reflect.DeepEqual(g, grantRecord{"own", []string{`C:\a`, `C:\b`, `C:\c`}}) {
		t.Errorf("%+v", g)
	}
	p.Mode = ReadOnly
	if g := planGrants("own", p); !reflect.DeepEqual(g, grantRecord{"own", []string{`C:\c`}}) {
		t.Errorf("read-only: %+v", g)
	}
}

// Everything here keeps its rules. A link could lead out of the workspace; another
// name of a file may be in a package manager's store; somebody's label could not be
// restored.
func TestWhatStaysAsItIs(t *testing.T) {
	for _, c := range []struct {
		s    seen
		want string
	}{
		{seen{dir: true}, ""},
		{seen{rel: "main.go", names: 1}, ""},
		{seen{rel: "src", dir: true, names: 2}, ""},
		{seen{rel: "main.go", names: 2}, "hard link"},
		{seen{rel: "out", link: true, names: 1}, "link"},
		{seen{link: true, dir: true}, "link"},
		{seen{rel: "a", names: 1, labelled: true}, "label"},
		{seen{rel: "a", names: 1, labelled: true, ours: true}, ""},
		{seen{rel: "a", names: 1, open: true}, "no rules"},
		{seen{rel: ".git", dir: true}, ""},
		{seen{rel: ".git", names: 1}, "protected"}, // a worktree's pointer
		{seen{rel: "sub/.git/hooks", dir: true}, "protected"},
		{seen{rel: ".git/hooks/pre-commit", names: 1}, "protected"},
		{seen{rel: ".git/config", names: 1}, "protected"},
		{seen{rel: ".GIT/Config", names: 1}, "protected"},
		{seen{rel: ".git/index", names: 1}, ""},
		{seen{rel: ".git/objects", dir: true}, ""},
		{seen{rel: ".git/worktrees", dir: true}, ""},
		{seen{rel: ".vscode", dir: true}, "protected"},
		{seen{rel: ".VSCODE/tasks.json", names: 1}, "protected"},
		{seen{rel: "a.code-workspace", names: 1}, "protected"},
	} {
		if got := c.s.unmarked(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.s, got, c.want)
		}
	}
}

func TestARootMayBeTooLarge(t *testing.T) {
	if tooMany(200_000) != nil || tooMany(200_001) == nil {
		t.Error("200,000 files can be marked, and no more")
	}
}
