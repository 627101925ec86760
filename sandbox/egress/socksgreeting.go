package egress

import (
	"errors"
	"slices"
)

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

// socksUser takes any name and password: the name says who asks, and protects nothing.
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
	peer := Peer{Token: plainToken(string(user))}
	if _, err := c.counted(); err != nil {
		return peer, err
	}
	_, err = c.conn.Write([]byte{1, socksOK})
	return peer, err
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
