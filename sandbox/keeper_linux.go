package sandbox

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/mounts"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// keeperProc is the sidecar's end of a sandbox's keeper.
type keeperProc struct {
	cmd        *exec.Cmd
	namespaced bool
	served     atomic.Bool // it has given us a runner
	gone       atomic.Bool // we have let it go
	closing    sync.Once
	carrying   sync.Once // box.carry
	carryErr   error     // the result

	mu     sync.Mutex // one request at a time
	conn   wire.ConnLink
	holder int // pidfd, -1 until it is known
}

// startKeeper starts this very binary again; /proc/self/exe is the running one
// even when an update has replaced the file.
func startKeeper(c policy.Conf, lock *os.File, views []*os.File) (*keeperProc, error) {
	ours, theirs, err := wire.Socketpair()
	if err != nil {
		return nil, &SetupError{Stage: "keeper socket", Err: err}
	}
	end := os.NewFile(uintptr(theirs), "keeper socket")
	defer end.Close()
	conn, err := wire.Adopt(ours)
	if err != nil {
		return nil, &SetupError{Stage: "keeper socket", Err: err}
	}
	told, err := wire.Setup{Conf: c}.File()
	if err != nil {
		_ = conn.Close()
		return nil, &SetupError{Stage: "configuration", Err: err}
	}
	defer told.Close()
	k := &keeperProc{namespaced: c.Namespaced(), holder: -1, conn: conn, cmd: &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{wire.Keeper, c.Dir}, Env: []string{}, Dir: "/", Stderr: os.Stderr,
		ExtraFiles: append([]*os.File{end, told, lock}, views...),
		// A Ctrl-C at our terminal is not theirs. A stopped one wakes up when we end in
		// any way: it has to end everything else.
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGCONT},
	}}
	if err := k.cmd.Start(); err != nil {
		_ = conn.Close()
		return nil, &SetupError{Stage: "keeper", Err: err}
	}
	return k, nil
}

func (k *keeperProc) send(kind byte, fds ...int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return wire.Send(k.conn, kind, nil, fds...)
}

// endOrphans returns when the keeper has ended what lost runners left.
func (k *keeperProc) endOrphans() error {
	f, err := k.ask(wire.MsgOrphans, nil)
	f.Close()
	return err
}

// ask is answered by the keeper, or by the holder that it passes this on to.
func (k *keeperProc) ask(kind byte, v any) (wire.Frame, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := wire.Send(k.conn, kind, v); err != nil {
		return wire.Frame{}, err
	}
	if err := k.conn.SetReadDeadline(time.Now().Add(wire.EndTimeout)); err != nil {
		return wire.Frame{}, err
	}
	return wire.Receive(k.conn)
}

// Views are the holder's, by their paths.
func (k *keeperProc) Views() (at []string, mounts []*os.File, err error) {
	f, err := k.ask(wire.MsgViews, nil)
	if err == nil {
		err = f.Decode(&at)
	}
	if err == nil && len(at) != len(f.FDs) {
		err = syscall.EPROTO
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return at, f.FDs, nil
}

// Gone says that there is nobody to ask.
func (k *keeperProc) Gone() bool { return k.gone.Load() }

// askFile is answered by one descriptor.
func (k *keeperProc) askFile(kind byte, v any) (*os.File, error) {
	f, err := k.ask(kind, v)
	if err != nil {
		return nil, err
	}
	if f.Kind != kind || len(f.FDs) != 1 {
		f.Close()
		return nil, syscall.EPROTO
	}
	return f.FDs[0], nil
}

// close lets the keeper end the whole sandbox, and waits for it. A stopped one is ended,
// or we could never end.
func (k *keeperProc) close() {
	k.closing.Do(func() {
		k.gone.Store(true)
		_ = k.conn.Close()
		late := time.AfterFunc(2*wire.EndTimeout, func() { _ = k.cmd.Process.Kill() })
		defer late.Stop()
		_ = k.cmd.Wait() // its exit code adds nothing to what the sockets said
		k.reapHolder()
	})
}

// know finds the holder by a runner, its child.
func (k *keeperProc) know(runner int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.namespaced || k.holder >= 0 {
		return
	}
	if p, ok := proc.Read(runner); ok {
		if fd, err := unix.PidfdOpen(p.Parent, 0); err == nil {
			k.holder = fd
		}
	}
}

// reapHolder collects the holder of a keeper that was killed: it is our child
// then, and would stay a zombie. Else the keeper has done so.
func (k *keeperProc) reapHolder() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.holder < 0 {
		return
	}
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(k.holder), Events: unix.POLLIN}}, int(wire.EndTimeout/time.Millisecond))
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	_ = unix.Waitid(unix.P_PIDFD, k.holder, nil, unix.WEXITED|unix.WNOHANG, nil)
	_ = unix.Close(k.holder)
	k.holder = -1
}

