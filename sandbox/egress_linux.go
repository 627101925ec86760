package sandbox

import (
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// egressBacklog are connections that wait until the sidecar accepts them.
const egressBacklog = 128

// listenInside makes the listening socket of a sandbox in the calling process's
// network namespace. It sets neither SO_REUSEADDR nor SO_REUSEPORT, which would
// let another socket share the port.
func listenInside() (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	err = unix.Bind(fd, &unix.SockaddrInet4{Port: EgressPort, Addr: [4]byte{127, 0, 0, 1}})
	if err == nil {
		err = unix.Listen(fd, egressBacklog)
	}
	if err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// egress is the sidecar's listener in a sandbox. Each life of the sandbox's
// processes has a network namespace and so a socket of its own; who accepts need
// not know.
type egress struct {
	mu      sync.Mutex
	changed *sync.Cond
	inner   *net.TCPListener // nil while the sandbox has no processes
	taken   bool             // somebody serves it
	closed  bool
}

func newEgress() *egress {
	e := &egress{}
	e.changed = sync.NewCond(&e.mu)
	return e
}

// Accept waits through the times in which the sandbox has no processes.
func (e *egress) Accept() (net.Conn, error) {
	for {
		in := e.current()
		if in == nil {
			return nil, &net.OpError{Op: "accept", Net: "tcp", Addr: e.Addr(), Err: net.ErrClosed}
		}
		c, err := in.Accept()
		if err == nil || e.is(in) {
			return c, err
		}
	}
}

// current is nil once e is closed.
func (e *egress) current() *net.TCPListener {
	e.mu.Lock()
	defer e.mu.Unlock()
	for e.inner == nil && !e.closed {
		e.changed.Wait()
	}
	return e.inner
}

func (e *egress) is(in *net.TCPListener) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.inner == in
}

// Addr is where commands find it.
func (e *egress) Addr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: EgressPort}
}

// Close lets nobody in any more. The port stays the sandbox's.
func (e *egress) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	e.changed.Broadcast()
	if e.inner != nil {
		deafen(e.inner)
		e.inner = nil
	}
	return nil
}

// replace goes on with the socket of the sandbox's new processes, nil for none.
func (e *egress) replace(in *net.TCPListener) {
	e.mu.Lock()
	defer e.mu.Unlock()
	old := e.inner
	e.inner = in
	if e.closed && in != nil {
		deafen(in)
		e.inner = nil
	}
	if old != nil {
		_ = old.Close() // it would keep the network of processes that are gone
	}
	e.changed.Broadcast()
}

// deafen closes a socket that the holder has, too: without shutdown it would let
// commands connect and wait for an answer for ever. tcp(7)
func deafen(in *net.TCPListener) {
	if raw, err := in.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_RDWR) })
	}
	_ = in.Close()
}

var errNoEgress = errors.New("the sandbox's network is not one with a proxy")

// unattended refuses to start a command whose network nobody serves: it would wait
// for answers that nobody gives.
func (s *Sandbox) unattended() error {
	return &UnavailableError{Requested: s.policy, Effective: s.enforcement, Missing: []Missing{{
		Feature: "network", Reason: "nobody serves the proxy of this sandbox",
		Hint: `use network "deny", or "allow" where trusted configuration grants it`,
	}}}
}

// listener is what Sandbox.Egress gives.
func (b *box) listener() (net.Listener, error) {
	e := b.egress
	if e == nil {
		return nil, errNoEgress
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, ErrClosed
	}
	e.taken = true
	return e, nil
}

// attended says that commands may rely on the box's network.
func (b *box) attended() bool {
	if b.egress == nil {
		return true
	}
	b.egress.mu.Lock()
	defer b.egress.mu.Unlock()
	return b.egress.taken
}

// carry takes the listening socket over that a new keeper's holder has made,
// before a command can know of it.
func (b *box) carry(k *keeperProc) error {
	if b.egress == nil {
		return nil
	}
	k.carrying.Do(func() {
		in, err := k.egress()
		b.mu.Lock()
		defer b.mu.Unlock()
		switch {
		case err != nil:
			k.carryErr = &SetupError{Stage: "egress", Err: err}
		case b.keeper != k: // given up meanwhile
			_ = in.Close()
		default:
			b.egress.replace(in)
		}
	})
	return k.carryErr
}

// egress asks the holder for its listening socket.
func (k *keeperProc) egress() (*net.TCPListener, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := writeFrame(k.conn, msgEgress, nil); err != nil {
		return nil, err
	}
	if err := k.conn.SetReadDeadline(time.Now().Add(endTimeout)); err != nil {
		return nil, err
	}
	f, err := readFrame(k.conn)
	if err != nil {
		return nil, err
	}
	defer closeAll(f.fds)
	if f.kind != msgEgress || len(f.fds) != 1 {
		return nil, syscall.EPROTO
	}
	l, err := net.FileListener(f.fds[0])
	if err != nil {
		return nil, err
	}
	in, ok := l.(*net.TCPListener)
	if !ok {
		return nil, errors.Join(syscall.EPROTO, l.Close())
	}
	return in, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
