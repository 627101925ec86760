package sandbox

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// windowsRefusals are the error codes by which Windows says no: access denied, a
// privilege or a level of impersonation that is lacking. Any other one means that the
// attempt proved nothing.
var windowsRefusals = []syscall.Errno{5, 1314, 1346}

// windowsAlone is appended to what the canary said when nothing of it was left.
const windowsAlone = "left 1\n"

// readWindowsCanary turns what a canary said into facts.
func readWindowsCanary(out, rung string, mode Mode, nested bool) (facts, error) {
	f := facts{rung: rung, backend: windowsBackend(rung, mode, nested), refused: map[string]bool{}}
	tried := false // the canary did leave a daemon
	sc := bufio.NewScanner(strings.NewReader(out))
	for sc.Scan() {
		name, value, _ := strings.Cut(strings.TrimSpace(sc.Text()), " ")
		n, err := strconv.ParseUint(value, 10, 32)
		if err != nil {
			return f, fmt.Errorf("the self-test's canary said %q", sc.Text())
		}
		switch name {
		case "left":
			f.refused["daemon"] = tried
		case "daemon":
			tried = n == 0
		default:
			f.refused[name] = slices.Contains(windowsRefusals, syscall.Errno(n))
		}
	}
	return f.inWorkspace(mode)
}

// offFacts are those of mode off, which has the same job object and nothing else.
func offFacts(confined facts) facts {
	f := facts{rung: confined.rung, backend: windowsBackend(confined.rung, Off, false), refused: map[string]bool{}}
	if confined.failure == nil {
		maps.Copy(f.refused, map[string]bool{"daemon": confined.refused["daemon"], "breakaway": confined.refused["breakaway"]})
	}
	return f
}
