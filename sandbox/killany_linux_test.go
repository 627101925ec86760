package sandbox

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/users"
)

// busywork is what a command does while it is killed: it makes repositories, links and
// states, with everything in them that a git outside could obey. $E says where it ran.
const busywork = `bad='[core]\nfsmonitor=%s\npager=%s\n[alias]\nst=!%s\n'
fill() { printf "$bad" $E $E $E; }
i=0; while :; do i=$((i+1))
git init -q n; fill >> n/.git/config; git -C n config core.fsmonitor $E; git -C n config user.name x; cp evil n/.git/hooks/post-commit
mkdir -p m/objects m/refs; fill > m/config; cp .git/HEAD m; mkdir -p b/.git; fill > b/.git/config; cp -r .git/HEAD .git/objects .git/refs b/.git
mkdir -p o/objects p; fill > o/config; fill > p/config; mkdir o/refs; cp .git/HEAD o; mv o/objects p; mv o/refs p; mv o/HEAD p
git worktree add -q -f w 2> /dev/null; fill > e.config; mkdir -p e; mv e.config e/config; echo ../../../e > .git/worktrees/w/commondir; echo "gitdir: $PWD/e" > w/.git
for f in logs/HEAD COMMIT_EDITMSG FETCH_HEAD refs/tags index hooks/pre-commit x$i; do ln -s $OUT/f .git/$f; ln -s $OUT/f x; mv x .git/$f; ln -s ../../../out/f l; mv l .git/$f; rm -f x l; done
mkdir .git/rebase-merge; echo "exec $E" > .git/rebase-merge/git-rebase-todo; echo '$(touch $OUT/g)' > .git/rebase-merge/msgnum; echo "exec $E" > x; mv x .git/rebase-merge/git-rebase-todo; touch .git/rebase-merge/interactive
echo '$(touch $OUT/g)' > .git/rebase-merge/end; echo refs/heads/main > .git/rebase-merge/head-name
fill >> .git/config; git config core.pager $E; cp .git/config c; fill >> c; mv c .git/config; fill > c; ln -f c .git/config; fill > .git/config.lock; mv .git/config.lock .git/config
mkdir .vscode; echo x > .envrc2; mv .envrc2 .envrc; ln -s $OUT out; ln -s ../out q; mkfifo .gitignore; mkfifo z; mv z .gitattributes; git commit -q --allow-empty -m $i
rm -rf n m b o p w e c x l q z out .git/rebase-merge; git worktree prune; echo round >> rounds
done 2> /dev/null`

// At whatever moment any process of ours is killed, with the sidecar: what is left in the
// workspace makes a git outside run nothing, wait for nothing and write nothing outside.
func TestKilledAtAnyMomentNothingLeftIsObeyed(t *testing.T) {
	t.Parallel()
	long.Test(t)
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.repositories()
		b.host("printf '" + strings.ReplaceAll(evil, "\n", "\\n") + "' > evil && chmod +x evil && cp evil ../out/f && cp -a . ../template")
		untouched := b.host("ls -lA --time-style=full-iso ../out; cat ../out/f")
		state := filepath.Join(filepath.Dir(b.ws), "killed")
		busy := 0 // moments at which a repository of the command's was there
		for round := range long.Rounds(80 / len(users.All())) {
			who := b.killSomebody(state, "churn", state, b.ws, b.out, mark())
			if _, err := os.Stat(filepath.Join(b.ws, "n/.git/HEAD")); err == nil {
				busy++
			}
			if ran := b.obeyedBy("status -s", "", "commit --allow-empty -qm x", "switch -qc killed", "rebase --continue", "gc -q"); ran != "" {
				t.Fatalf("round %d, %s killed: %s", round, who, ran)
			}
			if links := b.host("find . -path '*/.git/*' ! -type f ! -type d ! -path './.git/hooks/*' ! -lname testing; find .vscode .claude -name '*' 2>/dev/null | grep -v '^.vscode$' || true"); links != "" {
				t.Fatalf("round %d, %s killed: left are %s", round, who, links)
			}
			if now := b.host("ls -lA --time-style=full-iso ../out; cat ../out/f"); now != untouched {
				t.Fatalf("round %d, %s killed: outside %s", round, who, hostChange(untouched, now))
			}
			b.host("cd .. && rm -rf ws/* ws/.[!.]* && cp -a template/. ws")
		}
		if busy == 0 {
			t.Error("the command never made anything")
		}
	})
}

// killSomebody starts a sidecar that never ends, which helper is, kills a process of ours
// at some moment and then the sidecar, and returns when all of both has ended.
func (b *bench) killSomebody(state string, helper ...string) string {
	t := b.t
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.Command(exe, helper...)
	cmd.Env = append(os.Environ(), "PILLION_TEST_JOURNAL="+b.policy.Journal, "PILLION_TEST_ENTRY="+b.entry)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "running\n" {
		t.Fatalf("%q, %v", line, err)
	}
	time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond) // the moment is what chance chooses
	victims := append(oursBelow(cmd.Process.Pid), cmd.Process.Pid)
	victim := victims[rand.IntN(len(victims))]
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", victim))
	_ = unix.Kill(victim, unix.SIGKILL) // one that has ended meanwhile is as good
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	eventually(t, "all of it is gone", func() bool {
		return len(alive("churn-"+mark())) == 0 && len(aliveIn(state)) == 0
	})
	who, _, _ := strings.Cut(string(name), "\x00")
	return who
}

// churnHelper is a sidecar with one command that never ends.
func churnHelper(args []string) int {
	return endless(args[0], args[1], busywork, "churn-"+args[3], "E="+args[1]+"/evil", "OUT="+args[2],
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
}
