package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/sourcegraph/conc"
)

// maxIdle bounds the runners a sandbox keeps warm between commands.
const maxIdle = 8

// box is one sandbox on Linux: a private directory, a keeper, and runners that
// each serve one command at a time, or what a command has left.
type box struct {
	conf   conf
	group  string // its control group, "" where we may make none
	lock   *os.File
	times  idleTimes
	remind func(time.Time) // tidy will have something to do then

	pointed *pointed // what the user's settings point to; nil where nobody looks

	occupancy
	keeper  *keeperProc // nil until the first runner, and while nobody uses us
	idle    []*runnerProc
	running map[*Process]struct{}
	left    map[*leftTree]struct{}

	egress *egress        // nil unless the network is a proxy's
	ending conc.WaitGroup // what is being waited for
}

func prepare(o Options) error {
	for _, dir := range []string{o.StateDir, sandboxBase(o)} {
		if err := ownDir(dir); err != nil {
			return err
		}
	}
	sweep(sandboxBase(o))
	return nil
}

func sandboxBase(o Options) string { return filepath.Join(o.StateDir, "sandboxes") }

// openBox makes a sandbox and its first runner. remind is told of times at which
// tidy should be called; it may be nil.
func openBox(o Options, rung string, p Policy, remind func(time.Time)) (*box, error) {
	if err := adoptOrphans(); err != nil {
		return nil, &SetupError{Stage: "subreaper", Err: err}
	}
	dir, lock, err := newPrivateDir(sandboxBase(o))
	if err != nil {
		return nil, &SetupError{Stage: "private directory", Err: err}
	}
	b := &box{
		conf: newConf(o, rung, p, dir), lock: lock, times: o.idle, remind: remind, pointed: o.pointed,
		running: map[*Process]struct{}{}, left: map[*leftTree]struct{}{},
	}
	b.open()
	if b.conf.proxied() {
		b.egress = newEgress()
	}
	if b.remind == nil {
		b.remind = func(time.Time) {}
	}
	if o.group != "" && b.conf.confined() {
		if b.group, err = makeGroup(o.group, dir); err != nil {
			b.close(true)
			return nil, &SetupError{Stage: "control group", Err: err}
		}
	}
	if err := layHome(filepath.Join(dir, "home"), p.HomeFiles); err != nil {
		b.close(true)
		return nil, &SetupError{Stage: "private home", Err: err}
	}
	r, err := b.newRunner()
	if err != nil {
		b.close(true)
		return nil, err
	}
	r.since = time.Now()
	b.idle = append(b.idle, r)
	return b, nil
}

// newConf lays a sandbox out. With a mount namespace the private home appears
// where the user's own is, so that configured paths below it still mean something.
func newConf(o Options, rung string, p Policy, dir string) conf {
	p.Limits = p.Limits.or(DefaultLimits())
	c := conf{rung: rung, policy: p, dir: dir, home: filepath.Join(dir, "home"), tmp: filepath.Join(dir, "tmp")}
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) && filepath.Clean(home) != "/" {
		c.user = filepath.Clean(home)
	}
	if !c.namespaced() {
		return c
	}
	c.tmp, c.hidden = "/tmp", []string{o.StateDir}
	c.home = privateHome(ReadsAll, "")
	if c.user != "" {
		c.home = privateHome(p.Reads, c.user)
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

// backend names the mechanisms in force, for the report.
func (b *box) backend() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.conf.backend(len(b.idle) > 0 && b.idle[0].held, b.group != "")
}

func (b *box) tmp() string {
	if b.conf.confined() {
		return b.conf.tmp
	}
	return ""
}

func (b *box) outputs() string { return b.conf.outputs() }

// retire lets no command begin any more. While commands run, or processes are
// left, it does so only if that was said to be no matter. finish must follow.
func (b *box) retire(running, left bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || !running && b.busy > 0 || !left && len(b.left) > 0 {
		return false
	}
	b.closed = true
	return true
}

// finish ends everything in the box, and the box. It tells how many of the
// processes that commands had left it killed.
func (b *box) finish() (killed int) {
	b.mu.Lock()
	for p := range b.running {
		_ = p.Kill()
	}
	b.mu.Unlock()
	killed = b.endLeft()
	b.mu.Lock()
	b.awaitSettled()
	idle, keeper := b.idle, b.keeper
	b.idle = nil
	for p := range b.running { // nobody waits for it
		_ = p.runner.conn.Close() // it ends its tree and itself, which the keeper waits for
	}
	b.mu.Unlock()
	for _, r := range idle {
		r.close()
	}
	b.ending.Wait()
	if keeper != nil {
		keeper.close()
	}
	if b.egress != nil {
		_ = b.egress.Close()
	}
	_ = b.lock.Close()
	removeOwn(b.conf.dir)
	return killed
}

// maxLost bounds how many runners may turn out to be dead before one command
// starts: more than that is no accident.
const maxLost = maxIdle + 1

// Start runs a command in the sandbox. The command's files are closed here
// whatever happens; the child has its own. Errors: *SpawnError when the program
// can't be executed, *UnavailableError when nobody serves its Egress, *SetupError when the sandbox failed, ErrClosed inside.
func (s *Sandbox) Start(ctx context.Context, c Command) (*Process, error) {
	defer c.close()
	if !s.box.attended() {
		return nil, s.unattended()
	}
	for lost := 0; ; lost++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := s.box.take()
		if err != nil {
			return nil, err
		}
		p, err := r.start(s.box, c)
		if errors.Is(err, errNeverRead) && lost < maxLost {
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
