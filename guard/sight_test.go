package guard

import (
	"slices"
	"testing"

	"github.com/pillion-sidecar/pillion/guard/shell"
)

func TestUnseen(t *testing.T) {
	for command, want := range map[string][]string{
		"ls; cat x | sort": nil, "echo hi": nil, "f() { ls; }; f": nil, "bash -c 'ls'": nil, "python3 -c 'print(1)'": nil, "make --help": nil,
		"make; make test": {"make"}, "./x.sh && frobnicate": {"./x.sh", "frobnicate"}, "bash x.sh": {"bash"},
		"sudo env A=1 timeout 3 cargo test": {"cargo"}, "bash -c 'npm ci'": {"npm"}, "$X": {"…"},
	} {
		got := Unseen(shell.Input{Command: command, Cwd: testRoot}, DefaultPolicy(), paper{testRoot}, testHome)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
