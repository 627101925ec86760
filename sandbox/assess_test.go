package sandbox

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func allRefused() facts {
	f := facts{backend: []string{"landlock"}, refused: map[string]bool{}}
	for _, list := range [][]string{attemptsWrite, attemptsRead, attemptsNetwork, attemptsTree, attemptsIPC, attemptsKernel} {
		for _, a := range list {
			f.refused[a] = true
		}
	}
	return f
}

// One attempt that gets through takes its guarantee away, and with it every
// policy that needs it.
func TestOneEscapeMakesItsGuaranteePartial(t *testing.T) {
	base := Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate}
	for attempt, feature := range map[string]string{
		"chmod": "fsWrite", "read": "fsRead", "udp": "network", "signalThread": "processTree", "daemon": "processTree", "userns": "fsWrite",
	} {
		f := allRefused()
		f.refused[attempt] = false
		missing := base.missing(assess(base, f))
		if len(missing) != 1 || missing[0].Feature != feature {
			t.Errorf("%s got through: missing %+v, want %s", attempt, missing, feature)
		}
	}
	if m := base.missing(assess(base, allRefused())); len(m) != 0 {
		t.Errorf("nothing got through, yet missing %+v", m)
	}
}

func TestOnlyWhatWasAskedIsRequired(t *testing.T) {
	f := allRefused()
	f.refused["udp"], f.refused["read"], f.refused["shm"] = false, false, false
	for _, p := range []Policy{
		{Mode: ReadOnly, Network: NetworkAllow, Reads: ReadsAll},
		{Mode: Off, Network: NetworkDeny, Reads: ReadsPrivate},
	} {
		if m := p.missing(assess(p, f)); len(m) != 0 {
			t.Errorf("%+v: missing %+v", p, m)
		}
	}
}

func TestAnUnavailableSandboxSaysWhatIsMissing(t *testing.T) {
	m := &Manager{whole: trial{survey: survey{facts: map[Mode]facts{WorkspaceWrite: {failure: &Missing{Feature: "landlock", Reason: "ABI 0", Hint: "a newer kernel"}}}}}}
	m.whole.tested = true
	for _, require := range []Require{RequireEnforced, RequireBestEffort} {
		_, err := m.Sandbox(Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Require: require})
		var u *UnavailableError
		if !errors.As(err, &u) || !strings.Contains(err.Error(), "landlock: ABI 0 (a newer kernel)") {
			t.Errorf("%s: %v", require, err)
		}
	}
}

func TestBestEffortRunsWithWhatThereIs(t *testing.T) {
	f := allRefused()
	f.refused["udp"] = false
	m := &Manager{whole: trial{survey: survey{facts: map[Mode]facts{WorkspaceWrite: f}}}}
	m.whole.tested = true
	p := Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Require: RequireBestEffort}
	e, err := m.Assess(p)
	if err != nil || e.Network != LevelPartial {
		t.Errorf("network %s, error %v", e.Network, err)
	}
	p.Require = RequireEnforced
	if _, err := m.Assess(p); err == nil {
		t.Error("enforced was asked, partial was given")
	}
}

func TestPolicyPathsMustBeAbsoluteAndClean(t *testing.T) {
	for _, d := range []string{"rel", "/a/../b", "/a/", ""} {
		p := Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Writable: []string{d}}
		if p.validate() == nil {
			t.Errorf("%q was accepted", d)
		}
		p.Writable, p.Caches = nil, []string{d}
		if p.validate() == nil {
			t.Errorf("%q was accepted for a cache", d)
		}
	}
}

func TestHomeFilesLieInTheHome(t *testing.T) {
	for path, good := range map[string]bool{".gitconfig": true, ".config/git/ignore": true, "../x": false, "/etc/x": false, "": false, "a/../../x": false} {
		p := Policy{Mode: WorkspaceWrite, Network: NetworkDeny, HomeFiles: []HomeFile{{Path: path}}}
		if (p.validate() == nil) != good {
			t.Errorf("%q: accepted %v", path, !good)
		}
	}
}

func TestCachesAreWritableInEveryMode(t *testing.T) {
	for _, mode := range []Mode{ReadOnly, WorkspaceWrite} {
		c := conf{rung: RungNoUserns, policy: Policy{Mode: mode, Caches: []string{"/c"}}, home: "/h", tmp: "/t"}
		_, private := c.roots()
		if !slices.Contains(c.rules(nil), rule{"/c", accessWrite}) || !slices.Contains(private, "/c") {
			t.Errorf("%s: %v, %v", mode, c.rules(nil), private)
		}
	}
}

func TestPolicyKeyTellsEveryFieldApart(t *testing.T) {
	seen := map[string]Policy{}
	for _, p := range []Policy{
		{},
		{Mode: ReadOnly},
		{Mode: WorkspaceWrite},
		{Network: NetworkAllow},
		{Reads: ReadsAll},
		{Require: RequireBestEffort},
		{Writable: []string{"/a", "/b"}},
		{Writable: []string{"/a /b"}},
		{Readable: []string{"/a"}},
		{Writable: []string{"/a"}},
		{Name: "x"},
		{Caches: []string{"/a"}},
		{Sockets: []string{"/a"}},
		{HomeFiles: []HomeFile{{Path: "a"}}},
		{HomeFiles: []HomeFile{{Text: "a"}}},
	} {
		if old, ok := seen[p.Key()]; ok {
			t.Errorf("%+v and %+v share a sandbox", old, p)
		}
		seen[p.Key()] = p
	}
}

// What somebody adds to a policy one day must not be forgotten in its key.
func TestPolicyKeyHasEveryMember(t *testing.T) {
	set := func(v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			v.SetString("x")
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		default:
			v.SetInt(7)
		}
	}
	limits := reflect.TypeFor[Limits]()
	for i := range limits.NumField() {
		p := Policy{}
		set(reflect.ValueOf(&p.Limits).Elem().Field(i))
		if p.Key() == (Policy{}).Key() {
			t.Error(limits.Field(i).Name)
		}
	}
	for f := range reflect.TypeFor[Policy]().Fields() {
		p := Policy{}
		v := reflect.ValueOf(&p).Elem().FieldByIndex(f.Index)
		if f.Type == limits {
			continue
		}
		if set(v); p.Key() == (Policy{}).Key() {
			t.Error(f.Name)
		}
	}
}

func TestRulesGiveWritesOnlyInWriteMode(t *testing.T) {
	p := Policy{Mode: ReadOnly, Writable: []string{"/ws"}}
	for _, r := range (conf{rung: RungNoUserns, policy: p, home: "/h", tmp: "/t"}).rules(nil) {
		if r.access == accessWrite && r.path != "/h" && r.path != "/t" {
			t.Errorf("read-only grants writes to %s", r.path)
		}
	}
	p.Mode = WorkspaceWrite
	granted := false
	for _, r := range (conf{rung: RungNoUserns, policy: p, home: "/h", tmp: "/t"}).rules(nil) {
		granted = granted || r == rule{"/ws", accessWrite}
	}
	if !granted {
		t.Error("workspace-write grants no write to the workspace")
	}
}
