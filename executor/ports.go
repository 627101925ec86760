package executor

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/executor/forward"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// Port is one on which a command has begun to listen in a network of its own, or has
// ceased to.
type Port struct {
	ID string // of the command
	sandbox.Port
	Listening bool
}

// ports are those on which commands listen, also what they left in named sandboxes.
type ports struct {
	mu     sync.Mutex
	by     map[string]*listener // by execId
	closed bool
	live   map[*forward.Forward]struct{} // that have connections, or may get some
	work   conc.WaitGroup
}

// listener is a command that listens.
type listener struct {
	box      *sandbox.Sandbox
	folder   string // of the workspace
	now      []sandbox.Port
	forwards map[int]*forward.Forward // by the port
}

// hear takes over on what a command listens now. It is called for one command by one
// goroutine at a time.
func (s *step) hear(now []sandbox.Port) {
	e, id := s.engine, s.req.ID
	all := e.ports
	all.mu.Lock()
	l := all.by[id]
	if l == nil {
		l = &listener{box: s.box, folder: s.folders.Folders()[0], forwards: map[int]*forward.Forward{}}
		all.by[id] = l
	}
	var news []Port
	for _, p := range l.now {
		if !slices.Contains(now, p) {
			news = append(news, Port{ID: id, Port: p})
			l.end(p.Number)
		}
	}
	for _, p := range now {
		if !slices.Contains(l.now, p) {
			news = append(news, Port{ID: id, Port: p, Listening: true})
		}
	}
	if l.now = now; len(now) == 0 {
		delete(all.by, id)
	}
	all.mu.Unlock()
	if e.conf.Listens != nil {
		for _, p := range news {
			e.conf.Listens(p)
		}
	}
}

// drain is how long what commands have said on connections may take to arrive.
const drain = time.Second

// close ends every forward and waits. Nothing listens any more: every tree is gone.
func (a *ports) close() {
	a.mu.Lock()
	a.closed = true
	for f := range a.live {
		f.End()
	}
	a.mu.Unlock()
	late := time.AfterFunc(drain, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		for f := range a.live {
			f.Cut()
		}
	})
	a.work.Wait()
	late.Stop()
}

// serve carries what comes to a forward; the caller holds mu.
func (a *ports) serve(f *forward.Forward) {
	a.live[f] = struct{}{}
	a.work.Go(func() {
		f.Serve()
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.live, f)
	})
}

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
		var err error
		if f, err = forward.New(l.box, l.folder, target(l.now[at]), host); err != nil {
			got := fmt.Sprintf("%d (%v)", host, err)
			return 0, &ParamError{Path: "/hostPort", Expected: "a port of 127.0.0.1 that is free", Got: got}
		}
		l.forwards[port] = f
		a.serve(f)
	}
	got := f.Port()
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

// end ends a port's forward, if there is one; the caller holds mu.
func (l *listener) end(port int) {
	if f := l.forwards[port]; f != nil {
		delete(l.forwards, port)
		f.End()
	}
}
