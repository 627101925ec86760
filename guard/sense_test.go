package guard

import (
	"testing"

	"github.com/pillion-sidecar/pillion/guard/shell"
)

func meaning(command string) string {
	return Check(shell.Input{Command: command, Cwd: testRoot}, DefaultPolicy(), paper{testRoot}, testHome).Meaning
}

// One meaning is one effect: in another folder, with another input, variable, program or
// function of the same name it is another one.
func TestWhatIsNotTheSameHasAnotherMeaning(t *testing.T) {
	for command, others := range map[string][]string{
		"git push --force": {
			"cd src && git push --force", "git -C src push --force", "GIT_SSH_COMMAND=./x git push --force", "git push --force origin",
			"export GIT_DIR=x; git push --force", "GIT_DIR=x; git push --force", "HOME=/tmp; git push --force", "PATH=/tmp; git push --force",
			"http_proxy=x; git push --force", "git() { echo; }; git push --force", "alias git='git -c a=b'; git push --force",
			"hash -p ./git git; git push --force", "git push --force < x", "git push --force <<< x", "echo y | git push --force",
			"git push --force | tee x", "git push --force > x", "git push --force &", "env -i git push --force", "env A=b git push --force",
			"touch x; git push --force", "./git push --force", "nice git push --force", "set -f; git push --force", "git push '--force '",
			"git push --force \"$X\"", "git push --force $(echo x)", "sh -c 'git push --force <x'", "eval 'git push --force >x'",
			"sh -c 'git push --force' x", "bash -l -c 'git push --force'", "env -C src git push --force", "exec -a x git push --force",
		},
		"npm publish":        {"cd src && npm publish", "npm publish ./src", "npm publish *", "npm publish '*'"},
		"rm -rf src/*":       {"rm -rf 'src/*'", "rm -rf src"},
		"gh pr merge 15":     {"gh pr merge 16", "cd src; gh pr merge 15", "gh pr merge 15 --admin"},
		"git reset --hard x": {"cd src; git reset --hard ../x", "git reset --hard ./x/..", "git reset --hard X"},
	} {
		for _, other := range others {
			if a, b := meaning(command), meaning(other); a != "" && a == b {
				t.Errorf("%q means %q as %q does", other, b, command)
			}
		}
	}
	if m := meaning("git push --force"); m == "" || m != meaning(`cd . && x=push && sh -c "git $x"' --force'`) && m != meaning(`x=push; "git" $x --force 2>&1`) {
		t.Errorf("%q", m)
	}
}
