package executor

import (
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// TestEveryShellSpeaksWhatIsJudged: a shell with a dialect that the guard took
// for another would run what nobody read.
func TestEveryShellSpeaksWhatIsJudged(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, s := range shellCandidates(goos) {
			v := Judge(guard.Input{Command: "ls", Cwd: "/w", Dialect: s.Dialect}, guard.DefaultPolicy(), sandbox.Policy{}, []string{"/w"}, "/h")
			if v.Parse.Dialect != s.Dialect {
				t.Errorf("%s: %s speaks %s, judged as %s", goos, s.Path, s.Dialect, v.Parse.Dialect)
			}
		}
	}
}

// TestWhatWasJudgedIsWhatRuns: the shell's own command line is the canonical
// text, while the list shows what was asked for.
func TestWhatWasJudgedIsWhatRuns(t *testing.T) {
	r := newRig(t, nil)
	for command, want := range map[string]string{
		"echo \"a b\" # why":    "'echo' 'a b'",
		"echo $((1+1)) # why":   "echo $((1+1)) # why",
		"-x 2>/dev/null; ls":    "'-x' 2>'/dev/null'; 'ls'",
		"-x $((1)) 2>/dev/null": " -x $((1)) 2>/dev/null",
	} {
		run, err := r.admit(sh(command))
		if err != nil {
			t.Fatal(err)
		}
		p, err := run.prepare()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.launches[0].argv[1:], " "); got != "-c "+want {
			t.Errorf("%q runs %q, want -c %q", command, got, want)
		}
		if i := run.info(); i.Command != command {
			t.Errorf("the list shows %q for %q", i.Command, command)
		}
		p.close()
		r.e.forget(run)
		run.cancel(cause(Gone))
	}
}
