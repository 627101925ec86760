package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Start runs a command in the sandbox. The command's files are closed here
// whatever happens; the child has its own. Errors: *SpawnError when the program
// can't be executed, *UnavailableError when nobody serves its Egress, *SetupError when the sandbox failed, ErrClosed inside.
func (s *Sandbox) Start(ctx context.Context, c Command) (*Process, error) {
	defer c.close()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if strings.ContainsRune(c.Path+strings.Join(c.Argv, "")+strings.Join(c.Env, ""), 0) {
		return nil, &SpawnError{Program: c.Path, Errno: unix.EINVAL}
	}
	if s.box.egress != nil && !s.box.egress.served.Load() {
		return nil, s.unattended()
	}
	if !s.box.hold() {
		return nil, &SetupError{Stage: "sandbox", Err: ErrClosed}
	}
	p, err := s.box.start(c)
	if err != nil {
		s.box.unhold()
		return nil, err
	}
	return p, nil
}

func (c Command) close() {
	for _, f := range []*os.File{c.Dir, c.Stdin, c.Stdout, c.Stderr} {
		if f != nil {
			_ = f.Close()
		}
	}
}

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
	if p.tree.family.born == 0 { // nothing of it could be told from others
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
		return nil, errors.Join(&SetupError{Stage: "start", Err: errors.New("the process table does not have the command")}, p.settle())
	}
	if err := b.enrol(p); err != nil {
		return nil, errors.Join(&SetupError{Stage: "keeper", Err: err}, p.settle())
	}
	if err := p.begun(answer, c.Path); err != nil {
		return nil, errors.Join(err, p.settle())
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
	if len(b) == 0 || b[0] != runnerInside {
		<-p.exited
		return &SetupError{Stage: "sandbox-exec", Err: fmt.Errorf("it ended with code %d, signal %d before the command began", p.status.Code, p.status.Signal)}
	}
	if len(b) == 1 {
		return nil
	}
	d := &payload{b: b[1:]}
	stage, errno := d.string(), syscall.Errno(d.int())
	switch {
	case d.err != nil:
		return &SetupError{Stage: "start", Err: d.err}
	case stage == stageExec:
		return &SpawnError{Program: program, Errno: errno}
	case errno == errUnconfined:
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
	f, err := newForks()
	if err != nil {
		return nil, err
	}
	p := &Process{box: b, id: id, forks: f, exited: make(chan struct{}), unwatched: make(chan struct{}), stop: make(chan struct{})}
	if !b.confined() {
		return p, nil
	}
	p.mark = filepath.Join(filepath.Dir(b.belt.box), marksIn, name)
	if err := os.WriteFile(p.mark, nil, 0o600); err != nil {
		p.cleanup()
		return nil, err
	}
	return p, nil
}

// enrol tells the keeper, or another one should it be lost: without one a command
// would outlive our SIGKILL.
func (b *box) enrol(p *Process) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running[p] = struct{}{}
	if b.closed {
		return ErrClosed
	}
	if b.keeper.enrol(p.pid, p.tree.family.born) == nil {
		return nil
	}
	lost := b.keeper
	k, err := startKeeper(b.exe, b.dir, b.confined(), b.lock)
	if err != nil {
		return err
	}
	b.keeper = k
	lost.close()
	for _, trees := range []map[*Process]struct{}{b.running, b.left} {
		for q := range trees {
			if err := k.enrol(q.pid, q.tree.family.born); err != nil {
				return err
			}
		}
	}
	return nil
}
