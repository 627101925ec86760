package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/sourcegraph/conc"
)

// maxIdle bounds the runners a sandbox keeps warm between commands.
const maxIdle = 8

// box is one sandbox on Linux: a private directory, a keeper, and runners that
// each serve one command at a time.
type box struct {
	conf conf
	lock *os.File

	mu     sync.Mutex
	keeper *keeperProc // nil until the first runner
	idle   []*runnerProc
	busy   int
	closed bool

	ending conc.WaitGroup // what is being waited for
}

func prepare(o Options) error {
	if err := os.MkdirAll(o.StateDir, 0o700); err != nil {
		return err
	}
	sweep(sandboxBase(o))
	return nil
}

func sandboxBase(o Options) string { return filepath.Join(o.StateDir, "sandboxes") }

func openBox(o Options, rung string, p Policy) (*box, error) {
	if err := adoptOrphans(); err != nil {
		return nil, &SetupError{Stage: "subreaper", Err: err}
	}
	dir, lock, err := newPrivateDir(sandboxBase(o))
	if err != nil {
		return nil, &SetupError{Stage: "private directory", Err: err}
	}
	b := &box{conf: newConf(o, rung, p, dir), lock: lock}
	r, err := b.newRunner()
	if err != nil {
		b.close(true)
		return nil, err
	}
	b.idle = append(b.idle, r)
	return b, nil
}

// newConf lays a sandbox out. With a mount namespace the private home appears
// where the user's own is, so that configured paths below it still mean something.
func newConf(o Options, rung string, p Policy, dir string) conf {
	p.Limits = p.Limits.or(DefaultLimits())
	c := conf{rung: rung, policy: p, dir: dir, home: filepath.Join(dir, "home"), tmp: filepath.Join(dir, "tmp")}
	if !c.namespaced() {
		return c
	}
	c.tmp, c.hidden = "/tmp", []string{o.StateDir}
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) && filepath.Clean(home) != "/" {
		c.user = filepath.Clean(home)
		c.home = privateHome(p.Reads, c.user)
	} else {
		c.home = privateHome(ReadsAll, "")
	}
	for _, d := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(d) {
			c.search = append(c.search, filepath.Clean(d))
		}
	}
	return c
}

func (b *box) home() string {
	if b.conf.confined() {
		return b.conf.home
	}
	return ""
}

// held says whether the kernel counts the processes of the sandbox's commands.
func (b *box) held() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.idle) > 0 && b.idle[0].held
}

func (b *box) tmp() string {
	if b.conf.confined() {
		return b.conf.tmp
	}
	return ""
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
	idle, keeper := b.idle, b.keeper
	b.idle = nil
	b.mu.Unlock()
	for _, r := range idle {
		r.close()
	}
	b.ending.Wait()
	if keeper != nil {
		keeper.close()
	}
	_ = b.lock.Close()
	removeOwn(b.conf.dir)
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
