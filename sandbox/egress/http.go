package egress

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// http serves the requests of a connection one after the other. Each is judged anew: a
// permission for the first one doesn't cover the next.
func (c *client) http() {
	for more := true; more; {
		raw, err := c.readHead()
		if err != nil {
			c.headFailed(err)
			return
		}
		h, why := judgeHead(raw)
		if why != "" {
			c.badRequest(malformed("", why), Peer{})
			return
		}
		before := c.in.Buffered()
		req, err := http.ReadRequest(c.in)
		if err != nil {
			c.badRequest(malformed("", "net/http can't read it: "+quoted(err.Error())), Peer{})
			return
		}
		if before-c.in.Buffered() != h.size {
			c.badRequest(malformed("", "its head has two ends"), Peer{})
			return
		}
		c.conn.SetDeadline(time.Time{})
		more = c.request(req, h)
		c.conn.SetDeadline(time.Now().Add(c.limits.idle))
		if more {
			if _, err := c.in.Peek(1); err != nil {
				return
			}
			c.conn.SetDeadline(time.Now().Add(c.limits.head))
		}
	}
}

// request serves one, and says whether the connection can take another.
func (c *client) request(req *http.Request, h head) bool {
	if c.lent != nil {
		return c.git(req, h)
	}
	if c.wants != nil {
		c.choose(req)
		return false
	}
	peer, password := peerOf(req)
	peer.SSH = password == sshPassword
	t, r := requested(req, h)
	if r != nil {
		c.badRequest(r, peer)
		return false
	}
	switch {
	case req.Method != http.MethodConnect:
		return c.forward(req, t, peer)
	case password == helperPassword:
		c.help(t, peer)
	case password == lenderPassword && c.lends(t, peer):
		c.lend(t, peer)
	case password == lenderPassword:
		c.gitTo(t, peer)
	default:
		c.connect(t, peer)
	}
	return false
}

// requested is where a request wants to go. Its target decides; a Host line that
// names another is refused, because some servers and logs believe that one.
func requested(req *http.Request, h head) (target, *Refusal) {
	authority, port := req.RequestURI, uint16(0)
	if req.Method != http.MethodConnect {
		rest, ok := cutScheme(req.RequestURI)
		if !ok {
			return target{}, malformed("", "its target is not http://host/path; for https:// a client uses CONNECT")
		}
		port, authority = 80, rest
		if i := strings.IndexAny(rest, `/?\`); i >= 0 {
			authority = rest[:i]
		}
	} else if req.ContentLength != 0 {
		return target{}, malformed(authority, "it is a CONNECT with a body")
	}
	t, why := parseTarget(authority, port)
	if why != "" {
		return t, malformed(authority, "it "+why)
	}
	if h.host != "" {
		named, why := parseTarget(h.host, t.port)
		if why != "" || named != t {
			return t, malformed(authority, "its Host line names "+quoted(h.host))
		}
	}
	return t, nil
}

func cutScheme(uri string) (string, bool) {
	const scheme = "http://"
	if len(uri) < len(scheme) || !strings.EqualFold(uri[:len(scheme)], scheme) {
		return "", false
	}
	return uri[len(scheme):], true
}

// peerOf is who the client says to the proxy that it is, and with which password.
func peerOf(req *http.Request) (Peer, string) {
	basic := http.Request{Header: http.Header{"Authorization": req.Header["Proxy-Authorization"]}}
	user, password, _ := basic.BasicAuth()
	return Peer{Token: plainToken(user)}, password
}

// plainToken is a token that can be one, "" otherwise: it goes into reports.
func plainToken(s string) string {
	if len(s) > 128 || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return ""
	}
	return s
}

// headFailed ends a connection on which no request came.
func (c *client) headFailed(err error) {
	switch {
	case errors.Is(err, errHeadTooLong):
		c.answerBad(431, malformed("", err.Error()), Peer{})
	case os.IsTimeout(err):
		c.answerBad(408, malformed("", "its head took too long"), Peer{})
	case errors.Is(err, io.ErrUnexpectedEOF):
		c.refuse(*malformed("", "it ends within its head"), Peer{})
	}
}

func (c *client) badRequest(r *Refusal, peer Peer) { c.answerBad(400, r, peer) }

func (c *client) answerBad(status int, r *Refusal, peer Peer) {
	c.refuse(*r, peer)
	c.hangUp(status, r.Error())
}
