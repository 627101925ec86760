package sandbox

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// fork starts a runner in the sandbox and gives what it will answer.
func (b *box) fork(p *Process, c Command) (answer *os.File, err error) {
	argv := []string{b.exe, runnerName}
	if b.confined() {
		belt := b.belt
		belt.mark = p.mark
		if argv, err = belt.argv(argv...); err != nil {
			return nil, err
		}
	}
	order, err := b.order(c)
	if err != nil {
		return nil, err
	}
	defer order.Close()
	answer, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	p.pid, err = syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Dir: "/", Env: []string{}, // the runner has the command's own
		Files: []uintptr{c.Stdin.Fd(), c.Stdout.Fd(), c.Stderr.Fd(), c.Dir.Fd(), theirs.Fd(), order.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true, Setctty: c.Terminal},
	})
	if err != nil {
		return nil, errors.Join(err, answer.Close())
	}
	return answer, nil
}

// order is what the runner reads, in a file that has no name any more.
func (b *box) order(c Command) (*os.File, error) {
	l := launchOrder{path: c.Path, argv: c.Argv, env: c.Env}
	if b.confined() {
		limits := b.belt.policy.Limits
		l.denied = filepath.Join(filepath.Dir(b.belt.box), noMark)
		l.fileSize, l.openFiles, l.cpu = limits.FileSize, min(int64(limits.OpenFiles), openMax()), limits.CPU
	}
	f, err := os.CreateTemp(b.dir, "order-")
	if err != nil {
		return nil, err
	}
	_, werr := f.Write(l.encode())
	_, serr := f.Seek(0, io.SeekStart)
	if err := errors.Join(os.Remove(f.Name()), werr, serr); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
