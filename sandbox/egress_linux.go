package sandbox

import (
	"net"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// egress is the sidecar's listener in a sandbox. Each life of the sandbox's
// processes has a network namespace and so a socket of its own; who accepts need
// not know.
type egress struct {
	mu      sync.Mutex
	changed *sync.Cond
	inner   *net.TCPListener // nil while the sandbox has no processes
	served  bool             // somebody has taken it
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
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: wire.EgressPort}
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

func (e *egress) take() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.served = !e.closed || e.served
	return !e.closed
}

func (e *egress) taken() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.served
}
