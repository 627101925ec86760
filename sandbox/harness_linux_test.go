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
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/canary"
	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/test/users"
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
	entry   string   // of the journal, "" for none
	keepAll bool     // or refuse
	hears   *ledger  // what it listens on, nil for nobody
}

func newBench(t *testing.T) *bench {
	t.Helper()
	dir, err := os.MkdirTemp("", "b") // short: socket addresses hold 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.RemoveTree(dir) })
	b := &bench{t: t, ws: filepath.Join(dir, "ws"), out: filepath.Join(dir, "out")}
	for _, d := range []string{b.ws, b.out} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	m := testedManager(t, filepath.Join(dir, "state"))
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

// testedManager is a Manager that need not test itself: this process has done so once.
func testedManager(t *testing.T, state string) *Manager {
	t.Helper()
	o := Options{StateDir: state}
	must(t, prepare(o))
	m := newManager(o)
	t.Cleanup(m.Close)
	once := selfTested()
	if once.found.scarce != nil {
		t.Fatalf("the self-test: %+v", once.found)
	}
	m.whole.found, m.whole.report, m.whole.tested = once.found, once.report, true
	m.whole.over.Store(true)
	saveLast(m.opts, once.found, once.report.ProbedAt)
	m.work.Go(m.keepTidy)
	return m
}

// selfTested is the outcome for this user on this machine.
var selfTested = sync.OnceValue(func() *selfTest {
	dir, err := os.MkdirTemp("", "b")
	if err != nil {
		panic(err)
	}
	defer files.RemoveTree(dir)
	m, err := Open(Options{StateDir: dir})
	if err != nil {
		panic(err)
	}
	defer m.Close()
	m.Tested()
	return &m.whole
})

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
	var listens func([]Port)
	if b.hears != nil {
		listens = b.hears.listens
	}
	p, err := s.Start(context.Background(), Command{
		Listens: listens, ID: "test", Entry: b.entry, KeepAll: b.keepAll, Path: path, Argv: argv, Dir: dir, Stdin: null, Stdout: w, Stderr: os.NewFile(uintptr(fd), "stderr"),
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
	errno, ok := canary.Attempt(name, args)
	if !ok {
		return 2
	}
	fmt.Println(int(errno))
	return 0
}

// everyUser runs a test as each of users.
func everyUser(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	users.Each(t, f)
}

// waitForFile waits until a file is there.
func waitForFile(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if _, err := os.Lstat(path); err == nil {
			return
		}
	}
	t.Fatalf("%s never appeared", path)
}

// errnoError is nil for none.
func errnoError(e syscall.Errno) error {
	if e != 0 {
		return e
	}
	return nil
}
