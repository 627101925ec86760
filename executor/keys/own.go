package keys

import (
	"context"
	"io"
	"net"
	"sync"
	"time"

	"golang.org/x/crypto/ssh/agent"
)

// patience is how long the user's agent may take: it may ask for a touch or a word.
const patience = 2 * time.Minute

// upstream is a connection with the user's agent.
type upstream struct {
	net.Conn
	stop   func() bool
	broken bool // an answer may still be on its way, to another question
}

func (u *upstream) Read(b []byte) (n int, err error) {
	n, err = u.Conn.Read(b)
	u.broken = u.broken || err != nil
	return n, err
}

func (u *upstream) Write(b []byte) (n int, err error) {
	n, err = u.Conn.Write(b)
	u.broken = u.broken || err != nil
	return n, err
}

// own asks the user's agent, on a connection that lasts as long as the command's.
func (c *conn) own(ask func(agent.ExtendedAgent) error) error {
	if c.up == nil {
		up, err := (&net.Dialer{Timeout: patience}).DialContext(c.ctx, "unix", c.config.Socket)
		if err != nil {
			return err
		}
		c.up = &upstream{Conn: up, stop: context.AfterFunc(c.ctx, func() { _ = up.Close() })}
	}
	if err := c.up.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	// It is no Closer to the client, which would read in a goroutine of its own.
	err := ask(agent.NewClient(struct{ io.ReadWriter }{c.up}))
	if c.up.broken {
		c.hangUp()
	}
	return err
}

func (c *conn) hangUp() {
	if c.up != nil {
		c.up.stop()
		_ = c.up.Close()
		c.up = nil
	}
}

// A sandbox may make maxUses signatures at once, and then one each usePause: a rebase of a
// long branch goes through, and signatures can't be hoarded.
const (
	maxUses  = 1000
	usePause = 4 * time.Second
)

type budget struct {
	mu    sync.Mutex
	spent time.Duration // what was used, as the time it takes to come back
	at    time.Time
}

func (b *budget) spend(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent, b.at = max(0, b.spent-now.Sub(b.at)), now
	if b.spent > (maxUses-1)*usePause {
		return false
	}
	b.spent += usePause
	return true
}
