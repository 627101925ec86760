package sandbox

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/sandbox/inside"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

// Every attempt of the canary is refused on a Mac in good health, the stray too. The
// environments of others no profile denies.
func TestTheSelfTestRefusesEverything(t *testing.T) {
	b := newBench(t)
	report := b.m.Tested()
	if report.Rung != RungSeatbelt {
		t.Fatalf("%+v", report)
	}
	for mode, f := range b.m.whole.found.facts {
		open := slices.DeleteFunc(f.Open(), func(a string) bool { return a == assess.AttemptEnviron })
		if mode != Off && len(open) > 0 {
			t.Errorf("%s: %v got through", mode, open)
		}
	}
}

func TestOrdinaryThingsWork(t *testing.T) {
	b := newBench(t)
	for name, script := range map[string]string{
		"write":   "echo x > a && mkdir -p d/e && mv a d/e/b && cat d/e/b && rm -r d",
		"tools":   "ls / /usr/bin > /dev/null && echo x | sed s/x/y/ | grep y && date && uname -a && id",
		"tmp":     "f=$(TMPDIR=" + b.box().Tmp() + " mktemp) && echo x > $f && rm $f",
		"links":   "echo x > l1 && ln -s l1 l2 && cat l2 && rm l1 l2",
		"perl":    "! test -x /usr/bin/perl || perl -e 'print qq(x\n)'",
		"signals": "sleep 100 & kill $! && ! wait $!",
	} {
		b.works(name, script)
	}
}

func TestFilesOutsideStay(t *testing.T) {
	b := newBench(t)
	file := filepath.Join(b.out, "f")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{
		"create": "echo y > $OUT/g", "append": "echo y >> $OUT/f", "remove": "rm -f $OUT/f", "move": "mv $OUT/f .", "chmod": "chmod 777 $OUT/f",
		"read": "cat $OUT/f", "list": "ls $OUT", "home": "touch ~" + os.Getenv("USER") + "/x", "through a link": "ln -s $OUT l && echo y > l/g",
		"xattr": "xattr -w a b $OUT/f", "flags": "chflags hidden $OUT/f", "touch": "touch -t 200001010000 $OUT/f",
	} {
		b.refuses(name, script)
	}
	text, err := os.ReadFile(file)
	if err != nil || string(text) != "x" {
		t.Errorf("%q %v", text, err)
	}
}

func TestProtectedPathsStayOnAMac(t *testing.T) {
	b := newBench(t)
	cmd := exec.Command("/bin/sh", "-ec", `mkdir -p .git/hooks a/b/.git/hooks && echo x > .git/config && echo x > a/b/.git/config`)
	cmd.Dir = b.ws
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	for name, script := range map[string]string{
		"hook": "echo x > .git/hooks/pre-commit", "config": "echo x >> .git/config", "move aside": "mv .git g", "onto it": "echo x > c && mv c .git/config",
		"case": "echo x > .GIT/HOOKS/pre-commit || mkdir .GIT/HOOKS", "alias": "ln .git/config alias && echo x > alias", "by a link": "ln -s .git/hooks l && echo x > l/x",
		"absent": "mkdir .vscode", "absent file": "echo x > .envrc", "any depth": "echo x > a/b/.git/hooks/x", "renamed ancestor": "mv a z && { echo x > z/b/.git/hooks/x; r=$?; mv z a; exit $r; }",
		"a repository": "mkdir n && mkdir n/.git", "the long s": "mkdir .v\xc5\xbfcode && ls -d .vscode",
	} {
		b.refuses(name, script)
	}
	b.works("state", "echo x > .git/index.lock && mv .git/index.lock .git/index && mkdir -p .git/objects/ab && echo x > .git/HEAD")
}

func TestTheNetworkIsDenied(t *testing.T) {
	b := newBench(t)
	l := listenTCP(t)
	b.refuses("connect", "exec 3<>/dev/tcp/127.0.0.1/"+l+" || /usr/bin/nc -z 127.0.0.1 "+l)
}

func TestEveryProcessIsEnded(t *testing.T) {
	b := newBench(t)
	for name, script := range map[string]string{
		"background": "sleep 300 &",
		"orphan":     "(sleep 300 &)",
		"nohup":      "nohup sleep 300 > /dev/null 2>&1 &",
		"session":    `perl -e 'use POSIX; exit if fork; POSIX::setsid(); exit if fork; close STDOUT; sleep 300'; sleep 0.2`,
	} {
		if got := b.run(script); got.status.Code != 0 || len(got.left) == 0 {
			t.Errorf("%s: %+v", name, got)
		}
		table, err := proc.Table()
		if err != nil {
			t.Fatal(err)
		}
		m := proc.Marks{Own: b.box().box.belt.Box, None: filepath.Join(filepath.Dir(b.box().box.belt.Box), inside.NoMark)}
		for _, r := range table {
			if !r.Zombie && m.Has(r.Pid) {
				t.Errorf("%s: %+v is left", name, r)
			}
		}
	}
}

