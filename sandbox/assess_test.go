package sandbox

import (
	"errors"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
)

func allRefused() assess.Facts {
	f := assess.Facts{Backend: []string{"landlock"}, Refused: map[string]bool{}}
	for _, list := range [][]string{assess.AttemptsWrite, assess.AttemptsRead, assess.AttemptsNetwork, assess.AttemptsTree, assess.AttemptsIPC, assess.AttemptsKernel} {
		for _, a := range list {
			f.Refused[a] = true
		}
	}
	return f
}

func TestAnUnavailableSandboxSaysWhatIsMissing(t *testing.T) {
	m := &Manager{whole: selfTest{found: findings{facts: map[Mode]assess.Facts{WorkspaceWrite: {Failure: &Missing{Feature: "landlock", Reason: "ABI 0", Hint: "a newer kernel"}}}}}}
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
	f.Refused["udp"] = false
	m := &Manager{whole: selfTest{found: findings{facts: map[Mode]assess.Facts{WorkspaceWrite: f}}}}
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
