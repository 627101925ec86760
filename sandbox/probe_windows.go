package sandbox

import (
	"os"
	"time"

	"golang.org/x/sys/windows"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/sandbox/canary"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/wintoken"
)

// probe runs the self-test: from the strongest rung down, until one rung's canaries could
// run at all. Attempts that got through show in the levels. Mode off is known by the same
// canaries, so all modes are tried, always.
func probe(o Options, _ []Mode) findings {
	s := findings{rung: RungNone, facts: map[Mode]assess.Facts{}}
	for _, rung := range policy.WindowsRungs {
		found, err := runCanaries(o, rung, canaryModes)
		if err != nil {
			s.scarce = err
			return s
		}
		failed := false
		for i, mode := range canaryModes {
			s.facts[mode] = found[i]
			if f := found[i].Failure; f != nil {
				f.Reason = "in mode " + string(mode) + ": " + f.Reason
				s.missed, failed = append(s.missed, *f), true
			}
		}
		s.facts[Off] = canary.WindowsOff(s.facts[WorkspaceWrite])
		if !failed {
			s.rung, s.missed = rung, append(s.missed, assess.WindowsLacks...)
			return s
		}
	}
	s.fail(canaryModes, noRung(s.missed))
	return s
}

func lacks(string) *Missing { return nil }

func hint(string) string {
	return "policies of this machine (AppLocker, an antivirus program) may keep programs from starting with fewer rights"
}

func (b *box) readCanary(out, rung string, mode Mode) (assess.Facts, error) {
	return canary.ReadWindows(out, rung, mode, b.nested)
}

// canaryEnv is what every program of Windows needs to find its libraries, and the
// private home.
func canaryEnv(b *box) []string {
	root := os.Getenv("SystemRoot")
	return []string{
		"SystemRoot=" + root, "windir=" + root, "PATH=" + root + `\System32;` + root,
		"USERPROFILE=" + b.home(), "TEMP=" + b.tmp(), "TMP=" + b.tmp(),
	}
}

// machineKey changes whenever an old self-test could be wrong: another boot, version
// of the system, program or user.
func machineKey() string {
	user, err := wintoken.UserSID()
	if err != nil {
		return ""
	}
	exe, err := programStamp()
	if err != nil {
		return ""
	}
	// The boot, to ten seconds: it is known as an age.
	boot := time.Now().Add(-windows.DurationSinceBoot()).Round(10 * time.Second).Unix()
	return proc.KernelRelease() + " " + time.Unix(boot, 0).UTC().Format(time.RFC3339) + " " + exe + " " + user
}

// recallable: every start tests.
func recallable() bool { return false }
