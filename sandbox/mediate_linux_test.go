package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/test/long"
)

func TestMediatedCallsBehaveAsTheKernels(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.repositories()
		b.host("mkdir .envrc2; rmdir .envrc2")
		old := b.protectedFiles()
		for name := range fileTricks {
			if o := b.helper("helper-trick", name); o.status.Code != 0 {
				t.Errorf("%s: code %d: %s", name, o.status.Code, o.out)
			}
		}
		if now := b.protectedFiles(); now != old {
			t.Errorf("changed: %s", hostChange(old, now))
		}
	})
}

// What a shell does with files, through the broker.
func TestMediatedShellWork(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		for name, script := range map[string]string{
			"umask":               "umask 077 && touch u && mkdir ud && mkfifo uf && test \"$(stat -c %a u ud uf | tr '\\n' ' ')\" = '600 700 600 '",
			"umask in a child":    "(umask 027; touch c1); touch c2; test \"$(stat -c %a c1 c2 | tr '\\n' ' ')\" = '640 644 '",
			"umask of the start":  "touch s && test $(stat -c %a s) = 644",
			"fifo, writer first":  "mkfifo f1 && { echo x > f1 & } && sleep 0.1 && test $(cat f1) = x",
			"fifo, reader first":  "mkfifo f2 && { cat f2 > o2 & } && sleep 0.1 && echo x > f2 && wait && test $(cat o2) = x",
			"fifo, both":          "mkfifo f3 && exec 3<> f3 && echo x >&3 && read x <&3 && test $x = x",
			"fifo, nonblocking":   "mkfifo f4 && ! dd if=/dev/zero of=f4 oflag=nonblock count=1 conv=nocreat 2> /dev/null",
			"many fifos":          "for i in 1 2 3 4 5 6 7 8; do mkfifo m$i; echo $i > m$i & done; for i in 8 7 6 5 4 3 2 1; do test $(cat m$i) = $i || exit 1; done",
			"process substitute":  "command -v bash > /dev/null && bash -c 'echo x > >(cat > ps); sleep 0.2; test $(cat ps) = x; cat <(echo y) | grep -q y'",
			"stdout by name":      "echo x > /dev/stdout | grep -q x && echo x | tee /dev/stderr 2>&1 >/dev/null | grep -q x",
			"stdout, a file":      "(echo x > /dev/stdout) > so && test $(cat so) = x",
			"link to /dev/fd":     "exec 6> own6 && ln -s /dev/fd l6 && echo x > l6/6 && test $(cat own6) = x",
			"child's descriptor":  "sh -c 'exec 7> seven; echo x > /proc/$$/fd/7' && test $(cat seven) = x",
			"link loop":           "ln -s b1 b2 && ln -s b2 b1 && ! touch b1/x 2> e && grep -q 'Too many' e",
			"forty links":         "mkdir t0 && for i in $(seq 1 39); do ln -s t$((i-1)) t$i; done && touch t39/x && ln -s t39 t40 && ln -s t40 t41 && ! touch t41/y",
			"dangling link":       "ln -s target dl && echo x > dl && test $(cat target) = x",
			"append":              "echo a > ap && echo b >> ap && test $(cat ap | wc -l) = 2",
			"noclobber":           "set -C; touch nc; ! echo x > nc",
			"devices":             "echo x > /dev/null && echo x >> /dev/zero && ! echo x > /dev/full",
			"editor save":         "echo 1 > ed && cp -p ed ed~ && echo 2 > .ed.tmp && mv .ed.tmp ed && test $(cat ed) = 2",
			"deep mkdir":          "mkdir -p $(seq -s / 100) && rm -rf 1",
			"many files":          "mkdir mf && for i in $(seq 500); do : > mf/$i; done && rm -r mf",
			"install and tar":     "mkdir it && echo x > it/x && install -D -m 711 it/x it/y/z && test $(stat -c %a it/y/z) = 711 && tar c it | (mkdir ut && tar x -C ut) && test -x ut/it/y/z",
			"sed in place":        "echo a > si && sed -i s/a/b/ si && test $(cat si) = b",
			"hard links":          "echo x > h1 && ln h1 h2 && ln -s h1 hs && ln -P hs hs2 && test -L hs2 && ln -L hs h3 && test ! -L h3 && test $(stat -c %h h1) = 3",
			"rename directory":    "mkdir -p rd/x && mv rd rd2 && mv -T rd2 rd && test -d rd/x",
			"moving protected up": "mkdir -p pk && git init -q pk/r && mv pk pk2 && git -C pk2/r status > /dev/null",
			"flock":               "flock lockfile true && exec 9< lockfile && flock 9",
			"node_modules/.bin":   "mkdir -p node_modules/.bin node_modules/.cache && ln -s ../x/cli.js node_modules/.bin/x && touch node_modules/.package-lock.json",
			"dot files":           "touch .gitignore .gitattributes .npmrc .editorconfig .env && mkdir .github .venv .pytest_cache",
		} {
			if o := b.sh("set -e; " + script); o.status.Code != 0 {
				t.Errorf("%s: code %d, signal %v: %s", name, o.status.Code, o.status.Signal, o.out)
			}
		}
	})
}

