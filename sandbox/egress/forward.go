package egress

import (
	"bufio"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc"
)

// forward carries one HTTP request to t, on a connection of its own: what is
// left on a shared one would be taken for the answer to the next request. It
// says whether the client's connection can take another.
func (c *client) forward(req *http.Request, t target, peer Peer) (more bool) {
	more = req.ProtoAtLeast(1, 1) && !req.Close
	up, err := c.reach(t, peer)
	if err != nil {
		if !more || req.ContentLength != 0 {
			c.hangUp(status(err), err.Error())
			return false
		}
		return writeText(c.conn, status(err), err.Error(), true) == nil
	}
	defer c.drop(up)
	if !c.goOn(req) {
		return false
	}
	cleanRequest(req, t)
	return c.exchange(req, countedConn{up, c.row(t.host())}, more)
}

// goOn lets a client send its body that waits for that, false if it is gone.
func (c *client) goOn(req *http.Request) bool {
	if !strings.EqualFold(req.Header.Get("Expect"), "100-continue") || !req.ProtoAtLeast(1, 1) {
		return true
	}
	_, err := io.WriteString(c.conn, "HTTP/1.1 100 Continue\r\n\r\n")
	return err == nil
}

// exchange sends the request and carries the answer back. Both at once: a server
// may answer before it has read all, or not read until it has answered.
func (c *client) exchange(req *http.Request, up net.Conn, more bool) bool {
	var sent atomic.Bool
	sent.Store(req.ContentLength == 0)
	var sender conc.WaitGroup
	sender.Go(func() {
		if req.Write(up) == nil {
			sent.Store(true)
		}
		// From here on the client has nothing to say. If it goes, so does the host.
		if c.gone() {
			up.Close()
		}
	})
	keep, err := c.answer(req, up, func() bool { return more && sent.Load() })
	c.conn.SetReadDeadline(past)
	up.Close()
	sender.Wait()
	c.conn.SetReadDeadline(time.Time{})
	switch {
	case errors.Is(err, errNoAnswer):
		c.hangUp(http.StatusBadGateway, err.Error())
	case err == nil && !sent.Load():
		c.linger(5 * time.Second)
	}
	return keep && err == nil
}

var errNoAnswer = errors.New("what the host answers is no HTTP")

// answer carries the answer. keep says, when the head of it is known, whether the
// client's connection will be good for another request, and so does the head.
func (c *client) answer(req *http.Request, up net.Conn, keep func() bool) (kept bool, err error) {
	bounded := &io.LimitedReader{R: up, N: maxAnswer}
	in := bufio.NewReader(bounded)
	for range 10 {
		res, err := http.ReadResponse(in, req)
		switch {
		case err != nil || res.StatusCode == http.StatusSwitchingProtocols:
			return false, errNoAnswer
		case res.StatusCode >= 200:
			bounded.N = math.MaxInt64
			kept = keep()
			if c.lent != nil {
				c.lent.clean(res, req)
			}
			return kept, c.writeAnswer(res, req, kept)
		}
	}
	return false, errNoAnswer
}

// hopByHop are fields that are meant for the proxy, or that name the framing of
// one connection. Proxy-Authorization holds the peer's token.
var hopByHop = []string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect", "Http2-Settings",
}

func dropHopByHop(h http.Header) {
	for _, list := range h["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hopByHop {
		h.Del(name)
	}
}

// cleanRequest makes req the one that the host gets.
func cleanRequest(req *http.Request, t target) {
	dropHopByHop(req.Header)
	req.Trailer = nil
	req.Close = true
	req.Host = t.String()
	if t.port == 80 {
		req.Host = strings.TrimSuffix(req.Host, ":80")
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header["User-Agent"] = []string{""} // or net/http would add its own
	}
}

// countedConn counts what goes through a connection.
type countedConn struct {
	net.Conn
	row *row
}

func (c countedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.row.in.Add(int64(n))
	return n, err
}

func (c countedConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.row.out.Add(int64(n))
	return n, err
}
