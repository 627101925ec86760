package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// bench is a sandbox for one test: a workspace inside, a directory outside.
type bench struct {
	t       *testing.T
	m       *Manager
	ws, out string
	policy  Policy
	env     []string // on top of what every command gets
	box     *Sandbox // nil: the manager's
	stdin   string   // file the command reads, "" for nothing
}

func newBench(t *testing.T) *bench {
	t.Helper()
	dir, err := os.MkdirTemp("", "b") // short: socket addresses hold 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeTree(dir) })
	b := &bench{t: t, ws: filepath.Join(dir, "ws"), out: filepath.Join(dir, "out")}
	for _, d := range []string{b.ws, b.out} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Open(Options{StateDir: filepath.Join(dir, "state")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b.m = m
	b.policy = Policy{
		Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate,
		Writable: []string{b.ws}, Readable: []string{b.ws, exe},
	}
	return b
}

type outcome struct {
	status ExitStatus
	out    string // stdout and stderr together
	left   []Leftover
	pid    int
	limit  Limit
	seen   []Violation
}

// start runs argv in the sandbox; wait ends it and reads everything.
func (b *bench) start(argv ...string) (*Process, *os.File) {
	b.t.Helper()
	s, err := b.box, error(nil)
	if s == nil {
		s, err = b.m.Sandbox(b.policy)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	if b.policy.Network == NetworkProxy {
		_, _ = s.Egress() // whether anybody accepts or not
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		b.t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		b.t.Fatal(err)
	}
	dir, err := os.Open(b.ws)
	if err != nil {
		b.t.Fatal(err)
	}
	null, err := os.OpenFile(cmp.Or(b.stdin, os.DevNull), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	fd, err := syscall.Dup(int(w.Fd()))
	if err != nil {
		b.t.Fatal(err)
	}
	p, err := s.Start(context.Background(), Command{
		ID: "test", Path: path, Argv: argv, Dir: dir, Stdin: null, Stdout: w, Stderr: os.NewFile(uintptr(fd), "stderr"),
		Env: append([]string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + s.Home(), "TMPDIR=" + s.Tmp(), "OUT=" + b.out,
			"HOSTPID=" + strconv.Itoa(os.Getpid()), "REALHOME=" + realHome(),
		}, b.env...),
	})
	if err != nil {
		b.t.Fatalf("start %q: %v", argv, err)
	}
	return p, r
}

func (b *bench) run(argv ...string) outcome {
	b.t.Helper()
	p, r := b.start(argv...)
	defer r.Close()
	timer := time.AfterFunc(2*time.Minute, func() { _ = p.Kill() })
	defer timer.Stop()
	st, err := p.Wait()
	if err != nil {
		b.t.Fatalf("wait %q: %v", argv, err)
	}
	left, err := p.End(false)
	if err != nil {
		b.t.Fatalf("end %q: %v", argv, err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		b.t.Fatal(err)
	}
	limit := p.Limit()
	seen, _ := p.Violations()
	return outcome{status: st, out: string(out), left: left, pid: p.Pid(), limit: limit, seen: seen}
}

func (b *bench) sh(script string) outcome { b.t.Helper(); return b.run("/bin/sh", "-c", script) }

// helper runs this test binary inside the sandbox.
func (b *bench) helper(args ...string) outcome {
	b.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	return b.run(append([]string{exe}, args...)...)
}

func realHome() string {
	h, err := os.UserHomeDir()
	if err != nil {
		return "/root"
	}
	return h
}

func attemptHelper(name string, args []string) int {
	pid, _ := strconv.Atoi(args[4])
	b := bait{file: args[0], inside: args[1], abstract: args[2], path: args[3], pid: pid}
	b.tcp, _ = strconv.Atoi(args[5])
	b.udp, _ = strconv.Atoi(args[6])
	b.secret = args[7]
	b.shm, _ = strconv.Atoi(args[8])
	for _, a := range attempts {
		if a.name == name {
			var errno syscall.Errno
			if err := a.try(b); err != nil && !asErrno(err, &errno) {
				errno = syscall.EINVAL
			}
			fmt.Println(int(errno))
			return 0
		}
	}
	return 2
}

// everyUser runs a test as the user it was started by and, when that is root,
// again as an ordinary user, see users.
func everyUser(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	if os.Getenv("PILLION_TEST_AS") != "" {
		f(t)
		return
	}
	t.Run(fmt.Sprintf("uid=%d", os.Geteuid()), f)
	if len(users()) == 1 {
		return
	}
	t.Run("uid=65534", func(t *testing.T) { asNobody(t, strings.SplitN(t.Name(), "/", 2)[0]) })
}

func asNobody(t *testing.T, test string) {
	dir, err := os.MkdirTemp("/var/tmp", "pn-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	exe := filepath.Join(dir, "sandbox.test")
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(exe, self, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{dir, filepath.Join(dir, "t")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(d, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(exe, "-test.v", "-test.run=^"+test+"$")
	cmd.Dir = dir
	cmd.Env = []string{"PILLION_TEST_AS=65534", "TMPDIR=" + filepath.Join(dir, "t"), "HOME=" + dir, "PATH=/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+test) {
		t.Fatalf("as uid 65534: %v\n%s", err, out)
	}
}

// waitForFile waits until a file is there.
func waitForFile(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if _, err := os.Lstat(path); err == nil {
			return
		}
	}
	t.Fatalf("%s never appeared", path)
}
