package egress

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/sourcegraph/conc"
)

// client is a connection from the sandbox.
type client struct {
	*Proxy
	conn net.Conn
	in   *bufio.Reader // what was read of conn and not yet used
	lent *lent         // for git's requests to a host of the Lender's, else nil

	wants *lent // for git's first one to a host that is not listed, else nil
}

// serve takes what a client wants by its first byte: 5 is SOCKS5, a capital
// letter the method of an HTTP request.
func (p *Proxy) serve(conn net.Conn) {
	defer func() {
		p.drop(conn)
		p.mu.Lock()
		p.clients--
		p.mu.Unlock()
	}()
	c := &client{Proxy: p, conn: conn, in: bufio.NewReaderSize(conn, maxHead)}
	// A client that sends a byte a minute holds its place no longer than others.
	conn.SetDeadline(time.Now().Add(p.limits.head))
	first, err := c.in.Peek(1)
	switch {
	case err != nil:
	case first[0] == socksVersion:
		c.socks()
	case 'A' <= first[0] && first[0] <= 'Z':
		c.http()
	default:
		p.refuse(*malformed("", fmt.Sprintf("it begins with byte %#02x, which is neither HTTP nor SOCKS5", first[0])), Peer{})
	}
}

// turnAway answers a client that is one too many. It comes before the client has
// said a word, so that it costs nothing to keep; a new socket has room for it.
func (p *Proxy) turnAway(conn net.Conn) {
	r := Refusal{Rule: Connections, Reason: fmt.Sprintf("there are %d connections already", p.limits.connections)}
	conn.SetDeadline(time.Now().Add(100 * time.Millisecond))
	writeText(conn, 503, r.Error(), false)
	p.refuse(r, Peer{})
}

// watched calls f with a context that ends when the client goes away while it has nothing
// to say: no question, look-up or connection is needed then. Data that comes in the
// meantime stays in c.in.
//
// A client that only says that it sends no more (FIN) looks the same as one that
// was killed, and is taken for it, as net/http's server does.
func (c *client) watched(f func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	var watch conc.WaitGroup
	watch.Go(func() {
		if c.gone() {
			cancel()
		}
	})
	f(ctx)
	c.conn.SetReadDeadline(past)
	watch.Wait()
	c.conn.SetReadDeadline(time.Time{})
}

// past is a deadline that ends what waits.
var past = time.Unix(1, 0)

// gone reads ahead until the client is gone, the buffer is full or the read
// deadline passes.
func (c *client) gone() bool {
	for c.in.Buffered() < c.in.Size() {
		if _, err := c.in.Peek(c.in.Buffered() + 1); err != nil {
			return !os.IsTimeout(err)
		}
	}
	return false
}