// kill ends a keeper that does not answer.
func (k *keeperProc) kill() {
	_ = k.cmd.Process.Kill()
	k.close()
}

// takeKeeper returns the sandbox's keeper, started on first use.
func (b *box) takeKeeper() (*keeperProc, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.keeper != nil {
		return b.keeper, nil
	}
	err := b.views.Share(b.conf, wire.SetupFD+1, func(c policy.Conf, views []*os.File) (_ mounts.Giver, err error) {
		b.keeper, err = startKeeper(c, b.lock, views)
		return b.keeper, err
	})
	return b.keeper, err
}

// giveUpKeeper leaves the box without processes; the caller holds mu and ends them.
func (b *box) giveUpKeeper() {
	b.keeper = nil
	b.desk.Replace(nil)
	for _, w := range b.ways {
		w.replace(nil)
	}
}

// dropKeeper gives up a keeper that does not answer any more, and ends what it
// still has. It reports whether a new one is worth trying: one that never served
// would not do better the second time.
func (b *box) dropKeeper(k *keeperProc) bool {
	if k.endOrphans() == nil {
		return false // it is well: only a runner was lost
	}
	b.lose(k)
	return k.served.Load()
}

// lose ends a keeper and all it still has.
func (b *box) lose(k *keeperProc) {
	b.mu.Lock()
	if b.keeper == k {
		b.giveUpKeeper()
	}
	b.mu.Unlock()
	k.kill()
}

// carry takes the listening sockets over that a new keeper's holder has made,
// before a command can know of them.
func (b *box) carry(k *keeperProc) error {
	if !b.conf.OwnNetwork() {
		return nil
	}
	k.carrying.Do(func() {
		in, names, err := k.egress(len(b.ways))
		b.mu.Lock()
		defer b.mu.Unlock()
		switch {
		case err != nil:
			k.carryErr = &SetupError{Stage: "egress", Err: err}
		case names != nil && b.keeper == k:
			b.desk.Replace(names)
		case names != nil:
			_ = names.Close()
		case b.keeper != k: // given up meanwhile
			for _, l := range in {
				_ = l.Close()
			}
		default:
			for i, w := range b.ways {
				w.replace(in[i])
			}
		}
	})
	return k.carryErr
}

// egress asks the holder for its listening sockets; where nothing leads out, for the one that
// resolvers ask, nil if it has none.
func (k *keeperProc) egress(ways int) (in []*net.TCPListener, names net.PacketConn, err error) {
	f, err := k.ask(wire.MsgEgress, nil)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	switch {
	case f.Kind != wire.MsgEgress || len(f.FDs) != ways && ways > 0:
		return nil, nil, syscall.EPROTO
	case ways == 0 && len(f.FDs) == 1:
		names, err = net.FilePacketConn(f.FDs[0])
		return nil, names, err
	}
	for _, file := range f.FDs {
		l, err := net.FileListener(file)
		if err != nil {
			for _, l := range in {
				_ = l.Close()
			}
			return nil, nil, err
		}
		in = append(in, l.(*net.TCPListener)) // the holder is ours, and makes no others
	}
	return in, nil, nil
}
