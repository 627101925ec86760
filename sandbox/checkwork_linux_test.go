package sandbox

const noShm = "/dev/shm is the host's, so POSIX semaphores are missing"

// A sandbox that breaks ordinary work gets switched off, so what must work is a
// row like what must not.
var workChecks = []check{
	work("write", "echo x > f && test $(cat f) = x"),
	work("rename", "mkdir -p a/b && echo x > a/f && mv a/f a/b/f && test -f a/b/f"),
	work("hard link", "echo x > l1 && ln l1 l2"),
	work("chmod", "echo '#!/bin/sh' > s && chmod +x s && ./s && chmod 0640 s && test $(stat -c %a s) = 640"),
	work("chmod recursive", "mkdir -p r/s && touch r/s/f && chmod -R u=rwX,go= r && test $(stat -c %a r/s) = 700"),
	work("chown to self", "touch o && chown $(id -u):$(id -g) o"),
	work("touch", "touch -d '2001-02-03 04:05:06 UTC' d && test $(stat -c %Y d) = 981173106"),
	work("links", "mkdir -p ln/d && echo x > ln/d/f && ln -s d/f ln/l && test $(cat ln/l) = x && ln -s ../d ln/d/up && test $(cat ln/d/up/f) = x && ln -s later ln/dangling"),
	work("links by absolute path", "mkdir abs && echo x > abs/f && ln -s $PWD/abs/f absl && test $(cat absl) = x"),
	work("touch a link", "ln -sf nowhere dl && touch -h -d '2001-02-03 04:05:06 UTC' dl && test $(stat -c %Y dl) = 981173106"),
	work("cp -a", "mkdir -p p && echo x > p/q && chmod 750 p && cp -a p p2 && test $(stat -c %a p2) = 750"),
	work("tar", "mkdir -p tt && echo x > tt/f && tar cf t.tar tt && rm -rf tt && tar xf t.tar && test -f tt/f"),
	work("chmod through /proc/self/cwd", "touch fd && chmod 600 /proc/self/cwd/fd"),
	work("mktemp", "f=$(mktemp) && echo x > $f && d=$(mktemp -d) && touch $d/x && rm -r $d"),
	work("home", "echo x > $HOME/.profile && mkdir -p $HOME/.cache/x"),
	work("here document", "cat <<E > h\nx\nE"),
	work("pipe", "seq 1000 | sort -rn | head -1 | grep -q 1000"),
	work("background", "sleep 0.01 & wait $!"),
	work("signals to children", "sleep 5 & kill $! && ! wait $!"),
	work("nice", "nice -n 5 true"),
	work("the devices programs need", "head -c 8 /dev/urandom > /dev/null && : > /dev/null"),
	work("ps", "ps > /dev/null && ps -ef | grep -q 'ps -ef'").needing("ps"),
	work("limits of its own", "ulimit -n 64 && true"),
	work("fifo", "mkfifo ff && (echo x > ff &) && test $(cat ff) = x"),
	work("truncate", "truncate -s 100 tr && test $(stat -c %s tr) = 100"),
	work("its own stdout by name", "echo x > /dev/stdout && echo x > /dev/stderr && echo x > /proc/self/fd/1"),
	work("make -j", `mkdir mk && cd mk && printf 'all: a b c\na b c:\n\t@echo $@ > $@\n' > Makefile && make -sj3 && cat a b c`).needing("make"),
	work("a compiler", "echo 'int main(){return 0;}' > m.c && gcc -o m m.c && ./m").needing("gcc"),
	work("node", `node -e 'require("fs").writeFileSync("n.txt", "x"); require("child_process").execSync("true")'`).needing("node"),
	work("npm test", `echo '{"name":"m","version":"1.0.0","scripts":{"test":"node -e 0"}}' > package.json && npm test --offline`).needing("npm"),
	work("python asyncio", "/usr/bin/python3 -c 'import asyncio; asyncio.run(asyncio.sleep(0))'").needing("python3"),
	work("python subprocess", `/usr/bin/python3 -c 'import subprocess; subprocess.run(["true"], check=True)'`).needing("python3"),
	work("python multiprocessing", "/usr/bin/python3 -c 'import multiprocessing as m; p = m.Pool(2); assert p.map(abs, [-1]) == [1]; p.close(); p.join()'").needing("python3").
		but(RungNoUserns, noShm),
	work("own TCP server", tcpServer).needing("python3").but(RungNoUserns, noNet),
	work("own UNIX server", unixServer).needing("python3").but(RungNoUserns, "Landlock can't keep a UNIX socket from the host's socket files, so the family is refused"),
	work("openpty", `/usr/bin/python3 -c 'import os; m, s = os.openpty(); os.write(s, b"x"); assert os.read(m, 1) == b"x"'`).needing("python3").
		but(RungNoUserns, "/dev/pts holds the user's own terminals"),
	work("git commit, branch, rebase and work tree", gitWork),
}

const tcpServer = `/usr/bin/python3 -c '
import socket
s = socket.create_server(("127.0.0.1", 0))
c = socket.create_connection(s.getsockname())
a, _ = s.accept()
c.send(b"x")
assert a.recv(1) == b"x"'`

const unixServer = `/usr/bin/python3 -c '
import socket
s = socket.socket(socket.AF_UNIX); s.bind("own.sock"); s.listen()
c = socket.socket(socket.AF_UNIX); c.connect("own.sock")
a, _ = s.accept()
c.send(b"x")
assert a.recv(1) == b"x"'`

const gitWork = `set -e
git init -q g && cd g
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
echo one > f && git add f && git commit -qm one
git checkout -qb side && echo two > f && git commit -qam two
git checkout -q - && echo three > g && git add g && git commit -qm three
git rebase -q side && test $(git log --oneline | wc -l) = 3
git worktree add -q wt HEAD~1 && test -z "$(git -C wt status --porcelain)"
rm -rf wt && git worktree prune && test -z "$(git status --porcelain)"`

func work(name, script string) check {
	return check{n: 64, name: name, want: mustWork, scripts: []string{script}}
}

func (c check) but(rung, why string) check {
	c.want = c.want.but(rung, missing, why)
	return c
}
