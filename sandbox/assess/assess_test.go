package assess

import (
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

func allRefused() Facts {
	f := Facts{Backend: []string{"landlock"}, Refused: map[string]bool{}}
	for _, list := range [][]string{AttemptsWrite, AttemptsRead, AttemptsNetwork, AttemptsTree, AttemptsIPC, AttemptsKernel} {
		for _, a := range list {
			f.Refused[a] = true
		}
	}
	return f
}

// One attempt that gets through takes its guarantee away, and with it every
// policy that needs it.
func TestOneEscapeMakesItsGuaranteePartial(t *testing.T) {
	base := policy.Policy{Mode: policy.WorkspaceWrite, Network: policy.NetworkDeny, Reads: policy.ReadsPrivate}
	for attempt, feature := range map[string]string{
		"chmod": "fsWrite", "read": "fsRead", "udp": "network", "signalThread": "processTree", "daemon": "processTree", "userns": "fsWrite",
	} {
		f := allRefused()
		f.Refused[attempt] = false
		missing := Lacking(base, Of(base, f))
		if len(missing) != 1 || missing[0].Feature != feature {
			t.Errorf("%s got through: missing %+v, want %s", attempt, missing, feature)
		}
	}
	if m := Lacking(base, Of(base, allRefused())); len(m) != 0 {
		t.Errorf("nothing got through, yet missing %+v", m)
	}
}

func TestOnlyWhatWasAskedIsRequired(t *testing.T) {
	f := allRefused()
	f.Refused["udp"], f.Refused["read"], f.Refused["shm"] = false, false, false
	for _, p := range []policy.Policy{
		{Mode: policy.ReadOnly, Network: policy.NetworkAllow, Reads: policy.ReadsAll},
		{Mode: policy.Off, Network: policy.NetworkDeny, Reads: policy.ReadsPrivate},
	} {
		if m := Lacking(p, Of(p, f)); len(m) != 0 {
			t.Errorf("%+v: missing %+v", p, m)
		}
	}
}
