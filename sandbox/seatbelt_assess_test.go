package sandbox

import (
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

var macDefault = policy.Policy{Mode: policy.WorkspaceWrite, Network: policy.NetworkDeny, Reads: policy.ReadsPrivate, Require: policy.RequireEnforced}

func TestAHealthyMacEnforcesTheDefault(t *testing.T) {
	e := assess.Of(macDefault, assess.SeatbeltFacts())
	if e.FSWrite != policy.LevelEnforced || e.FSRead != policy.LevelEnforced || e.Network != policy.LevelEnforced || e.ProcessTree != policy.LevelEnforced || e.IPC != policy.LevelPartial || e.ViolationReports {
		t.Errorf("%+v", e)
	}
	if m := assess.Lacking(macDefault, e); len(m) != 0 {
		t.Errorf("missing %+v", m)
	}
	environments := func(r string) bool { return strings.Contains(r, "environments of your other programs") }
	if !slices.ContainsFunc(e.Residual, environments) {
		t.Errorf("what no profile can deny is not named: %v", e.Residual)
	}
	better := assess.SeatbeltFacts()
	better.Refused[assess.AttemptEnviron] = true
	if e := assess.Of(macDefault, better); e.IPC != policy.LevelEnforced || slices.ContainsFunc(e.Residual, environments) {
		t.Errorf("%+v", e)
	}
	if m := shortfall(policy.RungSeatbelt, assess.SeatbeltFacts()); m != nil {
		t.Errorf("%+v", m)
	}
}

// Each attempt that gets through costs its guarantee, and with it the default.
func TestOneEscapeOnAMacRefusesTheDefault(t *testing.T) {
	for attempt, feature := range map[string]string{
		"write": "fsWrite", "protectedLink": "fsWrite", "protectedSwap": "fsWrite", "read": "fsRead", "tcp": "network", "udp": "network",
		"signal": "processTree", "daemon": "processTree", "setuid": "processTree",
	} {
		f := assess.SeatbeltFacts()
		delete(f.Refused, attempt)
		if m := assess.Lacking(macDefault, assess.Of(macDefault, f)); len(m) != 1 || m[0].Feature != feature {
			t.Errorf("%s got through: missing %+v, want %s", attempt, m, feature)
		}
		if m := shortfall(policy.RungSeatbelt, f); m == nil || !strings.Contains(m.Reason, attempt) {
			t.Errorf("%s got through: %+v", attempt, m)
		}
	}
}
