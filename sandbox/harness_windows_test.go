package sandbox

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// These tests run on Windows, and in Wine (test/wine/run). Wine has the calls and
// keeps none of the rules: what it can't show is in tests whose names say so.

// tempDir is t.TempDir, whose os.RemoveAll Wine lacks the calls for.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pillion-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.RemoveTree(dir) })
	return dir
}

// rig is a sandbox with a workspace.
type rig struct {
	t   *testing.T
	m   *Manager
	s   *Sandbox
	ws  string
	exe string
}

func newRig(t *testing.T, change func(*Policy)) *rig {
	t.Helper()
	dir := tempDir(t)
	ws := filepath.Join(dir, "ws")
	if err := os.Mkdir(ws, 0o700); err != nil {
		t.Fatal(err)
	}
	m, err := Open(Options{StateDir: filepath.Join(dir, "state")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	p := Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate, Require: RequireBestEffort, Writable: []string{ws}}
	if change != nil {
		change(&p)
	}
	s, err := m.Sandbox(p)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t: t, m: m, s: s, ws: ws, exe: exe}
}

// command is the actor with its output in a pipe.
func (r *rig) command(args ...string) (c Command, in *os.File, out *os.File) {
	r.t.Helper()
	var err error
	c = Command{ID: "t", Path: r.exe, Argv: append([]string{actorName}, args...), Env: canaryEnv(r.s.box)}
	if c.Dir, err = os.Open(r.ws); err != nil {
		r.t.Fatal(err)
	}
	if c.Stdin, in, err = os.Pipe(); err != nil {
		r.t.Fatal(err)
	}
	if out, c.Stdout, err = os.Pipe(); err != nil {
		r.t.Fatal(err)
	}
	if c.Stderr, err = os.OpenFile(os.DevNull, os.O_RDWR, 0); err != nil {
		r.t.Fatal(err)
	}
	return c, in, out
}

// suspended is a command that has not run yet, in a job for the test to close.
func (r *rig) suspended(args ...string) (j job, child spawned, out *os.File) {
	r.t.Helper()
	j, err := newJob(r.s.box.plan())
	if err != nil {
		r.t.Fatal(err)
	}
	c, in, out := r.command(args...)
	r.t.Cleanup(func() { _, _ = in.Close(), out.Close() })
	child, err = spawn(j, r.s.box.token, c)
	c.close()
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(child.close)
	return j, child, out
}

func (r *rig) start(args ...string) (*Process, *os.File) {
	r.t.Helper()
	c, in, out := r.command(args...)
	p, err := r.s.Start(context.Background(), c)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _, _ = in.Close(), out.Close() })
	return p, out
}

// run runs the actor to its end.
func (r *rig) run(args ...string) (string, ExitStatus) {
	r.t.Helper()
	p, out := r.start(args...)
	st, err := p.Wait()
	if err != nil {
		r.t.Fatal(err)
	}
	if left, err := p.End(false); err != nil || len(left) > 0 {
		r.t.Fatalf("left %+v, %v", left, err)
	}
	b, err := io.ReadAll(out)
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), "\r\n", "\n"), st
}

// readNumbers reads n numbers, one a line.
func readNumbers(t *testing.T, from io.Reader, n int) []int {
	t.Helper()
	var all bytes.Buffer
	buf := make([]byte, 256)
	for bytes.Count(all.Bytes(), []byte("\n")) < n {
		got, err := from.Read(buf)
		if err != nil {
			t.Fatalf("%q: %v", all.String(), err)
		}
		all.Write(buf[:got])
	}
	var out []int
	for _, f := range strings.Fields(all.String()) {
		v, err := strconv.Atoi(f)
		if err != nil {
			t.Fatalf("%q", all.String())
		}
		out = append(out, v)
	}
	return out
}

// alive says whether a process runs.
func alive(pid int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return false
	}
	defer windows.CloseHandle(h)
	event, err := windows.WaitForSingleObject(h, 0)
	return err == nil && event == uint32(windows.WAIT_TIMEOUT)
}

// awaitDead gives processes some seconds to be gone.
func awaitDead(t *testing.T, pids []int) {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		n := 0
		for _, pid := range pids {
			if alive(pid) {
				n++
			}
		}
		if n == 0 {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%d of %v still run", n, pids)
		}
	}
}

// wine says that the rules of Windows are not kept here.
func wine() bool {
	return windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil
}