func TestKillEndsWhatRuns(t *testing.T) {
	b := newBench(t)
	p, r := b.start("trap '' TERM; sleep 300 & wait")
	defer r.Close()
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	st, err := p.Wait()
	if err != nil || st.Signal != syscall.SIGKILL || st.Code != -1 {
		t.Errorf("%+v %v", st, err)
	}
	if _, err := p.End(false); err != nil {
		t.Error(err)
	}
	if err := p.Signal(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("%v", err)
	}
}

func TestTheEndIsToldExactly(t *testing.T) {
	b := newBench(t)
	for script, want := range map[string]ExitStatus{"exit 0": {}, "exit 7": {Code: 7}, "kill -TERM $$": {Code: -1, Signal: syscall.SIGTERM}} {
		got := b.run(script).status
		if got.Code != want.Code || got.Signal != want.Signal || got.MaxRSS <= 0 || got.User+got.System <= 0 {
			t.Errorf("%s: %+v", script, got)
		}
	}
}

func TestAProgramThatCannotStartIsNamed(t *testing.T) {
	b := newBench(t)
	if err := os.WriteFile(filepath.Join(b.ws, "plain"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, errno := range map[string]syscall.Errno{"/no/such/program": unix.ENOENT, filepath.Join(b.ws, "plain"): unix.EACCES} {
		null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.box().Start(context.Background(), b.command(null, path))
		var spawn *SpawnError
		if !errors.As(err, &spawn) || spawn.Errno != errno || spawn.Program != path {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestLimitsEndACommand(t *testing.T) {
	b := newBench(t)
	b.policy.Limits = Limits{FileSize: 1 << 20, Processes: 20}
	if got := b.run("dd if=/dev/zero of=big bs=1048576 count=3; exit $?"); got.status.Code == 0 {
		t.Errorf("%+v", got)
	}
	if got := b.run("i=0; while [ $i -lt 60 ]; do sleep 20 & i=$((i+1)); done; wait"); got.limit != LimitProcesses || got.status.Signal != syscall.SIGKILL {
		t.Errorf("%+v", got)
	}
	b.policy.Limits = Limits{Memory: 200 << 20}
	if got := b.run(`perl -e '$x = "x" x (600 << 20); sleep 20'`); got.limit != LimitMemory {
		t.Errorf("%+v", got)
	}
}

func TestWhatIsLeftStaysUntilReset(t *testing.T) {
	b := newBench(t)
	p, r := b.start("sleep 300 & echo $!")
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	left, err := p.End(true)
	if err != nil || len(left) != 1 || !left[0].Left {
		t.Fatalf("%+v %v", left, err)
	}
	if all := b.m.List(); len(all) != 1 || len(all[0].Processes) != 1 || all[0].Processes[0].PID != left[0].PID {
		t.Errorf("%+v", all)
	}
	if n, err := b.m.Reset(DefaultName, false); err != nil || n != 1 {
		t.Errorf("%d %v", n, err)
	}
	if _, err := io.ReadAll(r); err != nil { // it ends: nobody has the other end
		t.Error(err)
	}
	_ = r.Close()
}

func TestATerminalIsTheCommandsOwn(t *testing.T) {
	b := newBench(t)
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := b.command(null, "/bin/sh", "-c", "test -t 0 && echo from-tty > /dev/tty")
	_ = c.Stdin.Close()
	c.Stdin, c.Terminal = theirs, true
	p, err := b.box().Start(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 64)
	n, err := ours.Read(buf)
	if err != nil || !strings.Contains(string(buf[:n]), "from-tty") {
		t.Errorf("%q %v", buf[:n], err)
	}
	if st, err := p.Wait(); err != nil || st.Code != 0 {
		t.Errorf("%+v %v", st, err)
	}
	if _, err := p.End(false); err != nil {
		t.Error(err)
	}
}

// A sidecar that is killed takes its commands and their directory along.
func TestNothingOutlivesAKilledSidecar(t *testing.T) {
	b := newBench(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(filepath.Dir(b.state), "other")
	cmd := exec.Command(exe, "helper-sidecar", state, b.ws)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 8)
	if _, err := io.ReadFull(out, buf[:1]); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	if _, err := io.ReadAll(out); err != nil { // the commands have it, too
		t.Error(err)
	}
	_ = cmd.Wait()
	for until := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		entries, err := os.ReadDir(filepath.Join(state, "sandboxes"))
		if err == nil && len(entries) == 0 {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%v is left, %v", entries, err)
		}
	}
}

// sidecarHelper starts a command with a daemon and waits to be killed.
func sidecarHelper(state, ws string) int {
	m, err := Open(Options{StateDir: state})
	if err != nil {
		return 1
	}
	s, err := m.Sandbox(Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate, Writable: []string{ws}})
	if err != nil {
		return 1
	}
	dir, err := os.Open(ws)
	if err != nil {
		return 1
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 1
	}
	if _, err = s.Start(context.Background(), Command{
		Path: "/bin/sh", Argv: []string{"sh", "-c", "(sleep 300 &); echo; sleep 300"}, Env: []string{"PATH=/usr/bin:/bin"},
		Dir: dir, Stdin: null, Stdout: os.Stdout, Stderr: os.Stderr,
	}); err != nil {
		return 1
	}
	time.Sleep(time.Minute)
	return 0
}
