package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/hostgit"
	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/sandbox/mounts"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

// maxIdle bounds the runners a sandbox keeps warm between commands.
const maxIdle = 8

type sharedViews = mounts.Views

// host is a sandbox on Linux: a private directory, a keeper, and runners that each serve
// one command at a time, or what a command has left.
type host struct {
	conf  policy.Conf
	group string // its control group, "" where we may make none
	lock  *os.File
	times idleTimes

	pointed *hostgit.Pointers // what the user's settings point to; nil where they are not looked at
	views   *sharedViews      // those of all sandboxes of this process; nil for none

	keeper *keeperProc // nil until the first runner, and while the sandbox is unused
	idle   []*runnerProc
	ways   []*egress // the sidecar's listeners: the proxy's, if there is one, and those of HostPorts
}

// pointing is what the user's settings point to, for a command that starts now.
func (b *box) pointing() []string {
	if b.conf.Policy.Mode != WorkspaceWrite {
		return nil
	}
	return b.pointed.Below(b.conf.Policy.Writable)
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

// openBox makes a sandbox and its first runner. remind gets the times at which tidy should
// be called; it may be nil.
func openBox(o Options, rung string, p Policy, remind func(time.Time)) (*box, error) {
	if err := proc.AdoptOrphans(); err != nil {
		return nil, &SetupError{Stage: "subreaper", Err: err}
	}
	dir, lock, err := newPrivateDir(sandboxBase(o))
	if err != nil {
		return nil, &SetupError{Stage: "private directory", Err: err}
	}
	b := newBox(remind)
	b.host = host{conf: newConf(o, rung, p, dir), lock: lock, times: o.idle, pointed: o.pointed, views: o.views}
	if b.conf.Proxied() {
		b.listen()
	}
	if o.group != "" && b.conf.Sandboxed() {
		if b.group, err = limits.MakeGroup(o.group, dir); err != nil {
			b.close(true)
			return nil, &SetupError{Stage: "control group", Err: err}
		}
	}
	if err := layHome(filepath.Join(dir, "home"), p.HomeFiles); err != nil {
		b.close(true)
		return nil, &SetupError{Stage: "private home", Err: err}
	}
	if err := b.nameHost(); err != nil {
		b.close(true)
		return nil, &SetupError{Stage: "names of hosts", Err: err}
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
func newConf(o Options, rung string, p Policy, dir string) policy.Conf {
	p.Limits = p.Limits.Or(DefaultLimits())
	c := policy.Conf{Rung: rung, Policy: p, Dir: dir, Home: filepath.Join(dir, "home"), Tmp: filepath.Join(dir, "tmp")}
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) && filepath.Clean(home) != "/" {
		c.UserHome = filepath.Clean(home)
		if real, err := filepath.EvalSymlinks(home); err == nil && real != c.UserHome && real != "/" {
			c.Policy.Links = append(slices.Clone(p.Links), c.UserHome)
			c.UserHome = real
		}
	}
	if !c.Namespaced() {
		return c
	}
	c.Tmp, c.Hidden = "/tmp", []string{o.StateDir}
	c.Home = mounts.PrivateHome(ReadsAll, "")
	if c.UserHome != "" {
		c.Home = mounts.PrivateHome(p.Reads, c.UserHome)
	}
	for _, d := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(d) {
			c.Search = append(c.Search, filepath.Clean(d))
		}
	}
	return c
}

func (b *box) home() string {
	if b.conf.Sandboxed() {
		return b.conf.Home
	}
	return ""
}

func (b *box) store() string {
	if b.conf.Sandboxed() {
		return filepath.Join(b.conf.Dir, "home")
	}
	return ""
}

// backend names the mechanisms in force, for the report.
func (b *box) backend() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.conf.Backend(len(b.idle) > 0 && b.idle[0].held, b.group != "")
}

func (b *box) tmp() string {
	if b.conf.Sandboxed() {
		return b.conf.Tmp
	}
	return ""
}

func (b *box) outputs() string { return b.conf.Outputs() }

// release ends the processes of the box, and removes its directory.
func (b *box) release() {
	b.mu.Lock()
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
	for _, w := range b.ways {
		_ = w.Close()
	}
	b.desk.Replace(nil)
	_ = b.lock.Close()
	removeOwn(b.conf.Dir)
}

// abandon lets the runner end its tree and itself, which the keeper waits for.
func (*box) abandon(p *Process) { _ = p.runner.conn.Close() }

// take returns a warm runner, or starts one.
func (b *box) take() (*runnerProc, error) {
	b.mu.Lock()
	if n := len(b.idle); n > 0 {
		defer b.mu.Unlock()
		r := b.idle[n-1]
		b.idle = b.idle[:n-1]
		return r, nil
	}
	b.mu.Unlock()
	return b.newRunner()
}

// keep takes a runner back. One that is not healthy, or too many, is ended.
func (b *box) keep(r *runnerProc, healthy bool) {
	b.mu.Lock()
	if !healthy || b.closed || len(b.idle) >= maxIdle {
		b.ending.Go(r.close) // it may have to wait for a process stuck in the kernel
		b.mu.Unlock()
		return
	}
	r.since = time.Now()
	b.idle = append(b.idle, r)
	due := b.due()
	b.mu.Unlock()
	b.tellDue(due)
}

// due is when tidy has something to do; the caller holds mu.
func (b *box) due() time.Time {
	var oldest, last time.Time
	if len(b.idle) > 0 {
		oldest = b.idle[0].since
	}
	if b.unused() {
		last = b.used
	}
	return b.times.due(len(b.idle), oldest, last)
}

// unused says that processes of ours run, and none of a command; the caller holds mu.
func (b *box) unused() bool {
	return !b.closed && b.keeper != nil && b.busy == 0 && len(b.left) == 0
}

// tidy ends what has been idle for too long and says when there will be more. A sandbox
// that was unused for long gives up its processes, not its home: the next command starts
// them again.
func (b *box) tidy(now time.Time) time.Time {
	b.mu.Lock()
	var old []*runnerProc
	for len(b.idle) > 1 && now.Sub(b.idle[0].since) >= b.times.runner {
		old = append(old, b.idle[0])
		b.idle = b.idle[1:]
	}
	var k *keeperProc
	if b.unused() && now.Sub(b.used) >= b.times.sandbox {
		old = append(old, b.idle...)
		k, b.idle = b.keeper, nil
		b.giveUpKeeper()
	}
	next := b.due()
	b.mu.Unlock()
	for _, r := range old {
		r.close()
	}
	if k != nil {
		k.close()
	}
	return next
}
