package refs

import (
	"os"
	"testing"

	"github.com/pillion-sidecar/pillion/test/users"
)

func TestMain(m *testing.M) { os.Exit(users.M{M: m}.Run()) }

// What a command has taken the bits from, to whoever gives them back.
func TestNothingIsHiddenByItsBits(t *testing.T) {
	t.Parallel()
	users.Each(t, func(t *testing.T) {
		for command, look := range map[string]string{
			`git branch b $(evil main); chmod 0 .git/refs`:                                                                            `! git rev-parse -q --verify b`,
			`git branch b $(evil main); chmod 0 .git/refs/heads/b`:                                                                    `! git rev-parse -q --verify b`,
			`git branch b $(evil main); git pack-refs --all; chmod 0 .git/packed-refs`:                                                `! git rev-parse -q --verify b`,
			`c=$(evil main); umask 777; echo $c >.git/refs/heads/b`:                                                                   `! git rev-parse -q --verify b`,
			`git branch b $(evil main); chmod 0 .`:                                                                                    `! git rev-parse -q --verify b`,
			`c=$(evil main); echo $c >.git/HEAD; chmod 0 .git/HEAD`:                                                                   `git symbolic-ref HEAD`,
			`git checkout -q -b b; git reset -q --soft $(evil main); git reset -q --soft main; chmod 0 .git/logs/HEAD .git/logs`:      `! git rev-parse -q --verify "HEAD@{1}:.vscode/tasks.json"`,
			`c=$(evil main); git worktree add -q --detach wt; git -C wt reset -q --soft $c; chmod 0 .git/worktrees/wt .git/worktrees`: `! git rev-parse -q --verify "worktrees/wt/HEAD:.vscode/tasks.json"`,
		} {
			dir := project(t)
			w := Look([]string{dir}, dir, "", Sight{})
			git(t, dir, evil+command)
			found := w.Judge(run)
			git(t, "/", "chmod -R u+rwX "+dir)
			if len(found) == 0 {
				t.Errorf("%s: nothing is reported", command)
			}
			git(t, dir, look)
		}
	})
}
