package wintoken

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

func TestRecordsOfGrants(t *testing.T) {
	for _, g := range []Record{
		{SID: NewSID()},
		{SID: NewSID(), Roots: []string{`C:\Users\a b\ws`, "C:\\strange\nname", `\\server\share`}},
	} {
		got, err := DecodeRecord(g.Encode())
		if err != nil || !reflect.DeepEqual(got, g) {
			t.Errorf("%+v became %+v, %v", g, got, err)
		}
	}
}

// A record is whole before anything is changed: whatever else is read has nothing
// to undo.
func TestARecordThatWasCutOffIsNone(t *testing.T) {
	whole := string(Record{SID: NewSID(), Roots: []string{`C:\ws`, `D:\ws`}}.Encode())
	for i := range len(whole) {
		if g, err := DecodeRecord([]byte(whole[:i])); err == nil {
			t.Fatalf("%q is taken for %+v", whole[:i], g)
		}
	}
	for _, text := range []string{whole + "x", "x" + whole, strings.Replace(whole, `C:`, `C`, 1), strings.Replace(whole, "grants 2", "grants 1", 1)} {
		if _, err := DecodeRecord([]byte(text)); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestWhatIsGrantedOfAPolicy(t *testing.T) {
	p := policy.Policy{Mode: policy.WorkspaceWrite, Writable: []string{`C:\a`, `C:\b`}, Readable: []string{`C:\r`}, Caches: []string{`C:\c`}}
	if g := PlanGrants("own", p); !reflect.DeepEqual(g, Record{"own", []string{`C:\a`, `C:\b`, `C:\c`}}) {
		t.Errorf("%+v", g)
	}
	p.Mode = policy.ReadOnly
	if g := PlanGrants("own", p); !reflect.DeepEqual(g, Record{"own", []string{`C:\c`}}) {
		t.Errorf("read-only: %+v", g)
	}
}

// Everything here keeps its rules. A link could lead out of the workspace; another name of
// a file may be in a package manager's store; another program's label could not be
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
