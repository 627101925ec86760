package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/sourcegraph/conc"
	"golang.org/x/sys/windows"
)

// box is one sandbox on Windows: a private directory, a token for its commands, what
// they may write, and a job object for each of them. No process of ours stands
// between; the kernel ends a job when our handle of it is closed.
type box struct {
	dir    string // "" in mode off
	policy Policy
	nested bool          // the sidecar is in a job of somebody's
	token  windows.Token // 0 in mode off
	lock   *os.File
	grants grantRecord

	occupancy
	running map[*Process]struct{}
	trees   map[*leftTree]struct{}

	ending conc.WaitGroup // what is being waited for
}

// openBox makes a sandbox. Nothing of it idles, so that nobody needs to be reminded.
func openBox(o Options, rung string, p Policy, _ func(time.Time)) (*box, error) {
	p.Limits = p.Limits.or(DefaultLimits())
	b := &box{policy: p, nested: inJob(), running: map[*Process]struct{}{}, trees: map[*leftTree]struct{}{}}
	b.open()
	if p.Mode == Off {
		return b, nil
	}
	if err := b.confine(o, rung); err != nil {
		b.close(true)
		return nil, err
	}
	return b, nil
}

// confine makes the directory, the token and what it may write, in an order in which
// a kill at any moment leaves nothing that the next start does not undo.
func (b *box) confine(o Options, rung string) (err error) {
	if b.dir, b.lock, err = newPrivateDir(sandboxBase(o)); err != nil {
		return &SetupError{Stage: "private directory", Err: err}
	}
	user, err := userSID()
	if err != nil {
		return &SetupError{Stage: "token", Err: err}
	}
	own := newSID()
	if b.token, err = makeToken(planToken(rung, b.policy, own, user)); err != nil {
		return &SetupError{Stage: "token", Err: err}
	}
	if err := layHome(b.home(), b.policy.HomeFiles); err != nil {
		return &SetupError{Stage: "private home", Err: err}
	}
	b.grants = planGrants(own, b.policy)
	if err := writeRecord(b.dir, b.grants); err != nil {
		return &SetupError{Stage: "record of access rules", Err: err}
	}
	if err := b.grantAll(own); err != nil {
		return &SetupError{Stage: "access rules", Err: err}
	}
	return nil
}

// grantAll marks what commands may write. The home and TEMP are nobody else's.
func (b *box) grantAll(own string) error {
	if err := errors.Join(grant(b.home(), own), grant(b.tmp(), own)); err != nil {
		return err
	}
	if len(b.grants.roots) == 0 {
		return nil
	}
	alone, err := grantLock(filepath.Dir(b.dir))
	if err != nil {
		return err
	}
	defer alone.Close()
	for _, root := range b.grants.roots {
		if err := grant(root, own); err != nil {
			return fmt.Errorf("%s: %w", root, err)
		}
	}
	return nil
}

// plan is what the job of each command holds.
func (b *box) plan() jobPlan { return planJob(b.policy, b.nested) }

func (b *box) home() string { return b.below("home") }

func (b *box) tmp() string { return b.below("tmp") }

func (b *box) below(name string) string {
	if b.dir == "" {
		return ""
	}
	return filepath.Join(b.dir, name)
}

func (b *box) outputs() string { return b.policy.Outputs }

// Start runs a command in the sandbox. The command's files are closed here whatever
// happens; the child has its own. Errors: *SpawnError when the program can't be
// executed, *SetupError when the sandbox failed, ErrClosed inside.
func (s *Sandbox) Start(ctx context.Context, c Command) (*Process, error) {
	defer c.close()
	p, err := s.box.begin(ctx, c)
	if err != nil && c.Console != nil {
		c.Console.Close() // else the process closes it
	}
	return p, err
}

func (b *box) begin(ctx context.Context, c Command) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !b.hold() {
		return nil, &SetupError{Stage: "sandbox", Err: ErrClosed}
	}
	p, err := b.launch(c)
	if err != nil {
		b.unhold()
	}
	return p, err
}

func (b *box) launch(c Command) (*Process, error) {
	j, err := newJob(b.plan())
	if err != nil {
		return nil, &SetupError{Stage: "job", Err: err}
	}
	child, err := spawn(j, b.token, c)
	if err != nil {
		return nil, errors.Join(err, j.close())
	}
	p := &Process{box: b, id: c.ID, pid: child.pid, job: j, handle: child.process, console: c.Console}
	b.track(p) // before it runs: whoever closes the box ends it
	err = child.resume()
	_ = windows.CloseHandle(child.thread)
	if err != nil {
		b.untrack(p)
		err = errors.Join(err, j.end(killedCode), windows.CloseHandle(child.process), j.close())
		return nil, &SetupError{Stage: "start", Err: err}
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
