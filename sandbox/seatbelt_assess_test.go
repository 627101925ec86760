package sandbox

import (
	"slices"
	"strings"
	"testing"
)

var macDefault = Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate, Require: RequireEnforced}

func TestAHealthyMacEnforcesTheDefault(t *testing.T) {
	e := assess(macDefault, seatbeltFacts())
	if e.FSWrite != LevelEnforced || e.FSRead != LevelEnforced || e.Network != LevelEnforced || e.ProcessTree != LevelEnforced || e.IPC != LevelPartial || e.ViolationReports {
		t.Errorf("%+v", e)
	}
	if m := macDefault.missing(e); len(m) != 0 {
		t.Errorf("missing %+v", m)
	}
	environments := func(r string) bool { return strings.Contains(r, "environments of your other programs") }
	if !slices.ContainsFunc(e.Residual, environments) {
		t.Errorf("what no profile can deny is not named: %v", e.Residual)
	}
	better := seatbeltFacts()
	better.refused[attemptEnviron] = true
	if e := assess(macDefault, better); e.IPC != LevelEnforced || slices.ContainsFunc(e.Residual, environments) {
		t.Errorf("%+v", e)
	}
	if m := shortfall(RungSeatbelt, seatbeltFacts()); m != nil {
		t.Errorf("%+v", m)
	}
}

// Each attempt that gets through costs its guarantee, and with it the default.
func TestOneEscapeOnAMacRefusesTheDefault(t *testing.T) {
	for attempt, feature := range map[string]string{
		"write": "fsWrite", "protectedLink": "fsWrite", "protectedSwap": "fsWrite", "read": "fsRead", "tcp": "network", "udp": "network",
		"signal": "processTree", "daemon": "processTree", "setuid": "processTree",
	} {
		f := seatbeltFacts()
		delete(f.refused, attempt)
		if m := macDefault.missing(assess(macDefault, f)); len(m) != 1 || m[0].Feature != feature {
			t.Errorf("%s got through: missing %+v, want %s", attempt, m, feature)
		}
		if m := shortfall(RungSeatbelt, f); m == nil || !strings.Contains(m.Reason, attempt) {
			t.Errorf("%s got through: %+v", attempt, m)
		}
	}
}

// A stray is confined on a Mac and nowhere else, and it is named.
func TestAStrayIsAcceptedOnlyWhereItStaysConfined(t *testing.T) {
	f := seatbeltFacts()
	delete(f.refused, attemptOrphan)
	e := assess(macDefault, f)
	if e.ProcessTree != LevelPartial || !slices.ContainsFunc(e.Residual, func(r string) bool { return strings.Contains(r, "may outlive its command") }) {
		t.Errorf("%+v", e)
	}
	if m := macDefault.missing(e); len(m) != 0 {
		t.Errorf("missing %+v", m)
	}
	delete(f.refused, "daemon")
	if m := macDefault.missing(assess(macDefault, f)); len(m) != 1 {
		t.Errorf("a daemon got through as well: missing %+v", m)
	}
	linux := allRefused()
	delete(linux.refused, "daemon")
	if m := macDefault.missing(assess(macDefault, linux)); len(m) != 1 || m[0].Feature != "processTree" {
		t.Errorf("on Linux: missing %+v", m)
	}
}

func TestAMacIsNoFullRung(t *testing.T) {
	p := macDefault
	p.Rung = RungFull
	if m := p.below(RungSeatbelt); len(m) != 1 || m[0].Feature != "rung" {
		t.Errorf("%+v", m)
	}
	p = macDefault
	p.Sockets = []string{"/private/tmp/agent"}
	if m := p.unserved(RungSeatbelt); len(m) != 0 {
		t.Errorf("a socket can be granted by its path: %+v", m)
	}
	if e := assess(p, seatbeltFacts()); !slices.ContainsFunc(e.Residual, func(r string) bool { return strings.Contains(r, "connect to /private/tmp/agent") }) {
		t.Errorf("%+v", e.Residual)
	}
}

func TestOffOwnsTheTreeAndNothingElse(t *testing.T) {
	p := Policy{Mode: Off, Network: NetworkAllow}
	e := assess(p, facts{rung: RungSeatbelt, backend: []string{"kqueue"}})
	if !e.Available || e.FSWrite != LevelNone || e.ProcessTree != LevelPartial || !slices.Equal(e.Backend, []string{"kqueue"}) {
		t.Errorf("%+v", e)
	}
}
