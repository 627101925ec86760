package egress

import (
	"errors"
	"net/http"
	"syscall"
	"time"
)

const (
	socksVersion = 5

	socksNoAuth   = 0
	socksUserName = 2
	socksNoMethod = 0xff

	socksConnect = 1

	socksIPv4 = 1
	socksName = 3
	socksIPv6 = 4
)

// The replies of RFC 1928.
const (
	socksOK          = 0
	socksFailure     = 1
	socksRefused     = 2
	socksUnreachable = 4
	socksNoListener  = 5
	socksTimeout     = 6
	socksNoCommand   = 7
	socksNoAddress   = 8
)

// socks serves a SOCKS5 client: a greeting, a user name if it has one, and one
// CONNECT. Names are looked up here ("socks5h"); an address is judged as one.
func (c *client) socks() {
	peer, err := c.socksGreeting()
	if err != nil {
		c.socksFailed(err, peer)
		return
	}
	t, reply, r := c.socksRequest()
	if r != nil {
		c.refuse(*r, peer)
		c.socksReply(reply)
		return
	}
	if reply != socksOK {
		return
	}
	c.conn.SetDeadline(time.Time{})
	up, err := c.reach(t, peer)
	if err != nil {
		c.socksReply(socksError(err))
		return
	}
	defer c.drop(up)
	if c.socksReply(socksOK) == nil {
		c.tunnel(up, c.row(t.host()))
	}
}

func (c *client) socksReply(code byte) error {
	_, err := c.conn.Write([]byte{socksVersion, code, 0, socksIPv4, 0, 0, 0, 0, 0, 0})
	return err
}

// socksError is the reply to a host that was not opened.
func socksError(err error) byte {
	switch {
	case status(err) == http.StatusForbidden:
		return socksRefused
	case status(err) == http.StatusGatewayTimeout:
		return socksTimeout
	case errors.Is(err, syscall.ECONNREFUSED):
		return socksNoListener
	}
	return socksUnreachable
}
