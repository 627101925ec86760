package sandbox

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// egress is the sidecar's listener for one sandbox. Its port is on the host's loopback,
// where the profile lets commands reach no other; it is held as long as the sandbox lives,
// so that no other program can listen there in its place.
type egress struct {
	inner  *net.TCPListener
	six    int // the same port of ::1, held and deaf: a profile knows only "localhost"
	conns  chan net.Conn
	served atomic.Bool // it was asked for

	once   sync.Once
	closed chan struct{}
}

// portTries bounds how often a port is sought that is free on both loopbacks.
const portTries = 64

func newEgress() (*egress, error) {
	var errs []error
	for range portTries {
		l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			return nil, err
		}
		e := &egress{inner: l, conns: make(chan net.Conn), closed: make(chan struct{})}
		if e.six, err = holdSix(e.port()); err == nil {
			return e, nil
		}
		errs = append(errs, err, l.Close())
	}
	return nil, errors.Join(errs...)
}

// holdSix binds a port of ::1 and never listens; -1 where there is no such address.
func holdSix(port int) (int, error) {
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM, 0)
	if errors.Is(err, unix.EAFNOSUPPORT) {
		return -1, nil
	}
	if err != nil {
		return -1, err
	}
	unix.CloseOnExec(fd)
	err = unix.Bind(fd, &unix.SockaddrInet6{Port: port, Addr: [16]byte{15: 1}})
	switch {
	case errors.Is(err, unix.EADDRNOTAVAIL):
		return -1, unix.Close(fd)
	case err != nil:
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

func (e *egress) port() int { return e.inner.Addr().(*net.TCPAddr).Port }

// pump accepts for as long as the sandbox lives. Connections after Close are turned away.
func (e *egress) pump() {
	for {
		c, err := e.inner.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			time.Sleep(10 * time.Millisecond) // out of descriptors, or a connection that is gone
			continue
		}
		select {
		case e.conns <- c:
		case <-e.closed:
			_ = c.Close()
		}
	}
}

// Accept gives the next connection.
func (e *egress) Accept() (net.Conn, error) {
	select {
	case c := <-e.conns:
		return c, nil
	case <-e.closed:
		return nil, &net.OpError{Op: "accept", Net: "tcp", Addr: e.Addr(), Err: net.ErrClosed}
	}
}

// Addr is where commands find it.
func (e *egress) Addr() net.Addr { return e.inner.Addr() }

// Close takes no new connections. The port stays the sandbox's.
func (e *egress) Close() error {
	e.once.Do(func() { close(e.closed) })
	return nil
}

// end gives up the port; no command is left.
func (e *egress) end() {
	_ = e.Close()
	_ = e.inner.Close()
	if e.six >= 0 {
		_ = unix.Close(e.six)
	}
}

func (e *egress) take() bool {
	select {
	case <-e.closed:
		return false
	default:
	}
	e.served.Store(true)
	return true
}

func (e *egress) taken() bool { return e.served.Load() }
