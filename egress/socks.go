package egress

import (
	"errors"
	"io"
	"net/http"
	"net/netip"
	"slices"
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

// socksGreeting agrees on a way to say who asks.
func (c *client) socksGreeting() (Peer, error) {
	c.in.Discard(1)
	methods, err := c.counted()
	if err != nil {
		return Peer{}, err
	}
	switch {
	case slices.Contains(methods, socksUserName):
		return c.socksUser()
	case slices.Contains(methods, socksNoAuth):
		_, err := c.conn.Write([]byte{socksVersion, socksNoAuth})
		return Peer{}, err
	}
	c.conn.Write([]byte{socksVersion, socksNoMethod})
	return Peer{}, errSocks("it offers no way to log in but what the proxy doesn't know")
}

// socksUser takes any name and password: the name says who asks, it is no lock.
func (c *client) socksUser() (Peer, error) {
	if _, err := c.conn.Write([]byte{socksVersion, socksUserName}); err != nil {
		return Peer{}, err
	}
	version, err := c.in.ReadByte()
	if err != nil {
		return Peer{}, err
	}
	if version != 1 {
		return Peer{}, errSocks("its log-in is not that of RFC 1929")
	}
	user, err := c.counted()
	if err != nil {
		return Peer{}, err
	}
	peer := Peer{plainToken(string(user))}
	if _, err := c.counted(); err != nil {
		return peer, err
	}
	_, err = c.conn.Write([]byte{1, socksOK})
	return peer, err
}

// socksRequest reads what is asked for; reply is what to answer to a refusal.
func (c *client) socksRequest() (t target, reply byte, r *Refusal) {
	var fixed [4]byte
	if _, err := io.ReadFull(c.in, fixed[:]); err != nil {
		return t, socksFailure, nil
	}
	switch {
	case fixed[0] != socksVersion || fixed[2] != 0:
		return t, socksFailure, malformed("", "it is no SOCKS5 request")
	case fixed[1] != socksConnect:
		return t, socksNoCommand, malformed("", "it is a SOCKS command other than CONNECT")
	}
	host, known, err := c.socksHost(fixed[3])
	if !known {
		return t, socksNoAddress, malformed("", "its address is of no kind of SOCKS5")
	}
	var port [2]byte
	if err == nil {
		_, err = io.ReadFull(c.in, port[:])
	}
	if err != nil {
		return t, socksFailure, nil
	}
	var why string
	t.port = uint16(port[0])<<8 | uint16(port[1])
	if t.name, t.addr, why = parseHost(host); why == "" && t.port == 0 {
		why = "has port 0"
	}
	if why != "" {
		return t, socksRefused, malformed(host, "it "+why)
	}
	return t, socksOK, nil
}

func (c *client) socksHost(kind byte) (host string, known bool, err error) {
	switch kind {
	case socksName:
		name, err := c.counted()
		return string(name), true, err
	case socksIPv4:
		var a [4]byte
		_, err = io.ReadFull(c.in, a[:])
		return netip.AddrFrom4(a).String(), true, err
	case socksIPv6:
		var a [16]byte
		_, err = io.ReadFull(c.in, a[:])
		return netip.AddrFrom16(a).String(), true, err
	}
	return "", false, nil
}

// counted reads a byte, and as many as it says.
func (c *client) counted() ([]byte, error) {
	n, err := c.in.ReadByte()
	if err != nil {
		return nil, err
	}
	b := make([]byte, n)
	_, err = io.ReadFull(c.in, b)
	return b, err
}

func (c *client) socksReply(code byte) error {
	_, err := c.conn.Write([]byte{socksVersion, code, 0, socksIPv4, 0, 0, 0, 0, 0, 0})
	return err
}

// errSocks is a greeting that can't be answered.
type errSocks string

func (e errSocks) Error() string { return string(e) }

func (c *client) socksFailed(err error, peer Peer) {
	var bad errSocks
	if errors.As(err, &bad) {
		c.refuse(*malformed("", err.Error()), peer)
	}
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
