package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// keeperProc is the sidecar's end of a sandbox's keeper.
type keeperProc struct {
	cmd        *exec.Cmd
	namespaced bool
	served     atomic.Bool // it has given us a runner
	closing    sync.Once
	carrying   sync.Once // box.carry
	carryErr   error     // what came of it

	mu     sync.Mutex // one request at a time
	conn   connLink
	holder int // pidfd, -1 until it is known
}

// startKeeper starts this very binary again; /proc/self/exe is the running one
// even when an update has replaced the file.
func startKeeper(c conf, lock *os.File) (*keeperProc, error) {
	ours, theirs, err := socketpair()
	if err != nil {
		return nil, &SetupError{Stage: "keeper socket", Err: err}
	}
	end := os.NewFile(uintptr(theirs), "keeper socket")
	defer end.Close()
	conn, err := adoptSocket(uintptr(ours))
	if err != nil {
		return nil, &SetupError{Stage: "keeper socket", Err: err}
	}
	k := &keeperProc{namespaced: c.namespaced(), holder: -1, conn: connLink{conn}, cmd: &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{keeperName, c.dir}, Env: []string{}, Dir: "/", Stderr: os.Stderr,
		ExtraFiles:  []*os.File{end, lock},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}, // a Ctrl-C at our terminal is not theirs
	}}
	if err := k.cmd.Start(); err != nil {
		_ = conn.Close()
		return nil, &SetupError{Stage: "keeper", Err: err}
	}
	_ = writeFrame(k.conn, msgConf, c.encode().b) // one that is gone is noticed next
	return k, nil
}

func (k *keeperProc) send(kind byte, fds ...int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return writeFrame(k.conn, kind, nil, fds...)
}

// settle returns when the keeper has ended what lost runners left.
func (k *keeperProc) settle() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := writeFrame(k.conn, msgSettle, nil); err != nil {
		return err
	}
	if err := k.conn.SetReadDeadline(time.Now().Add(endTimeout)); err != nil {
		return err
	}
	_, err := readFrame(k.conn)
	return err
}

// close lets the keeper end the whole sandbox, and waits for it. One that somebody
// has stopped is ended, or we could never end.
func (k *keeperProc) close() {
	k.closing.Do(func() {
		_ = k.conn.Close()
		late := time.AfterFunc(2*endTimeout, func() { _ = k.cmd.Process.Kill() })
		defer late.Stop()
		_ = k.cmd.Wait() // its exit code says nothing the sockets didn't
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
	if p, ok := readProc(runner); ok {
		if fd, err := unix.PidfdOpen(p.parent, 0); err == nil {
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
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(k.holder), Events: unix.POLLIN}}, int(endTimeout/time.Millisecond))
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
	k, err := startKeeper(b.conf, b.lock)
	if err == nil {
		b.keeper = k
	}
	return k, err
}

// giveUpKeeper leaves the box without processes; the caller holds mu and ends them.
func (b *box) giveUpKeeper() {
	b.keeper = nil
	if b.egress != nil {
		b.egress.replace(nil)
	}
}

// dropKeeper gives up a keeper that does not answer any more, and ends what it
// still has. It reports whether a new one is worth trying: one that never served
// would not do better the second time.
func (b *box) dropKeeper(k *keeperProc) bool {
	if k.settle() == nil {
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