// A link to /proc/self/fd/N means the caller's descriptor. Resolved as the broker
// it would open one of the broker's own, its socket or a file of the sidecar. 10
// is where the shell keeps its own stderr.
func TestTheBrokersOwnDescriptorsAreOutOfReach(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		o := b.sh(`for n in $(seq 3 9) $(seq 11 40); do T=$TMPDIR; ln -s /proc/self/fd/$n $T/l$n && ln -s /dev/fd/$n d$n || exit 9
echo evil > $T/l$n && exit 1; echo evil >> d$n && exit 1; chmod 777 $T/l$n && exit 1; truncate -s 0 d$n && exit 1; ln -L $T/l$n $T/h$n && exit 1; done 2> /dev/null
for n in $(seq 0 40); do echo evil > /proc/$PPID/fd/$n && exit 2; echo evil > /proc/$PPID/task/$PPID/fd/$n && exit 2; done 2> /dev/null
for f in mem comm oom_score_adj clear_refs; do echo 0 > /proc/$PPID/$f && exit 3; done 2> /dev/null
mkdir -p /proc/self/fd/x /proc/$PPID/cwd/x 2> /dev/null; touch /proc/$PPID/cwd/evil 2>/dev/null && exit 4; touch /proc/$HOSTPID/cwd/evil 2> /dev/null && exit 5; exit 0`)
		if o.status.Code != 0 {
			t.Errorf("code %d: %s", o.status.Code, o.out)
		}
		if o := b.sh("echo alive"); o.out != "alive\n" {
			t.Errorf("the runner after it: %+v", o)
		}
	})
}

// swapHelper flips the path under the broker's eyes between a harmless name and
// protected ones, in memory and as a symlink, while other threads act on it.
func swapHelper() int {
	var stop atomic.Bool
	names := []string{"free/aaaaaaaaaaaaaaaaa", ".git/hooks/pre-commit"} // of one length
	buf := append([]byte(names[0]), 0)
	link := []byte("swap/x\x00")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for !stop.Load() {
			for _, n := range names {
				copy(buf, n)
				_ = os.Remove("swap")
				_ = os.Symlink(filepath.Dir(n), "swap")
			}
		}
	}()
	from := append([]byte("free/from"), 0)
	cwd := ^uintptr(99)
	at := func(b []byte) uintptr { return uintptr(unsafe.Pointer(&b[0])) }
	for range 1500 {
		for _, p := range [][]byte{buf, link} {
			if fd, _, errno := unix.Syscall6(unix.SYS_OPENAT, cwd, at(p), unix.O_CREAT|unix.O_WRONLY, 0o755, 0, 0); errno == 0 {
				_ = unix.Close(int(fd))
			}
			_ = os.WriteFile("free/from", nil, 0o644)
			unix.Syscall6(unix.SYS_RENAMEAT2, cwd, at(from), cwd, at(p), 0, 0)
			unix.Syscall(unix.SYS_MKDIRAT, cwd, at(p), 0o755)
			unix.Syscall(unix.SYS_UNLINKAT, cwd, at(p), 0)
			unix.Syscall(unix.SYS_UNLINKAT, cwd, at(p), unix.AT_REMOVEDIR)
			unix.Syscall(unix.SYS_SYMLINKAT, at(from), cwd, at(p))
		}
	}
	stop.Store(true)
	<-ended
	return 0
}

