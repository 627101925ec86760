package sandbox

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// bench is a sandbox for one test: a workspace inside, a directory outside.
type bench struct {
	t       *testing.T
	m       *Manager
	ws, out string
	state   string
	policy  Policy
}

func newBench(t *testing.T) *bench {
	t.Helper()
	dir, err := os.MkdirTemp("/private/tmp", "b")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.RemoveTree(dir) })
	b := &bench{t: t, ws: filepath.Join(dir, "ws"), out: filepath.Join(dir, "out"), state: filepath.Join(dir, "state")}
	for _, d := range []string{b.ws, b.out} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if b.m, err = Open(Options{StateDir: b.state}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.m.Close)
	b.policy = Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate, Writable: []string{b.ws}, Readable: []string{b.ws}}
	return b
}

type outcome struct {
	status ExitStatus
	out    string // stdout and stderr together
	left   []Leftover
	limit  Limit
}

// command is argv in the workspace, writing to w.
func (b *bench) command(w *os.File, argv ...string) Command {
	b.t.Helper()
	open := func(path string) *os.File {
		f, err := os.Open(path)
		if err != nil {
			b.t.Fatal(err)
		}
		return f
	}
	second, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	return Command{
		ID: b.t.Name(), Path: argv[0], Argv: argv, Dir: open(b.ws), Stdin: open(os.DevNull), Stdout: w, Stderr: second,
		Env: []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent", "OUT=" + b.out},
	}
}

func (b *bench) box() *Sandbox {
	b.t.Helper()
	s, err := b.m.Sandbox(b.policy)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// start runs a script; what it prints comes from the reader.
func (b *bench) start(script string) (*Process, *os.File) {
	b.t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		b.t.Fatal(err)
	}
	p, err := b.box().Start(context.Background(), b.command(w, "/bin/sh", "-c", "exec 2>&1\n"+script))
	if err != nil {
		_ = r.Close()
		b.t.Fatal(err)
	}
	return p, r
}

// run takes a script through its whole life.
func (b *bench) run(script string) outcome {
	b.t.Helper()
	p, r := b.start(script)
	defer r.Close()
	st, err := p.Wait()
	if err != nil {
		b.t.Fatal(err)
	}
	left, err := p.End(false)
	if err != nil {
		b.t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		b.t.Fatal(err)
	}
	return outcome{status: st, out: strings.TrimSpace(string(text)), left: left, limit: p.Limit()}
}

// refuses runs a script that must fail as the kernel refuses.
func (b *bench) refuses(name, script string) {
	b.t.Helper()
	if got := b.run(script); got.status.Code == 0 || !strings.Contains(got.out, "not permitted") {
		b.t.Errorf("%s: code %d, %s", name, got.status.Code, got.out)
	}
}

func (b *bench) works(name, script string) {
	b.t.Helper()
	if got := b.run(script); got.status.Code != 0 {
		b.t.Errorf("%s: code %d, signal %d, %s", name, got.status.Code, got.status.Signal, got.out)
	}
}
