package egress

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// maxPasses bounds what is granted to connections that may never come.
const maxPasses = 64

// gitTo connects git to t. To a host that nobody has listed it is asked what it wants before
// anything is sent: a push is one question, not one for the host and one for the login.
func (c *client) gitTo(t target, peer Peer) {
	peer.plain, peer.passed = true, c.passed(doorway{peer.Token, t})
	if peer.passed || !c.peeks(t, peer) {
		c.connect(t, peer)
		return
	}
	shown := c.posesAs(t, func(in client) {
		in.wants = &lent{t, peer}
		in.http()
	})
	if !shown { // it has been told to trust others alone, as by GIT_SSL_CAINFO
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.doorways.deaf) < maxPasses {
			c.doorways.deaf[t] = true
		}
	}
}

// peeks says that it makes a difference what git wants of t.
func (p *Proxy) peeks(t target, peer Peer) bool {
	p.mu.Lock()
	deaf := p.doorways.deaf[t]
	p.mu.Unlock()
	_, denied := p.book.denies(t)
	given := p.config.Given != nil && p.config.Given(t.host(), int(t.port), peer)
	return p.config.AskLogin != nil && p.config.Lender != nil && !deaf && !denied && !t.addr.IsValid() && !given && !p.book.allows(t)
}

// choose asks about the first request that git has for a host that is not listed. With a yes
// git is sent to where it is, and connects again.
func (c *client) choose(req *http.Request) {
	t, peer := c.wants.target, c.wants.peer
	answer, r := Unasked, t.refusal(NotListed, "it is not in the list of allowed hosts")
	r.Grant = t.String()
	gone := false
	c.watched(func(ctx context.Context) {
		defer func() { gone = ctx.Err() != nil }() // and then this was not a no
		if k, ok := readCall(req.Method, req.RequestURI); ok && k.service == gitServices[1] {
			answer = c.mayLogin(ctx, t, peer)
		}
		switch {
		case answer == Refuse:
			r.Rule, r.Reason, r.Grant = Credentials, "nobody has let git log in there", t.login()
		case answer == Unasked && c.ask(ctx, t, "", peer):
			c.mu.Lock()
			if len(c.doorways.pass) < maxPasses {
				c.doorways.pass[doorway{peer.Token, t}] = true
			}
			c.mu.Unlock()
			answer = Once
		}
	})
	switch {
	case gone:
		return
	case answer == Unasked, answer == Refuse:
		c.refuse(*r, peer)
		c.hangUp(http.StatusForbidden, r.Error())
		return
	}
	c.conn.SetDeadline(time.Now().Add(time.Second))
	_, err := fmt.Fprintf(c.conn, "HTTP/1.1 307 Temporary Redirect\r\nLocation: https://%s%s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", t.login(), req.RequestURI)
	if err == nil {
		c.linger(time.Second)
	}
}
