package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"

	"github.com/pillion-sidecar/pillion/sandbox/wintoken"
)

// sharedViews are there on Linux only.
type sharedViews struct{}

func (*sharedViews) Close() {}

// host is a sandbox on Windows: a private directory, a token for its commands, what they
// may write, and a job object for each of them. No process of ours is in between; the
// kernel ends a job when our handle of it is closed.
type host struct {
	dir    string // "" in mode off
	policy Policy
	nested bool          // the sidecar is in another program's job
	token  windows.Token // 0 in mode off
	lock   *os.File
	grants wintoken.Record
}

// openBox makes a sandbox. It never idles, so that no reminder is needed.
func openBox(o Options, rung string, p Policy, remind func(time.Time)) (*box, error) {
	p.Limits = p.Limits.Or(DefaultLimits())
	b := newBox(remind)
	b.host = host{policy: p, nested: inJob()}
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
	user, err := wintoken.UserSID()
	if err != nil {
		return &SetupError{Stage: "token", Err: err}
	}
	own := wintoken.NewSID()
	if b.token, err = wintoken.MakeToken(wintoken.PlanToken(rung, b.policy, own, user)); err != nil {
		return &SetupError{Stage: "token", Err: err}
	}
	if err := layHome(b.home(), b.policy.HomeFiles); err != nil {
		return &SetupError{Stage: "private home", Err: err}
	}
	b.grants = wintoken.PlanGrants(own, b.policy)
	if err := writeRecord(b.dir, b.grants); err != nil {
		return &SetupError{Stage: "record of access rules", Err: err}
	}
	if err := b.grantAll(own); err != nil {
		return &SetupError{Stage: "access rules", Err: err}
	}
	return nil
}

// grantAll marks what commands may write. The home and TEMP are the sandbox's alone.
func (b *box) grantAll(own string) error {
	if err := errors.Join(wintoken.Grant(b.home(), own), wintoken.Grant(b.tmp(), own)); err != nil {
		return err
	}
	if len(b.grants.Roots) == 0 {
		return nil
	}
	alone, err := wintoken.LockGrants(filepath.Dir(b.dir))
	if err != nil {
		return err
	}
	defer alone.Close()
	for _, root := range b.grants.Roots {
		if err := wintoken.Grant(root, own); err != nil {
			return fmt.Errorf("%s: %w", root, err)
		}
	}
	return nil
}

// plan is what the job of each command holds.
func (b *box) plan() wintoken.JobPlan { return wintoken.PlanJob(b.policy, b.nested) }

func (b *box) home() string { return b.below("home") }

func (b *box) store() string { return b.home() }

func (b *box) tmp() string { return b.below("tmp") }

func (b *box) below(name string) string {
	if b.dir == "" {
		return ""
	}
	return filepath.Join(b.dir, name)
}

func (b *box) outputs() string { return b.policy.Outputs }

func (b *box) start(c Command) (*Process, error) {
	j, err := newJob(b.plan())
	if err != nil {
		return nil, &SetupError{Stage: "job", Err: err}
	}
	made, err := spawn(j, b.token, c)
	if err != nil {
		return nil, errors.Join(err, j.close())
	}
	p := &Process{box: b, id: c.ID, pid: made.pid, child: child{job: j, handle: made.process, console: c.Console}}
	if !b.track(p) { // before it runs: closing the box ends it
		_ = p.kill()
	}
	err = made.resume()
	_ = windows.CloseHandle(made.thread)
	if err != nil {
		b.untrack(p)
		err = errors.Join(err, j.end(killedCode), windows.CloseHandle(made.process), j.close())
		return nil, &SetupError{Stage: "start", Err: err}
	}
	return p, nil
}

func (*box) due() time.Time { return time.Time{} }

func (*box) tidy(time.Time) time.Time { return time.Time{} }

func (*box) abandon(*Process) {} // its job has ended with what was killed

// release takes back what was granted, and removes the directory.
func (b *box) release() {
	b.ending.Wait()
	if b.token != 0 {
		_ = b.token.Close()
	}
	if b.dir != "" {
		removePrivateDir(b.dir, b.lock) // what can't be taken back now is the next start's
	}
}

func (*box) apart() bool { return false }

func (*box) dial(context.Context, netip.AddrPort) (net.Conn, error) {
	return nil, errors.ErrUnsupported
}
