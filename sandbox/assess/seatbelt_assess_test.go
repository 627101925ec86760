package assess

import (
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

var macDefault = policy.Policy{Mode: policy.WorkspaceWrite, Network: policy.NetworkDeny, Reads: policy.ReadsPrivate, Require: policy.RequireEnforced}

// A stray is confined on a Mac and nowhere else, and it is named.
func TestAStrayIsAcceptedOnlyWhereItStaysConfined(t *testing.T) {
	f := SeatbeltFacts()
	delete(f.Refused, AttemptOrphan)
	e := Of(macDefault, f)
	if e.ProcessTree != policy.LevelPartial || !slices.ContainsFunc(e.Residual, func(r string) bool { return strings.Contains(r, "may outlive its command") }) {
		t.Errorf("%+v", e)
	}
	if m := Lacking(macDefault, e); len(m) != 0 {
		t.Errorf("missing %+v", m)
	}
	delete(f.Refused, "daemon")
	if m := Lacking(macDefault, Of(macDefault, f)); len(m) != 1 {
		t.Errorf("a daemon got through as well: missing %+v", m)
	}
	linux := allRefused()
	delete(linux.Refused, "daemon")
	if m := Lacking(macDefault, Of(macDefault, linux)); len(m) != 1 || m[0].Feature != "processTree" {
		t.Errorf("on Linux: missing %+v", m)
	}
}

func TestAMacIsNoFullRung(t *testing.T) {
	p := macDefault
	p.Rung = policy.RungFull
	if m := p.Below(policy.RungSeatbelt); len(m) != 1 || m[0].Feature != "rung" {
		t.Errorf("%+v", m)
	}
	p = macDefault
	p.Sockets = []string{"/private/tmp/agent"}
	if m := p.Unserved(policy.RungSeatbelt); len(m) != 0 {
		t.Errorf("a socket can be granted by its path: %+v", m)
	}
	if e := Of(p, SeatbeltFacts()); !slices.ContainsFunc(e.Residual, func(r string) bool { return strings.Contains(r, "connect to /private/tmp/agent") }) {
		t.Errorf("%+v", e.Residual)
	}
}

func TestOffOwnsTheTreeAndNothingElse(t *testing.T) {
	p := policy.Policy{Mode: policy.Off, Network: policy.NetworkAllow}
	e := Of(p, Facts{Rung: policy.RungSeatbelt, Backend: []string{"kqueue"}})
	if !e.Available || e.FSWrite != policy.LevelNone || e.ProcessTree != policy.LevelPartial || !slices.Equal(e.Backend, []string{"kqueue"}) {
		t.Errorf("%+v", e)
	}
}
