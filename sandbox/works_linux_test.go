package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A sandbox that breaks ordinary work gets switched off, so what must work is
// tested like what must not.
func TestOrdinaryWorkWorks(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		for name, script := range map[string]string{
			"write":           "echo x > f && test $(cat f) = x",
			"rename":          "mkdir -p a/b && echo x > a/f && mv a/f a/b/f && test -f a/b/f",
			"hard link":       "echo x > l1 && ln l1 l2",
			"chmod":           "echo '#!/bin/sh' > s && chmod +x s && ./s && chmod 0640 s && test $(stat -c %a s) = 640",
			"chmod recursive": "mkdir -p r/s && touch r/s/f && chmod -R u=rwX,go= r && test $(stat -c %a r/s) = 700",
			"chown to self":   "touch o && chown $(id -u):$(id -g) o",
			"touch":           "touch -d '2001-02-03 04:05:06 UTC' d && test $(stat -c %Y d) = 981173106",
			"touch a link":    "ln -sf nowhere dl && touch -h -d '2001-02-03 04:05:06 UTC' dl && test $(stat -c %Y dl) = 981173106",
			"cp -a":           "mkdir -p p && echo x > p/q && chmod 750 p && cp -a p p2 && test $(stat -c %a p2) = 750",
			"tar":             "mkdir -p tt && echo x > tt/f && tar cf t.tar tt && rm -rf tt && tar xf t.tar && test -f tt/f",
			"fchmod by fd":    "touch fd && chmod 600 /proc/self/cwd/fd",
			"mktemp":          "f=$(mktemp) && echo x > $f && d=$(mktemp -d) && touch $d/x && rm -r $d",
			"home":            "echo x > $HOME/.profile && mkdir -p $HOME/.cache/x",
			"here document":   "cat <<E > h\nx\nE",
			"pipe":            "seq 1000 | sort -rn | head -1 | grep -q 1000",
			"background":      "sleep 0.01 & wait $!",
			"signals":         "sleep 5 & kill $! && ! wait $!",
			"nice":            "nice -n 5 true",
			"devices":         "head -c 8 /dev/urandom > /dev/null && : > /dev/null",
			"ps":              "ps > /dev/null",
			"subshell limit":  "ulimit -n 64 && true",
			"fifo":            "mkfifo ff && (echo x > ff &) && test $(cat ff) = x",
			"truncate":        "truncate -s 100 tr && test $(stat -c %s tr) = 100",
		} {
			if o := b.sh(script); o.status.Code != 0 {
				t.Errorf("%s: code %d, signal %v: %s", name, o.status.Code, o.status.Signal, o.out)
			}
		}
	})
}

func TestSetIDBitsAreRefused(t *testing.T) {
	b := newBench(t)
	o := b.sh("touch s; chmod u+s s; chmod g+s s; mkdir d; chmod 2755 d; stat -c %a s d")
	if !strings.HasSuffix(o.out, "644\n2755\n") {
		t.Errorf("modes: %s", o.out)
	}
	if e := b.errno(2, 0, 0x40, 0o4755); e == 0 {
		t.Error("open with a set-id mode worked")
	}
}

// git works, for the user who owns the repository.
func TestGitWorks(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		if _, err := exec.LookPath("git"); err != nil {
			t.Fatal("git is needed: apt-get install git")
		}
		b := newBench(t)
		o := b.sh(`set -e
git init -q . && git config user.email a@example.org && git config user.name a
echo one > f && git add f && git commit -qm one
git checkout -qb side && echo two > f && git commit -qam two
git checkout -q - && echo three > g && git add g && git commit -qm three
git rebase -q side && git log --oneline | wc -l && git worktree add -q ../ws/wt side~0 2>/dev/null || git worktree add -q wt HEAD~1
git status --porcelain`)
		if o.status.Code != 0 || !strings.HasPrefix(o.out, "3\n") {
			t.Errorf("code %d: %s", o.status.Code, o.out)
		}
	})
}

// A real toolchain builds, tests and runs a program with everything private.
func TestGoBuildsAndTests(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Fatal("go is needed")
	}
	b := newBench(t)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	b.policy.Readable = append(b.policy.Readable, strings.TrimSpace(string(root)))
	for name, text := range map[string]string{
		"go.mod":    "module example.org/m\n\ngo 1.26\n",
		"m.go":      "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(Sum(1, 2)) }\n\nfunc Sum(a, b int) int { return a + b }\n",
		"m_test.go": "package main\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1, 2) != 3 {\n\t\tt.Fail()\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(b.ws, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if o := b.sh("go build -o m . && ./m && go test ./..."); o.status.Code != 0 || !strings.HasPrefix(o.out, "3\nok") {
		t.Errorf("code %d: %s", o.status.Code, o.out)
	}
}
