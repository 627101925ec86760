package guard

import (
	"slices"
	"testing"

	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

func TestDuplicatedOutputHidesNoCommand(t *testing.T) {
	for _, command := range []string{
		"ls >&-pwn", " >&-pwn", "ls <&-pwn", "ls 2>&-pwn", "ls >&'$(pwn)'", "ls >&\\$\\(pwn\\)", "ls >& '`pwn`'", "ls >&2['$(pwn)']=1", "ls >&'<(pwn)'", "x='$(pwn)'; ls >&$x", "ls >&'~/.bashrc'",
	} {
		for _, dialect := range []string{"posix", "bash"} {
			if v := judgeIn(dialect, command); v.Decision == rule.Allow {
				t.Errorf("%s %q: %s", dialect, command, describe(v))
			}
		}
	}
	for _, command := range []string{"ls >&2", "ls >&-", "ls 2>&-", "ls 2>&1", "ls <&-", "ls 3>&1-", "ls >&log", "ls >&'my log'", "ls >&$fd", "ls >&\"$fd\"", "x=3; ls >&$x", "ls <&0", "ls 2>&$x"} {
		for _, dialect := range []string{"posix", "bash"} {
			if v := judgeIn(dialect, command); v.Decision != rule.Allow {
				t.Errorf("%s %q: %s", dialect, command, describe(v))
			}
		}
	}
}

// TestBracesFold: dash knows no braces, and bash drops the empty words they make.
func TestBracesFold(t *testing.T) {
	for command, want := range map[string][2][]string{ // bash, posix
		"x {a,b}":    {{"x", "a", "b"}, {"x", "{a,b}"}},
		"x {,b}":     {{"x", "b"}, {"x", "{,b}"}},
		"x {'',b}":   {{"x", "", "b"}, {"x", "{,b}"}},
		"x \\{a,b}":  {{"x", "{a,b}"}, {"x", "{a,b}"}},
		"x '{a,b}'":  {{"x", "{a,b}"}, {"x", "{a,b}"}},
		"x \"{a\",b": {{"x", "{a,b"}, {"x", "{a,b"}},
		"x a{1..2}":  {{"x", "a1", "a2"}, {"x", "a{1..2}"}},
		"x {}":       {{"x", "{}"}, {"x", "{}"}},
	} {
		lists := Execs(shell.Input{Command: command, Cwd: testRoot}, DefaultPolicy(), paper{testRoot}, testHome)
		for i, list := range lists {
			if len(list) != 1 || !slices.Equal(list[0].Argv, want[i]) || !list[0].Known {
				t.Errorf("%q, pass %d: %+v, want %q", command, i, list, want[i])
			}
		}
	}
}
