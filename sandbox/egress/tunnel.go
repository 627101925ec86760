package egress

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc"
)

// tunnel is two connections that are one: what comes in on either goes out on
// the other, and so does the end of it.
type tunnel struct {
	*Proxy
	half atomic.Bool // one side has said its last
}

// tunnel carries bytes between the client and up until both ends have ended, or
// one has failed.
func (c *client) tunnel(up net.Conn, count *row) {
	t := &tunnel{Proxy: c.Proxy}
	early, _ := c.in.Peek(c.in.Buffered())
	if _, err := up.Write(early); err != nil {
		return
	}
	count.out.Add(int64(len(early)))
	c.in = nil // an idle tunnel keeps no buffer of 16 KiB
	var out conc.WaitGroup
	out.Go(func() { t.carry(up, c.conn, &count.out) })
	t.carry(c.conn, up, &count.in)
	out.Wait()
}

// carry moves src to dst. The end of src is passed on; a failure ends both
// connections, so that nothing is left of a client that was killed.
func (t *tunnel) carry(dst, src net.Conn, count *atomic.Int64) {
	if t.pump(dst, src, count) == nil && closeWrite(dst) == nil {
		t.half.Store(true)
		t.arm(dst) // the other direction reads from it
		return
	}
	dst.Close()
	src.Close()
}

// arm sets the deadline for the next byte: none, unless the other side has said
// its last. A peer that vanished without a word would hold a half-closed
// connection for ever.
func (t *tunnel) arm(src net.Conn) {
	if !t.half.Load() {
		src.SetReadDeadline(time.Time{})
	}
	if t.half.Load() { // it may be by now
		src.SetReadDeadline(time.Now().Add(t.limits.halfClosed))
	}
}

// pump moves src to dst until src ends. Most tunnels are idle most of the time
// and wait with a small buffer; one that fills it goes faster for a while.
func (t *tunnel) pump(dst, src net.Conn, count *atomic.Int64) error {
	buf := make([]byte, 4<<10)
	for {
		t.arm(src)
		n, err := src.Read(buf)
		if n > 0 {
			if _, err := dst.Write(buf[:n]); err != nil {
				return err
			}
			count.Add(int64(n))
		}
		if err == nil && n == len(buf) {
			err = t.bulk(dst, src, count)
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// bulk moves a burst. Between TCP connections the kernel does it, through a pipe
// that counts against what the user may have of them, and that a flow which
// pauses would keep: so only so many do, and each for a bounded time.
func (t *tunnel) bulk(dst, src net.Conn, count *atomic.Int64) error {
	to, ok := dst.(*net.TCPConn)
	from, ok2 := src.(*net.TCPConn)
	if ok && ok2 {
		select {
		case t.splices <- struct{}{}:
			defer func() { <-t.splices }()
			return splice(to, from, count)
		default:
		}
	}
	return burst(dst, src, count)
}

// splice ends when src has been silent, has ended (the next read says so) or has
// given much.
func splice(dst, src *net.TCPConn, count *atomic.Int64) error {
	const most, window = 16 << 20, 500 * time.Millisecond
	src.SetReadDeadline(time.Now().Add(window))
	n, err := dst.ReadFrom(&io.LimitedReader{R: src, N: most})
	count.Add(n)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil // only reading has one
	}
	return err
}

var bursts = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// burst ends when src gives less than could be taken, or has given much.
func burst(dst io.Writer, src io.Reader, count *atomic.Int64) error {
	buf := bursts.Get().(*[64 << 10]byte)
	defer bursts.Put(buf)
	for range 64 {
		n, err := src.Read(buf[:])
		if n > 0 {
			if _, err := dst.Write(buf[:n]); err != nil {
				return err
			}
			count.Add(int64(n))
		}
		if err != nil || n < len(buf)/4 {
			return err
		}
	}
	return nil
}
