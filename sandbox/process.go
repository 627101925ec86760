package sandbox

import (
	"context"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// Command is one program to start. Start takes its files over: they are closed
// in the sidecar whatever happens.
type Command struct {
	ID                    string // names it in Manager.List
	Path                  string // absolute path of the program
	Argv                  []string
	Env                   []string
	Dir                   *os.File // opened directory, so no later rename can redirect it
	Stdin, Stdout, Stderr *os.File
	Terminal              bool     // Stdin is one, and becomes the command's controlling terminal
	Console               *Console // Windows: the terminal, in place of the three files
	// Entry names what Policy.Journal keeps of this command, journal.NewName; "" for
	// nothing. EntryMeta is kept with it.
	Entry, EntryMeta string
	// KeepAll refuses changes that can't be kept: EDQUOT, and a violation of RuleUndo.
	KeepAll bool
	// Nears gets each git directory in the workspace that the command is about to change
	// for the first time, but for the folders' own, and returns before that happens. It
	// may be nil; only Linux reports them.
	Nears func(gitDir string)
	// Listens gets the ports on which the command listens in a network of the sandbox's
	// own, whenever they have changed, and none when all of it has ended. It may be nil.
	Listens func([]Port)
}

func (c Command) close() {
	for _, f := range []*os.File{c.Dir, c.Stdin, c.Stdout, c.Stderr} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// Start runs a command in the sandbox. The command's files are closed here whatever
// happens; the child has its own. Errors: *SpawnError when the program can't be executed,
// *UnavailableError when its Egress is not served, *SetupError when the sandbox failed,
// ErrClosed inside.
func (s *Sandbox) Start(ctx context.Context, c Command) (*Process, error) {
	defer c.close()
	p, err := s.start(ctx, c)
	if err != nil && c.Console != nil {
		c.Console.Close() // else the process closes it
	}
	return p, err
}

func (s *Sandbox) start(ctx context.Context, c Command) (*Process, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case strings.ContainsRune(c.Path+strings.Join(c.Argv, "")+strings.Join(c.Env, ""), 0):
		return nil, &SpawnError{Program: c.Path, Errno: syscall.EINVAL}
	case s.box.proxy != nil && !s.box.proxy.taken():
		return nil, s.unattended()
	case !s.box.hold():
		return nil, &SetupError{Stage: "sandbox", Err: ErrClosed}
	}
	p, err := s.box.start(c)
	if err != nil {
		s.box.unhold()
		return nil, err
	}
	return p, nil
}

// Process is one running command and everything it starts.
type Process struct {
	box *box
	id  string // Command.ID
	pid int

	mu    sync.Mutex
	ended bool // End was called: what it had may be another process's
	limit Limit
	seen  wire.Refused

	child // as its system follows it
}

// Pid is the main child's process id on the host.
func (p *Process) Pid() int { return p.pid }

// Wait returns when the main child has ended; its descendants may still run. An
// error means that the sandbox was lost and the tree was killed with it, or that
// nothing is known of its end. Call it once, then End.
func (p *Process) Wait() (ExitStatus, error) { return p.wait() }

// Signal sends sig to every process of the tree. It may be called while Wait blocks.
// Windows has no signals: SIGTERM and SIGKILL end the tree there, and there is no other.
func (p *Process) Signal(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return os.ErrProcessDone
	}
	return p.signal(sig)
}

// Kill sends SIGKILL to every process of the tree; Wait and End then return.
func (p *Process) Kill() error { return p.kill() }

// End deals with what the main child left, and returns what that was. It is killed, and
// End returns when the system says that the whole tree has ended; or, with leave, it stays
// in the sandbox until it ends by itself, Manager.Reset or Manager.Close. Call it once,
// after Wait.
func (p *Process) End(leave bool) ([]Leftover, error) {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	defer p.box.unhold()
	return p.end(leave)
}

// Violations are what the sandbox refused, at most 64 distinct ones, and how many there
// were in all. They are complete after End. macOS reports only what the command was ended
// for, Windows nothing: there only the program sees refusals.
func (p *Process) Violations() (rows []Violation, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.Rows, p.seen.Total
}

// Limit is the limit that ended the command, "" if none did. It is complete after
// End.
func (p *Process) Limit() Limit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.limit
}

// ExitStatus is how the main child ended, exactly.
type ExitStatus struct {
	Code     int            // exit code, -1 when a signal ended it
	Signal   syscall.Signal // 0 when it exited
	User     time.Duration
	System   time.Duration
	MaxRSS   int64 // bytes
	CoreDump bool
	Limit    Limit // what ended it, "" for itself or another program's signal
}
