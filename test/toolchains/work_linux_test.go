package toolchains

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// job is shell text that must succeed inside, as it does outside.
type job struct {
	name, script string
	says         string // part of the output
	own          bool   // needs a network, terminals or shared memory of its own
	needs        string // a program that the machine may lack
}

// do runs jobs one after the other: each finds what the others left.
func (u *user) do(dir string, jobs []job, flags ...string) {
	for _, j := range jobs {
		u.t.Run(j.name, func(t *testing.T) {
			if j.needs != "" {
				needs.Program(t, j.needs)
			}
			start := time.Now()
			out, code := u.inside(dir, j.script, flags...)
			worked := code == 0 && strings.Contains(out, j.says)
			if want := !j.own || u.namespaced(); worked != want {
				t.Errorf("%q at the rung %s: code %d, want success %v\n%s", j.script, u.rung, code, want, out)
			}
			t.Logf("%.1f s", time.Since(start).Seconds())
		})
	}
}

func TestGo(t *testing.T) {
	long.Test(t)
	needs.Full(t) // elsewhere testdata/cli/toolchain.txt compiles the standard library inside
	everyUser(t, func(u *user) {
		jobs := []job{
			{name: "build", script: "go build -o app.out ./app && ./app.out", says: "sum 3"},
			{name: "run", script: "go run ./app", says: "sum 3"},
			{name: "test", script: "go test . ./app", says: "ok"},
			{name: "test again, from the cache", script: "go test . ./app", says: "(cached)"},
			{name: "verify", script: "go mod verify", says: "all modules verified"},
		}
		if u.uid != 0 { // half a minute of compiling that tells the same of root
			jobs = append(jobs, job{name: "race", script: "go test -race ./race", says: "ok"})
		}
		u.do(u.goProject(), jobs)
	})
}

// With a network modules go into a cache of the workspace's, those that the user
// has come from there, and commands without a network find them afterwards.
func TestModulesAreFetchedOnce(t *testing.T) {
	long.Test(t)
	everyUser(t, func(u *user) {
		dir := u.goProject()
		where := "go list -f '{{.Dir}}' example.org/dep"
		for _, c := range []struct{ network, below string }{
			{"deny", filepath.Join(u.home, "go/pkg/mod")}, {"allow", u.caches()}, {"deny", u.caches()},
		} {
			out, code := u.inside(dir, where, "--network", c.network)
			if code != 0 || !strings.HasPrefix(out, c.below+"/") {
				u.t.Errorf("network %s: code %d, the module is in %s", c.network, code, out)
			}
		}
	})
}

func TestRust(t *testing.T) {
	long.Test(t)
	needs.Program(t, "cargo", "rustc", "gcc")
	everyUser(t, func(u *user) {
		u.do(u.project("rust-vendored"), []job{{name: "vendored", script: "cargo test --offline", says: "test add ... ok"}})
		u.do(u.crateProject(), []job{
			{name: "registry", script: "cargo test --offline", says: "test add ... ok"},
			{name: "run", script: "cargo run -q --offline", says: "sum 3"},
		})
	})
}

func TestPython(t *testing.T) {
	long.Test(t)
	needs.Program(t, "python3", "pytest-3")
	everyUser(t, func(u *user) {
		u.do(u.project("python"), []job{
			{name: "pytest", script: "python3 -m pytest -q -k total", says: "1 passed"},
			{name: "multiprocessing", script: "python3 -m pytest -q -k multiprocessing", says: "1 passed", own: true},
			{name: "asyncio", script: "python3 -m pytest -q -k asyncio", says: "2 passed"},
			{name: "own TCP server", script: "python3 -m pytest -q -k tcp", says: "1 passed", own: true},
			{name: "own UNIX server", script: "python3 -m pytest -q -k unix", says: "2 passed", own: true},
			{name: "openpty", script: "python3 -m pytest -q -k openpty", says: "1 passed", own: true},
		})
	})
}

func TestNode(t *testing.T) {
	long.Test(t)
	needs.Program(t, "node", "npm")
	everyUser(t, func(u *user) {
		u.do(u.npmProject(), []job{
			{name: "warm the cache", script: "npm cache add ./dep-1.0.0.tgz"},
			{name: "ci", script: "npm ci --offline --no-audit --no-fund && test -f node_modules/dep/index.js"},
			{name: "build", script: "npm run build && cat built", says: "3"},
			{name: "test", script: "npm test", says: "# pass 3", own: true},
		})
	})
}

func TestC(t *testing.T) {
	long.Test(t)
	needs.Program(t, "make", "gcc")
	everyUser(t, func(u *user) {
		u.do(u.project("c"), []job{
			{name: "make", script: "make -j4 check", says: "./project"},
			{name: "again", script: "make project", says: "up to date"},
			{name: "clean", script: "make clean && make -j4 CFLAGS='-O2 -g'"},
		})
	})
}

// The committer comes from the user's own configuration; nothing else does.
func TestGit(t *testing.T) {
	long.Test(t)
	everyUser(t, func(u *user) {
		u.write(filepath.Join(u.home, ".gitconfig"), "[user]\n\tname = Ann Example\n\temail = ann@example.org\n[commit]\n\tgpgSign = true\n[core]\n\thooksPath = /nowhere\n")
		dir := u.project("c")
		u.repository(dir)
		u.do(dir, []job{
			{name: "status", script: "git status --porcelain && echo clean", says: "clean"},
			{name: "commit", script: "echo x > new && git add new && git commit -qm two && git log -1 --format='%an %ae'", says: "Ann Example ann@example.org"},
			{name: "branch and rebase", script: "git checkout -qb side HEAD~1 && echo y > other && git add other && git commit -qm three && git rebase -q main && git log --oneline | wc -l", says: "3"},
			{name: "amend, stash, merge", script: "git commit -q --amend -m four && echo z >> other && git stash -q && git stash pop -q && git commit -qam five && git checkout -q main && git merge -q side && git tag t"},
			{name: "clean", script: "test -z \"$(git status --porcelain)\""},
			{name: "worktree", script: "git worktree add -q wt -b wt && cd wt && echo w > w && git add w && git commit -qm six && git log -1 --format=%an", says: "Ann Example"},
		})
		if out := u.outside(dir, "git", "log", "--oneline", "--all"); strings.Count(out, "\n") != 5 {
			u.t.Errorf("outside: %s", out)
		}
	})
}

func TestOrdinaryTools(t *testing.T) {
	long.Test(t)
	everyUser(t, func(u *user) {
		dir := u.project("c")
		u.do(dir, []job{
			{name: "mktemp", script: "f=$(mktemp) && echo x > $f && d=$(mktemp -d) && cp $f $d && ls $d"},
			{name: "ps", script: "ps -e", says: "ps", needs: "ps"},
			{name: "gcc", script: "gcc -c one.c -o $TMPDIR/one.o && gcc -E main.c", says: "printf", needs: "gcc"},
			{name: "tar", script: "tar czf a.tgz *.c && tar tzf a.tgz", says: "main.c"},
			{name: "pipes", script: "seq 100000 | sort -rn | head -n 1", says: "100000"},
			{name: "the user is known", script: "id -un && ls -ld ~"},
			{name: "names of the machine", script: "! test -e /etc/hosts || getent hosts localhost", says: ""},
		})
	})
}
