package egress

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const plainText = "text/plain; charset=utf-8"

// writeText answers a request by a text for the person who reads the client's
// output.
func writeText(w io.Writer, status int, text string, more bool) error {
	return writeAnswer(w, status, plainText, "pillion: "+text+"\n", more)
}

func writeAnswer(w io.Writer, status int, kind, text string, more bool) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n", status, http.StatusText(status), kind, len(text))
	if !more {
		b.WriteString("Connection: close\r\n")
	}
	b.WriteString("\r\n" + text)
	_, err := w.Write(b.Bytes())
	return err
}

// hangUp answers, and closes.
func (c *client) hangUp(status int, text string) {
	c.hangUpWith(status, plainText, "pillion: "+text+"\n")
}

func (c *client) hangUpWith(status int, kind, text string) {
	c.conn.SetDeadline(time.Now().Add(time.Second))
	if writeAnswer(c.conn, status, kind, text, false) == nil {
		c.linger(time.Second)
	}
}

// linger closes only when the client has stopped sending: closed with bytes
// unread, the connection would be reset and the answer lost.
func (c *client) linger(most time.Duration) {
	c.conn.SetDeadline(time.Now().Add(most))
	if closeWrite(c.conn) == nil {
		io.CopyN(io.Discard, c.in, 16<<20)
	}
}

func closeWrite(conn net.Conn) error {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// status is the answer to a request for a host that was not opened.
func status(err error) int {
	var r *Refusal
	var timeout net.Error
	switch {
	case errors.As(err, &r):
		return http.StatusForbidden
	case errors.As(err, &timeout) && timeout.Timeout():
		return http.StatusGatewayTimeout
	}
	return http.StatusBadGateway
}

// noteFailure reports err if it is a refusal.
func (c *client) noteFailure(err error, peer Peer) {
	var r *Refusal
	if errors.As(err, &r) {
		c.refuse(*r, peer)
		return
	}
	c.config.Log.Debug("a host can't be reached", "err", err)
}
