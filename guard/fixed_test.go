package guard

import (
	"testing"

	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Fixed is what a whole session may be approved by: in doubt it is false.
func TestFixedIsWhatTheTextSaysAlone(t *testing.T) {
	for text, want := range map[string]bool{
		"git push --force":                   true,
		"git reset --hard HEAD~1":            true,
		"git fetch && git push -f":           true,
		"rm -rf 'my build'":                  true,
		"git push -f 2> log.txt":             true,
		"git push -f \"$REMOTE\"":            false, // another one the next time
		"rm -rf ./*":                         false,
		"rm -rf ~/x":                         false,
		"git push -f `cat remote`":           false,
		"R=origin; git push -f $R":           false,
		"GIT_DIR=x git push -f":              false,
		"sudo git push -f":                   false, // a wrapper
		"env git push -f":                    false,
		"timeout 5 git push -f":              false,
		"echo -f | xargs git push":           false,
		"bash -c 'git push -f'":              false,
		"eval 'git push -f'":                 false,
		"python3 -c 'import os'":             false, // an interpreter
		"npm publish":                        false, // runs what its files say
		"make deploy && git push -f":         false,
		"./push.sh":                          false,
		"push-it -f":                         false, // nobody knows it
		"f() { git push -f; }; f":            false,
		"for i in 1 2; do git push -f; done": false,
		"git push -f &":                      false,
		"git push -f # x\\\npwn":             false,
		"git push -f 'unterminated":          false,
		"":                                   false,
	} {
		in := shell.Input{Command: text, Cwd: testRoot}
		if got := Fixed(in, DefaultPolicy(), paper{testRoot}, testHome); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	push := shell.Input{Argv: []string{"git", "push", "-f", "$X"}, Cwd: testRoot}
	if !Fixed(push, DefaultPolicy(), paper{testRoot}, testHome) {
		t.Error("an argv has no expansions")
	}
	push.Env = map[string]*string{"GIT_DIR": new("x")}
	if Fixed(push, DefaultPolicy(), paper{testRoot}, testHome) {
		t.Error("variables of its own")
	}
	if Fixed(shell.Input{Command: "Remove-Item x", Cwd: testRoot, Dialect: "powershell"}, DefaultPolicy(), paper{testRoot}, testHome) {
		t.Error("a shell that is read by text rules")
	}
}
