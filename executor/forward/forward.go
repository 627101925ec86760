// Package forward makes a port on which a command listens, in a network of its own,
// reachable on the host's loopback.
package forward

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/sourcegraph/conc"
)

// Network is where the command listens.
type Network interface {
	Dial(ctx context.Context, to netip.AddrPort) (net.Conn, error)
}

// Forward is a port of the host's loopback that leads to one of a command's, for as long
// as that listens; or one inside that leads to the host's.
type Forward struct {
	net.Listener
	box Network
	to  netip.AddrPort

	ctx    context.Context // until End
	cancel context.CancelFunc
	life   context.Context // until Cut
	kill   context.CancelFunc
	mu     sync.Mutex
	open   map[net.Conn]struct{}
	room   chan struct{}
}

// breath is how long a forward waits after a connection that came to nothing.
const breath = 50 * time.Millisecond

// linger is how long a client may stay when the server is gone.
const linger = 500 * time.Millisecond

// maxForwarded are the connections of one forward; more wait.
const maxForwarded = 256

// New takes a port of 127.0.0.1: host, or with 0 one that stays the same for a folder and
// what listens at to, while it is free.
func New(box Network, folder string, to netip.AddrPort, host int) (*Forward, error) {
	in, err := listen(folder, to.Port(), host)
	if err != nil {
		return nil, err
	}
	return carrying(in, box, to), nil
}

func carrying(in net.Listener, box Network, to netip.AddrPort) *Forward {
	f := &Forward{Listener: in, box: box, to: to}
	f.open, f.room = map[net.Conn]struct{}{}, make(chan struct{}, maxForwarded)
	f.life, f.kill = context.WithCancel(context.Background())
	f.ctx, f.cancel = context.WithCancel(f.life)
	return f
}

// Port is the host's.
func (f *Forward) Port() int { return f.Addr().(*net.TCPAddr).Port }

// End takes no new connections. What the command has said on connections still arrives;
// they end with its end of them.
func (f *Forward) End() {
	_ = f.Close()
	f.cancel()
}

// Cut ends the connections as well. Serve returns soon.
func (f *Forward) Cut() {
	f.End()
	f.kill()
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.open {
		_ = c.Close()
	}
}

// Serve carries connections until the end.
func (f *Forward) Serve() {
	defer f.kill()
	var conns conc.WaitGroup
	defer conns.Wait()
	for {
		select {
		case f.room <- struct{}{}:
		case <-f.ctx.Done():
			return
		}
		c, err := f.Accept()
		if errors.Is(err, net.ErrClosed) || err != nil && f.ctx.Err() != nil {
			return
		}
		if err != nil { // a client that is gone already, or no descriptor is left
			<-f.room
			select {
			case <-f.ctx.Done():
			case <-time.After(breath):
			}
			continue
		}
		conns.Go(func() {
			defer func() { <-f.room }()
			f.carry(c)
		})
	}
}

// carry connects a client with the command.
func (f *Forward) carry(c net.Conn) {
	defer f.drop(c)
	if !f.keep(c) {
		return
	}
	in, err := f.box.Dial(f.life, f.to)
	if err != nil {
		return
	}
	defer f.drop(in)
	if !f.keep(in) {
		return
	}
	var back conc.WaitGroup
	defer back.Wait()
	back.Go(func() {
		flow(c, in)
		// A client that has heard all of a server that is gone has a moment to hang up.
		context.AfterFunc(f.ctx, func() { _ = c.SetReadDeadline(time.Now().Add(linger)) })
	})
	flow(in, c)
}

// flow passes what src says on, and its end.
func flow(dst, src net.Conn) {
	if _, err := io.Copy(dst, src); err != nil {
		_, _ = dst.Close(), src.Close()
		return
	}
	if half, ok := dst.(*net.TCPConn); ok {
		_ = half.CloseWrite()
	}
}

// keep notes a connection, which Cut ends; false says that it has.
func (f *Forward) keep(c net.Conn) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open[c] = struct{}{}
	return f.life.Err() == nil
}

func (f *Forward) drop(c net.Conn) {
	_ = c.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.open, c)
}