func TestSwappingThePathReachesNothingProtected(t *testing.T) {
	t.Parallel()
	long.Test(t)
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.repositories()
		b.host("mkdir free")
		old := b.protectedFiles()
		if o := b.helper("helper-swap"); o.status.Code != 0 {
			t.Fatalf("%+v", o)
		}
		if now := b.protectedFiles(); now != old {
			t.Errorf("changed: %s", hostChange(old, now))
		}
	})
}

// The host replaces what is protected as every editor and git do, while a command
// tries all the time: a bind mount would be detached, a list of paths out of date.
func TestProtectionHoldsWhileTheHostChangesThings(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.repositories()
		// What is harmless it may write to a .git of the host's that is not whole yet: as settings,
		// which are judged.
		p, r := b.start("/bin/sh", "-c", `E="[core] fsmonitor = evil"; touch running; while test ! -e stop; do
for f in .git/config .git/hooks/pre-commit .envrc .vscode/tasks.json wt/.git new/.git/config new/.git/hooks/pre-commit a/b/c/d/.git/config moved/b/c/d/.git/config wt3/.git .git/worktrees/wt3/commondir .git/commondir; do
echo "$E" >> $f; ln -f stop0 $f; mv evil2 $f; echo "$E" > evil2; done; mv .git g; mkdir .idea2; mv .idea2 .idea; done 2> /dev/null`)
		defer r.Close()
		waitForFile(t, filepath.Join(b.ws, "running"))
		for range 3 {
			b.host(`for i in 1 2 3; do git config user.x$i y; done; echo host > .envrc.tmp; mv .envrc.tmp .envrc
mkdir .vscode; echo host > .vscode/t.tmp; mv .vscode/t.tmp .vscode/tasks.json
git init -q new; git -C new config user.name host; git worktree add -q -f wt3 2> /dev/null || :; mv a moved; mv moved a`)
			// wt3/.git is left out: a command may make a .git, and sometimes it is faster
			// than the host. Then it is a young one, until the command ends.
			b.host("if grep -rs evil .git .envrc .vscode new/.git wt/.git a/b/c/d/.git; then exit 9; fi; rm -rf new .vscode; git worktree remove --force wt3 2> /dev/null || { rm -rf wt3; git worktree prune; }")
		}
		b.host("git worktree add -q -f wt3 2> /dev/null || :; touch stop")
		_, _ = p.Wait()
		_, _ = p.End(false)
		b.host("if grep -rs evil .git .envrc wt/.git wt3/.git a/b/c/d/.git; then exit 9; fi; test ! -e .git/hooks/pre-commit; test ! -e .vscode")
	})
}

// A command that waits for the other end of a FIFO can be killed, and the next
// command finds the broker at work.
func TestAKilledFIFOWriterLeavesNothing(t *testing.T) {
	b := newBench(t)
	for range 3 {
		p, r := b.start("/bin/sh", "-c", "rm -f ff; mkfifo ff; touch there; echo x > ff")
		waitForFile(t, filepath.Join(b.ws, "there"))
		time.Sleep(20 * time.Millisecond)
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
		if st, err := p.Wait(); err != nil || st.Signal != unix.SIGKILL {
			t.Fatalf("%+v, %v", st, err)
		}
		if _, err := p.End(false); err != nil {
			t.Fatal(err)
		}
		r.Close()
		_ = os.Remove(filepath.Join(b.ws, "there"))
		nobodyHolds(t, filepath.Join(b.ws, "ff"))
	}
	if o := b.sh("echo x > f && cat f"); o.out != "x\n" {
		t.Errorf("%+v", o)
	}
}

