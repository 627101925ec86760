package sandbox

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How the listening socket of a sandbox comes to the sidecar: the holder makes it,
// in its own network namespace, and hands it over when it is asked.

// proxied says that the sandbox's network leads to a proxy and nowhere else.
func (c conf) proxied() bool { return c.namespaced() && c.policy.Network == NetworkProxy }

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
