package sandbox

import (
	"context"
	"os"
	"syscall"
	"testing"
)

// The pair to compare: the floor, and the same command in the sandbox with exact
// status and the tree's end awaited.
func BenchmarkPlainSpawn(b *testing.B) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close()
	for b.Loop() {
		p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", "true"}, &os.ProcAttr{Files: []*os.File{null, null, null}})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.Wait(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSandboxedSpawn(b *testing.B) { benchSpawn(b, WorkspaceWrite) }

// Mode off shows what the runner alone costs.
func BenchmarkOwnedSpawn(b *testing.B) { benchSpawn(b, Off) }

func benchSpawn(b *testing.B, mode Mode) {
	m, err := Open(Options{StateDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	ws := b.TempDir()
	s, err := m.Sandbox(Policy{Mode: mode, Network: NetworkDeny, Reads: ReadsPrivate, Writable: []string{ws}})
	if err != nil {
		b.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close()
	dup := func() *os.File {
		fd, _ := syscall.Dup(int(null.Fd()))
		syscall.CloseOnExec(fd)
		return os.NewFile(uintptr(fd), "null")
	}
	for b.Loop() {
		dir, err := os.Open(ws)
		if err != nil {
			b.Fatal(err)
		}
		p, err := s.Start(context.Background(), Command{Path: "/bin/sh", Argv: []string{"sh", "-c", "true"}, Dir: dir, Stdin: dup(), Stdout: dup(), Stderr: dup()})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.Wait(); err != nil {
			b.Fatal(err)
		}
		if _, err := p.End(false); err != nil {
			b.Fatal(err)
		}
	}
}
