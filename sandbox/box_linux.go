package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/sourcegraph/conc"
)

// maxIdle bounds the runners a sandbox keeps warm between commands.
const maxIdle = 8

// box is one sandbox on Linux: a private directory, a ruleset, and runners that
// each serve one command at a time.
type box struct {
	opts    Options
	policy  Policy
	dir     string
	lock    *os.File
	ruleset *os.File // nil in mode off

	mu     sync.Mutex
	idle   []*runnerProc
	busy   int
	closed bool

	ending conc.WaitGroup // runners that are being waited for
}

func prepare(o Options) error {
	if err := os.MkdirAll(o.StateDir, 0o700); err != nil {
		return err
	}
	sweep(sandboxBase(o))
	return nil
}

func sandboxBase(o Options) string { return filepath.Join(o.StateDir, "sandboxes") }

func openBox(o Options, p Policy) (*box, error) {
	if err := adoptOrphans(); err != nil {
		return nil, &SetupError{Stage: "subreaper", Err: err}
	}
	dir, lock, err := newPrivateDir(sandboxBase(o))
	if err != nil {
		return nil, &SetupError{Stage: "private directory", Err: err}
	}
	b := &box{opts: o, policy: p, dir: dir, lock: lock}
	if p.Mode != Off {
		rs := p.rules(b.homeDir(), b.tmpDir(), etcRules())
		if p.Network == NetworkAllow {
			rs = append(rs, rule{"/etc/resolv.conf", accessRead}) // often a link into /run
		}
		if b.ruleset, err = newRuleset(p, rs); err != nil {
			b.close(true)
			return nil, &SetupError{Stage: "ruleset", Err: err}
		}
	}
	r, err := b.newRunner()
	if err != nil {
		b.close(true)
		return nil, err
	}
	b.idle = append(b.idle, r)
	return b, nil
}

func (b *box) homeDir() string { return filepath.Join(b.dir, "home") }
func (b *box) tmpDir() string  { return filepath.Join(b.dir, "tmp") }

func (b *box) home() string {
	if b.policy.Mode == Off {
		return ""
	}
	return b.homeDir()
}

func (b *box) tmp() string {
	if b.policy.Mode == Off {
		return ""
	}
	return b.tmpDir()
}

// writable lists the roots below which a command may change anything, metadata
// included.
func (p Policy) writable(home, tmp string) []string {
	if p.Mode == WorkspaceWrite {
		return append(slices.Clone(p.Writable), home, tmp)
	}
	return []string{home, tmp}
}

// take returns a warm runner, or starts one.
func (b *box) take() (*runnerProc, error) {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil, &SetupError{Stage: "sandbox", Err: errors.New("the sandbox is closed")}
	}
	b.busy++
	if n := len(b.idle); n > 0 {
		r := b.idle[n-1]
		b.idle = b.idle[:n-1]
		b.mu.Unlock()
		return r, nil
	}
	b.mu.Unlock()
	r, err := b.newRunner()
	if err != nil {
		b.mu.Lock()
		b.busy--
		b.mu.Unlock()
	}
	return r, err
}

// give takes a runner back; one that is not healthy, or too many, is ended.
func (b *box) give(r *runnerProc, healthy bool) {
	b.mu.Lock()
	b.busy--
	if healthy && !b.closed && len(b.idle) < maxIdle {
		b.idle = append(b.idle, r)
		b.mu.Unlock()
		return
	}
	b.mu.Unlock()
	b.ending.Go(r.close) // it may have to wait for a process stuck in the kernel
}

// close ends the box; without force only when no command uses it.
func (b *box) close(force bool) bool {
	b.mu.Lock()
	if b.closed || b.busy > 0 && !force {
		b.mu.Unlock()
		return false
	}
	b.closed = true
	idle := b.idle
	b.idle = nil
	b.mu.Unlock()
	for _, r := range idle {
		r.close()
	}
	b.ending.Wait()
	_ = b.lock.Close()
	if b.ruleset != nil {
		_ = b.ruleset.Close()
	}
	removeOwn(b.dir)
	return true
}

// Start runs a command in the sandbox. The command's files are closed here
// whatever happens; the child has its own. Errors: *SpawnError when the program
// can't be executed, *SetupError when the sandbox failed.
func (s *Sandbox) Start(ctx context.Context, c Command) (*Process, error) {
	defer c.close()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := s.box.take()
		if err != nil {
			return nil, err
		}
		p, err := r.start(s.box, c)
		if errors.Is(err, errRunnerLost) && !r.fresh {
			continue // it died while idle; nothing was started
		}
		return p, err
	}
}

func (c Command) close() {
	for _, f := range []*os.File{c.Dir, c.Stdin, c.Stdout, c.Stderr} {
		if f != nil {
			_ = f.Close()
		}
	}
}
