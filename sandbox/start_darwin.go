package sandbox

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/inside"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// start is done when the program has begun, and not before: only the kernel knows
// whether it can.
func (b *box) start(c Command) (*Process, error) {
	p, err := b.newProcess(c.ID)
	if err != nil {
		return nil, &SetupError{Stage: "start", Err: err}
	}
	answer, err := b.fork(p, c)
	if err != nil {
		p.cleanup()
		return nil, &SetupError{Stage: "start", Err: err}
	}
	defer answer.Close()
	p.follow()
	if p.tree.Family.Born == 0 { // its processes could not be recognised
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
		return nil, errors.Join(&SetupError{Stage: "start", Err: errors.New("the process table does not have the command")}, p.endLost())
	}
	if err := b.enrol(p); err != nil {
		return nil, errors.Join(&SetupError{Stage: "keeper", Err: err}, p.endLost())
	}
	if err := p.begun(answer, c.Path); err != nil {
		return nil, errors.Join(err, p.endLost())
	}
	return p, nil
}

// beginTimeout is far more than a machine under load takes.
const beginTimeout = time.Minute

// begun reads the runner's answer: its one byte and then nothing, because exec has
// closed it.
func (p *Process) begun(answer *os.File, program string) error {
	if err := answer.SetReadDeadline(time.Now().Add(beginTimeout)); err != nil {
		return &SetupError{Stage: "start", Err: err}
	}
	b, err := io.ReadAll(answer)
	if err != nil {
		return &SetupError{Stage: "start", Err: err}
	}
	if len(b) == 0 || b[0] != inside.RunnerInside {
		<-p.exited
		return &SetupError{Stage: "sandbox-exec", Err: fmt.Errorf("it ended with code %d, signal %d before the command began", p.status.Code, p.status.Signal)}
	}
	if len(b) == 1 {
		return nil
	}
	var m wire.Launched
	if err := wire.Decode(b[1:], &m); err != nil {
		return &SetupError{Stage: "start", Err: err}
	}
	stage, errno := m.Stage, syscall.Errno(m.Errno)
	switch {
	case stage == inside.StageExec:
		return &SpawnError{Program: program, Errno: errno}
	case errno == inside.ErrUnconfined:
		return &SetupError{Stage: stage, Err: errors.New("the sandbox lets its own command write what it denies")}
	}
	return &SetupError{Stage: stage, Err: errno}
}

// newProcess makes ready what a command needs besides itself.
func (b *box) newProcess(id string) (*Process, error) {
	b.mu.Lock()
	b.names++
	name := strconv.Itoa(b.names)
	b.mu.Unlock()
	f, err := proc.NewForks()
	if err != nil {
		return nil, err
	}
	p := &Process{box: b, id: id, child: child{forks: f, exited: make(chan struct{}), unwatched: make(chan struct{}), stop: make(chan struct{})}}
	if !b.confined() {
		return p, nil
	}
	p.mark = filepath.Join(filepath.Dir(b.belt.Box), inside.MarksIn, name)
	if err := os.WriteFile(p.mark, nil, 0o600); err != nil {
		p.cleanup()
		return nil, err
	}
	return p, nil
}

// enrol sends it to the keeper, or to another one should it be lost: without one a command
// would outlive our SIGKILL.
func (b *box) enrol(p *Process) error {
	if !b.track(p) {
		return ErrClosed
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.keeper.enrol(p.pid, p.tree.Family.Born) == nil {
		return nil
	}
	lost := b.keeper
	k, err := startKeeper(b.exe, b.dir, b.confined(), b.lock)
	if err != nil {
		return err
	}
	b.keeper = k
	lost.close()
	commands := slices.Collect(maps.Keys(b.running))
	for l := range b.left {
		commands = append(commands, l.p)
	}
	for _, q := range commands {
		if err := k.enrol(q.pid, q.tree.Family.Born); err != nil {
			return err
		}
	}
	return nil
}

// fork starts a runner in the sandbox and gives what it will answer.
func (b *box) fork(p *Process, c Command) (answer *os.File, err error) {
	argv := []string{b.exe, wire.Runner}
	if b.confined() {
		belt := b.belt
		belt.Mark = p.mark
		if argv, err = belt.Argv(argv...); err != nil {
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
	l := wire.Launch{Path: c.Path, Argv: c.Argv, Env: c.Env}
	if b.confined() {
		limits := b.belt.Policy.Limits
		l.Denied = filepath.Join(filepath.Dir(b.belt.Box), inside.NoMark)
		l.FileSize, l.OpenFiles, l.CPU = limits.FileSize, min(int64(limits.OpenFiles), openMax()), limits.CPU
	}
	f, err := os.CreateTemp(b.dir, "order-")
	if err != nil {
		return nil, err
	}
	_, werr := f.Write(wire.Encode(l))
	_, serr := f.Seek(0, io.SeekStart)
	if err := errors.Join(os.Remove(f.Name()), werr, serr); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// openMax is the most descriptors that macOS gives a process, whatever it asks for:
// of an ordinary user it takes no higher limit.
func openMax() int64 {
	n, err := unix.SysctlUint32("kern.maxfilesperproc")
	if err != nil {
		return 10240 // OPEN_MAX
	}
	return int64(n)
}
