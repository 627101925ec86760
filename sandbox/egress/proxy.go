package egress

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/sourcegraph/conc"
)

// Proxy connects clients to the hosts they may reach.
type Proxy struct {
	config     Config
	limits     limits
	book       *book
	questions  questions
	stats      stats
	splices    chan struct{}
	interfaces func() ([]net.Addr, error)

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	work   conc.WaitGroup

	mu        sync.Mutex
	closed    bool
	clients   int
	listeners map[net.Listener]struct{}
	conns     map[net.Conn]struct{} // of clients and hosts
	doorways  doorways
}

// New makes a proxy; it refuses rules that it can't read.
func New(c Config) (*Proxy, error) {
	b, err := newBook(c.Rules)
	if err != nil {
		return nil, err
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Dial == nil {
		c.Dial = (&net.Dialer{}).DialContext
	}
	p := &Proxy{
		config:     c,
		limits:     defaultLimits(),
		book:       b,
		questions:  questions{open: map[string]*question{}, declined: map[string]time.Time{}},
		stats:      stats{rows: map[string]*row{}},
		interfaces: net.InterfaceAddrs,
		listeners:  map[net.Listener]struct{}{},
		conns:      map[net.Conn]struct{}{},
		doorways:   doorways{open: map[doorway]map[net.Conn]bool{}, pass: map[doorway]bool{}, deaf: map[target]bool{}},
	}
	p.splices = make(chan struct{}, p.limits.splices)
	p.ctx, p.cancel = context.WithCancel(context.Background())
	if c.Resolver == nil {
		p.config.Resolver = p.resolver("")
	}
	return p, nil
}

// Allow grants a pattern from now on.
func (p *Proxy) Allow(pattern string) error { return p.book.grant(pattern) }

// Serve takes connections from l until l or p is closed, and closes l.
func (p *Proxy) Serve(l net.Listener) error {
	defer l.Close()
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.listeners[l] = struct{}{}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.listeners, l)
		p.mu.Unlock()
	}()
	return p.accept(l)
}

// accept waits and tries again when accepting fails: too many open files pass,
// and a proxy that gave up would leave its sandbox without network.
func (p *Proxy) accept(l net.Listener) error {
	const most = 30 // in a row, a second each: the listener is broken
	for failures := 0; ; {
		conn, err := l.Accept()
		switch {
		case err == nil:
			failures = 0
			p.take(conn)
			continue
		case errors.Is(err, net.ErrClosed) || p.ctx.Err() != nil:
			return nil
		case failures == most:
			return err
		}
		failures++
		p.config.Log.Warn("the proxy can't take a connection", "err", err)
		select {
		case <-time.After(min(time.Second, time.Duration(failures)*20*time.Millisecond)):
		case <-p.ctx.Done():
		}
	}
}

// take serves conn, or says that there are too many.
func (p *Proxy) take(conn net.Conn) {
	p.mu.Lock()
	full := p.clients >= p.limits.connections
	if !p.closed && !full {
		p.clients++
		p.conns[conn] = struct{}{}
		p.work.Go(func() { p.serve(conn) })
		p.mu.Unlock()
		return
	}
	p.mu.Unlock()
	if full {
		p.turnAway(conn)
	}
	conn.Close()
}

// track keeps conn for Close, false if the proxy is closed already.
func (p *Proxy) track(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.conns[conn] = struct{}{}
	}
	return !p.closed
}

// drop closes conn and forgets it.
func (p *Proxy) drop(conn net.Conn) {
	conn.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, conn)
}

// Close ends every connection and waits until all that belongs to the proxy has
// ended.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.closed = true
	p.cancel()
	for l := range p.listeners {
		l.Close()
	}
	for c := range p.conns {
		c.Close()
	}
	p.mu.Unlock()
	if r := p.work.WaitAndRecover(); r != nil {
		return r.AsError()
	}
	return nil
}