// nobodyHolds asks the kernel whether any process has the FIFO open. Only root can see
// what a runner has open.
func nobodyHolds(t *testing.T, fifo string) {
	t.Helper()
	w, err := unix.Open(fifo, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if !errors.Is(err, unix.ENXIO) {
		_ = unix.Close(w)
		t.Errorf("somebody reads %s: %v", fifo, err)
	}
	r, err := unix.Open(fifo, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	must(t, err)
	defer unix.Close(r)
	if n, err := unix.Read(r, make([]byte, 1)); n != 0 || err != nil {
		t.Errorf("somebody writes to %s: %d, %v", fifo, n, err)
	}
}

// What was prepared where nothing is protected does not come into the workspace
// as a whole, and nothing leaves it to be changed there.
func TestNothingPreparedElsewhereComesIn(t *testing.T) {
	t.Parallel()
	long.Test(t)
	onRungs(t, Limits{}, func(b *bench) {
		t := b.t
		if _, err := os.Stat(filepath.Join(b.ws, "a")); err != nil {
			b.repositories()
		}
		old := b.protectedFiles()
		for name, script := range map[string]string{
			"a repository with a hook": "git init -q $TMPDIR/e && echo x > $TMPDIR/e/.git/hooks/pre-commit && mv $TMPDIR/e e",
			"from the home":            "git init -q $HOME/e && echo x > $HOME/e/.git/hooks/pre-commit && mv $HOME/e e",
			"an old one out and back":  "mv a $TMPDIR/a && echo x > $TMPDIR/a/b/c/d/.git/hooks/pre-commit && mv $TMPDIR/a a",
			"a link to it":             "git init -q $TMPDIR/l-pillion && mv a a2 && ln -s $TMPDIR/l-pillion a",
			"a relative link":          "mkdir -p $TMPDIR/r && ln -s $(realpath --relative-to=. $TMPDIR/r) rel",
			"a link above it":          "ln -s / top",
			"a link by /proc":          "ln -s /proc/self/root top2",
			"a link in two steps":      "mkdir mid && ln -s mid/$TMPDIR two && rmdir mid && ln -s / mid",
			"a link moved in":          "ln -s $TMPDIR $TMPDIR/l2 && mv $TMPDIR/l2 l2",
			"a link linked in":         "ln -s $TMPDIR $TMPDIR/l3 && ln -P $TMPDIR/l3 l3",
			"to where programs run":    "ln -s /run/user/0/systemd f2",
			"a link moved up":          "mkdir -p p/q && ln -s ../../$(realpath --relative-to=. $TMPDIR) p/q/l && mv p/q/l l4 && test -d l4/.",
		} {
			// With a home and a /tmp of its own a link may lead there: on the host it
			// leads to nothing that the command has written.
			if o := b.sh(script); o.status.Code == 0 && !(b.box.box.conf.Namespaced() && strings.Contains(name, "link")) {
				t.Errorf("%s: %q worked", name, script)
			}
			if name == "a link to it" {
				b.host("test ! -L a || { test ! -e a && rm a; }")
			}
			b.host("test -d a || mv a2 a; rm -rf e x f2 rel top top2 mid two l2 l3 l4 p")
			if now := b.protectedFiles(); now != old {
				t.Fatalf("%s: changed %s", name, hostChange(old, now))
			}
		}
		b.host("rm -rf f1 d1 d2 f0 s s2 env passwd dangling")
		for name, script := range map[string]string{
			"a file in":          "echo x > $TMPDIR/f1 && mv $TMPDIR/f1 f1 && test $(cat f1) = x",
			"a directory in":     "mkdir -p $TMPDIR/d1/e && touch $TMPDIR/d1/e/f && mv $TMPDIR/d1 d1 && test -f d1/e/f && test ! -e $TMPDIR/d1",
			"a directory out":    "mkdir -p d2/e && touch d2/e/f && mv d2 $TMPDIR/d2 && test -f $TMPDIR/d2/e/f && test ! -e d2",
			"links inside":       "echo x > f0 && mkdir -p s/t && ln -s ../../f0 s/t/l && ln -s $PWD/s s2 && test -e s/t/l && test -d s2/t && mv s/t/l s/t/l2",
			"links to elsewhere": "ln -s /usr/bin/env env && ln -s /etc/passwd passwd && ln -s none dangling && ! ln -s /nowhere far",
			"links in private":   "ln -s $PWD $HOME/ws && ln -s / $TMPDIR/top",
		} {
			if o := b.sh(script); o.status.Code != 0 {
				t.Errorf("%s: code %d: %s", name, o.status.Code, o.out)
			}
		}
	})
}
