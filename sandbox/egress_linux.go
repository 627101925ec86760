package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/mounts"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// egress is a listener of the sidecar's in a sandbox. Each life of the sandbox's
// processes has a network namespace and so a socket of its own; who accepts need
// not know.
type egress struct {
	at      *net.TCPAddr // where commands find it
	mu      sync.Mutex
	changed *sync.Cond
	inner   *net.TCPListener // nil while the sandbox has no processes
	served  bool             // it was taken
	closed  bool
}

func newEgress(ip []byte, port int) *egress {
	e := &egress{at: &net.TCPAddr{IP: ip, Port: port}}
	e.changed = sync.NewCond(&e.mu)
	return e
}

// listen makes the listeners of a box with a proxy, which have no sockets yet.
func (b *box) listen() {
	proxy := newEgress([]byte{127, 0, 0, 1}, wire.EgressPort)
	b.proxy, b.ways = proxy, []*egress{proxy}
	for _, port := range b.conf.Policy.HostPorts {
		way := newEgress(policy.HostAddress[:], port)
		b.ways, b.hostPorts = append(b.ways, way), append(b.hostPorts, way)
	}
}

// noNames is /etc/resolv.conf of a denied network: the sidecar answers at once, and no
// name is tried with another one after it. "attempts" is for resolvers that try again all
// the same.
const noNames = "nameserver 127.0.0.1\nsearch .\noptions timeout:1 attempts:1\n"

// nameHost writes what commands see as /etc/hosts where ports of the host are named, and as
// /etc/resolv.conf where no name leads anywhere.
func (b *box) nameHost() error {
	if b.conf.Namespaced() && b.conf.Policy.Network == NetworkDeny {
		return os.WriteFile(filepath.Join(b.conf.Dir, mounts.ResolverFile), []byte(noNames), 0o644)
	}
	if len(b.conf.Policy.HostPorts) == 0 || !b.conf.Namespaced() {
		return nil
	}
	text, err := os.ReadFile("/etc/hosts")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	at := policy.HostAddress
	if b.conf.Policy.Network == NetworkAllow { // the host's loopback is theirs
		at = [4]byte{127, 0, 0, 1}
	}
	text = fmt.Appendf(text, "\n%s %s\n", netip.AddrFrom4(at), policy.HostName)
	return os.WriteFile(filepath.Join(b.conf.Dir, mounts.HostsFile), text, 0o644)
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
func (e *egress) Addr() net.Addr { return e.at }

// Close takes no new connections. The port stays the sandbox's.
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
