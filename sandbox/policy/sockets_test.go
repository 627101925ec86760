package policy

import (
	"slices"
	"strings"
	"testing"
)

// Best effort runs without the sockets and says so.
func TestSocketsNeedAMountNamespace(t *testing.T) {
	p := Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Sockets: []string{"/run/agent"}}
	for _, tc := range []struct {
		rung    string
		mode    Mode
		require Require
		refused bool
	}{
		{RungFull, WorkspaceWrite, "", false},
		{RungNoLandlock, ReadOnly, "", false},
		{RungNoUserns, WorkspaceWrite, "", true},
		{RungNoUserns, ReadOnly, RequireEnforced, true},
		{RungNoUserns, WorkspaceWrite, RequireBestEffort, false},
		{RungNoUserns, Off, "", false},
	} {
		p.Mode, p.Require = tc.mode, tc.require
		if m := p.Unserved(tc.rung); (len(m) == 1) != tc.refused || tc.refused && (m[0].Feature != "sockets" || m[0].Hint == "") {
			t.Errorf("%+v: %+v", tc, m)
		}
	}
}

func TestSocketPathsAreOnesThatCanBeConnectedTo(t *testing.T) {
	long := "/" + strings.Repeat("s", maxSocketPath)
	for _, bad := range [][]string{{"agent"}, {""}, {"/run/../x"}, {"/run/"}, {long}, slices.Repeat([]string{"/run/x"}, maxSockets+1)} {
		m := (Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Sockets: bad}).Validate()
		if m == nil || m.Feature != "sockets" {
			t.Errorf("%q: %+v", bad, m)
		}
	}
	good := Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Sockets: []string{long[:maxSocketPath], "/run/a"}}
	if m := good.Validate(); m != nil {
		t.Errorf("%+v", m)
	}
}

// An agent for ssh keys that others could reach as well is refused, also with best effort.
func TestKeysNeedAMountNamespace(t *testing.T) {
	for _, p := range []Policy{{Mode: WorkspaceWrite, Keys: "x"}, {Mode: ReadOnly, Keys: "x", Require: RequireBestEffort}} {
		for _, rung := range slices.Concat(rungs, WindowsRungs) {
			m := p.Unserved(rung)
			if held := GrantsSockets(rung); (len(m) == 0) != held || !held && (m[0].Feature != "ssh" || m[0].Hint == "") {
				t.Errorf("%s: %+v", rung, m)
			}
		}
	}
}
