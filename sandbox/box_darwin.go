package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/inside"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/seatbelt"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// sharedViews are there on Linux only.
type sharedViews struct{}

func (*sharedViews) Close() {}

// host is a sandbox on macOS: a private directory, the profile that each of its
// commands is started with, and a keeper that outlives us by a moment.
type host struct {
	belt   seatbelt.Profile
	dir    string
	exe    string
	lock   *os.File
	keeper *keeperProc
	names  int     // commands so far
	egress *egress // nil unless the network is a proxy's
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

// sandboxBase is named without links: /tmp and /var are some.
func sandboxBase(o Options) string {
	base := filepath.Join(o.StateDir, "sandboxes")
	if real, err := filepath.EvalSymlinks(base); err == nil {
		return real
	}
	return base
}

// openBox makes a sandbox. Nothing of it needs the janitor: it has no processes of
// its own but the keeper, which sleeps.
func openBox(o Options, _ string, p Policy, remind func(time.Time)) (*box, error) {
	dir, lock, err := newPrivateDir(sandboxBase(o))
	if err != nil {
		return nil, &SetupError{Stage: "private directory", Err: err}
	}
	b := newBox(remind)
	b.host = host{dir: dir, lock: lock}
	if stage, err := b.build(o, p); err != nil {
		b.close(true)
		return nil, &SetupError{Stage: stage, Err: err}
	}
	return b, nil
}

func (b *box) build(o Options, p Policy) (stage string, err error) {
	p.Limits = p.Limits.Or(DefaultLimits())
	if b.exe, err = proc.OwnProgram(); err != nil {
		return "program", err
	}
	if b.belt, err = layBelt(o, p, b.dir, b.exe); err != nil {
		return "policy", err
	}
	if err := layMarks(b.dir); err != nil {
		return "marks", err
	}
	if err := layHome(b.belt.Home, p.HomeFiles); err != nil {
		return "private home", err
	}
	if b.confined() && p.Network == NetworkProxy {
		if b.egress, err = newEgress(); err != nil {
			return "egress", err
		}
		b.proxy, b.belt.Port = b.egress, b.egress.port()
		b.ending.Go(b.egress.pump)
	}
	if b.keeper, err = startKeeper(b.exe, b.dir, b.confined(), b.lock); err != nil {
		return "keeper", err
	}
	return "", nil
}

// layMarks makes the files by which the sandbox's processes are known.
func layMarks(dir string) error {
	for _, f := range []string{inside.BoxMark, inside.NoMark} {
		if err := os.WriteFile(filepath.Join(dir, f), nil, 0o600); err != nil {
			return err
		}
	}
	return os.Mkdir(filepath.Join(dir, inside.MarksIn), 0o700)
}

func (b *box) confined() bool { return b.belt.Policy.Mode != Off }

func (b *box) home() string {
	if b.confined() {
		return b.belt.Home
	}
	return ""
}

func (b *box) store() string { return b.home() }

func (b *box) tmp() string {
	if b.confined() {
		return b.belt.Tmp
	}
	return ""
}

func (b *box) outputs() string { return b.belt.Policy.Outputs }

func (*box) due() time.Time { return time.Time{} }

func (*box) tidy(time.Time) time.Time { return time.Time{} }

func (*box) abandon(p *Process) { _ = p.endLost() }

// release lets the keeper remove the directory.
func (b *box) release() {
	if b.egress != nil {
		b.egress.end()
	}
	b.ending.Wait()
	if b.keeper != nil {
		b.keeper.close()
	}
	_ = b.lock.Close()
	if _, err := os.Lstat(b.dir); err == nil { // it was never started, or is lost
		removeOwn(b.dir)
	}
}

// A keeper is outside of one sandbox and waits for the sidecar's end, SIGKILL included:
// its input closes. Then it ends what is left of the commands, removes the sandbox's
// directory and is no more. What the sidecar does at an ordinary end is the same: it
// closes that input and waits.
type keeperProc struct {
	pid   int
	input *os.File
}

// startKeeper starts one that holds the directory's lock together with us.
func startKeeper(exe, dir string, confined bool, lock *os.File) (*keeperProc, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		_ = w.Close()
		return nil, err
	}
	defer null.Close()
	kind := inside.KeepsTree
	if confined {
		kind = inside.KeepsMarked
	}
	pid, err := syscall.ForkExec(exe, []string{wire.Keeper, dir, kind}, &syscall.ProcAttr{
		Dir: "/", Env: []string{}, Files: []uintptr{r.Fd(), null.Fd(), null.Fd(), lock.Fd()},
		Sys: &syscall.SysProcAttr{Setsid: true}, // Ctrl-C in a terminal is not for it
	})
	if err != nil {
		_ = w.Close()
		return nil, err
	}
	return &keeperProc{pid: pid, input: w}, nil
}

// enrol sends it a command's first process. An error is that it is gone.
func (k *keeperProc) enrol(pid int, start int64) error {
	_, err := fmt.Fprintf(k.input, "%d %d\n", pid, start)
	return err
}

// strike says to it that all of that command has ended.
func (k *keeperProc) strike(pid int) { _, _ = fmt.Fprintf(k.input, "%d 0\n", pid) }

// close lets it do its work and waits for that.
func (k *keeperProc) close() {
	_ = k.input.Close()
	t := time.AfterFunc(wire.EndTimeout+time.Second, func() { _ = syscall.Kill(k.pid, syscall.SIGKILL) })
	defer t.Stop()
	for {
		if _, err := syscall.Wait4(k.pid, nil, 0, nil); err != syscall.EINTR {
			return
		}
	}
}

func (*box) apart() bool { return false }

func (*box) dial(context.Context, netip.AddrPort) (net.Conn, error) {
	return nil, errors.ErrUnsupported
}
