package executor

import (
	"fmt"
	"hash/fnv"
	"net"
	"net/netip"
	"slices"
	"strconv"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// Forward makes a port on which a command listens reachable on 127.0.0.1 of this
// machine, for as long as it does, and says where: at host, or with 0 at one that stays
// the same for this workspace and port while it is free. A second call gives the first
// one's. Errors: *ParamError, *UnknownError, *sandbox.UnavailableError.
func (e *Engine) Forward(id string, port, host int) (int, error) {
	if err := e.apart(id); err != nil {
		return 0, err
	}
	a := e.ports
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.by[id]
	at := -1
	if l != nil && !a.closed {
		at = slices.IndexFunc(l.now, func(p sandbox.Port) bool { return p.Number == port })
	}
	if at < 0 {
		want := "a port that the command listens on"
		return 0, &ParamError{Path: "/port", Expected: want, Got: strconv.Itoa(port)}
	}
	f := l.forwards[port]
	if f == nil {
		in, err := listenOn(l.folder, port, host)
		if err != nil {
			got := fmt.Sprintf("%d (%v)", host, err)
			return 0, &ParamError{Path: "/hostPort", Expected: "a port of 127.0.0.1 that is free", Got: got}
		}
		f = newForward(in, l.box, target(l.now[at]))
		l.forwards[port] = f
		a.work.Go(f.serve)
	}
	got := f.Addr().(*net.TCPAddr).Port
	if host != 0 && got != host {
		want := fmt.Sprintf("%d, where it is forwarded already", got)
		return 0, &ParamError{Path: "/hostPort", Expected: want, Got: strconv.Itoa(host)}
	}
	return got, nil
}

// apart says why a command's ports can't be forwarded at all.
func (e *Engine) apart(id string) error {
	e.ports.mu.Lock()
	l := e.ports.by[id]
	e.ports.mu.Unlock()
	if l != nil {
		return nil
	}
	run, err := e.find(id)
	if err != nil || run == nil {
		return err
	}
	e.mu.Lock()
	box := run.place
	e.mu.Unlock()
	if box == nil {
		return nil // it listens on nothing yet
	}
	return box.Reachable()
}

// target is where something that listens at an address is reached on loopback.
func target(p sandbox.Port) netip.AddrPort {
	at, err := netip.ParseAddr(p.Address)
	switch {
	case err != nil, at == netip.IPv4Unspecified():
		at = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	case at == netip.IPv6Unspecified():
		at = netip.IPv6Loopback()
	}
	return netip.AddrPortFrom(at, uint16(p.Number))
}

// Host ports are looked for below those that the system gives to connections.
const (
	firstHostPort = 20_000
	hostPorts     = 10_000
	maxTaken      = 100
)

// listenOn takes a port of 127.0.0.1, never of another address.
func listenOn(folder string, port, host int) (in *net.TCPListener, err error) {
	if host != 0 {
		return loopback(host)
	}
	sum := fnv.New32a()
	_, _ = fmt.Fprintf(sum, "%s:%d", folder, port)
	for i := range maxTaken {
		host = firstHostPort + (int(sum.Sum32()%hostPorts)+i)%hostPorts
		if in, err = loopback(host); err == nil {
			return in, nil
		}
	}
	return nil, err
}

func loopback(port int) (*net.TCPListener, error) {
	return net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
}

// end ends a port's forward, if there is one; the caller holds mu.
func (l *listener) end(port int) {
	f := l.forwards[port]
	if f == nil {
		return
	}
	delete(l.forwards, port)
	_ = f.Close()
	f.cancel()
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.open {
		_ = c.Close()
	}
}
