package egress

import (
	"context"
	"io"
	"net"
	"strings"
)

// hostKeyField has a line for the known_hosts of git's ssh.
const hostKeyField = "Pillion-Host-Key"

// established begins the answer to a CONNECT that is granted.
const established = "HTTP/1.1 200 Connection established\r\n"

// connect opens a tunnel to t, or says why not.
func (c *client) connect(t target, peer Peer) {
	up, err := c.reach(t, peer)
	if err != nil {
		c.hangUp(status(err), err.Error())
		return
	}
	defer c.drop(up)
	if peer.plain {
		defer c.enter(doorway{peer.Token, t}, c.conn)()
	}
	var keys string
	if peer.SSH && c.config.HostKeys != nil {
		for line := range strings.Lines(c.config.HostKeys(t.host(), int(t.port))) {
			keys += hostKeyField + ": " + strings.TrimSpace(line) + "\r\n"
		}
	}
	if _, err := io.WriteString(c.conn, established+keys+"\r\n"); err == nil {
		c.tunnel(up, c.row(t.host()))
	}
}

// reach opens t while the client waits, and counts what comes of it.
func (c *client) reach(t target, peer Peer) (up net.Conn, err error) {
	c.watched(func(ctx context.Context) { up, err = c.open(ctx, t, peer) })
	if err != nil {
		c.noteFailure(err, peer)
		return nil, err
	}
	c.row(t.host()).connections.Add(1)
	return up, nil
}
