package sandbox

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/sandbox/canary"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

// probe runs the self-test. That sandbox-exec is there proves nothing.
func probe(o Options, modes []Mode) findings {
	s, err := climb(o, modes)
	if err != nil {
		s.exhausted(modes, err)
	}
	return s
}

// rungs is the one that macOS has.
var rungs = []string{RungSeatbelt}

var offFacts = assess.Facts{Rung: RungSeatbelt, Backend: []string{"kqueue"}}

func lacks(string) *Missing { return nil }

func tryOff(Options) *Missing { return nil }

func hint(string) string {
	return "a program that is in a sandbox of macOS itself can make no other: use an editor from outside of the App Store; Console.app shows what was denied (search for Sandbox)"
}

func (*box) readCanary(out, _ string, mode Mode) (assess.Facts, error) { return canary.Read(out, mode) }

// machineKey changes whenever an old self-test could be wrong: another boot, system,
// program or user.
func machineKey() string {
	boot, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	version, err := unix.Sysctl("kern.osversion")
	if err != nil {
		return ""
	}
	exe, err := proc.OwnProgram()
	if err != nil {
		return ""
	}
	var st unix.Stat_t
	if err := unix.Stat(exe, &st); err != nil {
		return ""
	}
	return fmt.Sprintf("%s %s %d %d %d %d %d", boot, version, st.Dev, st.Ino, st.Size, st.Mtim.Nano(), os.Geteuid())
}

// recallable: every start tests.
func recallable() bool { return false }
