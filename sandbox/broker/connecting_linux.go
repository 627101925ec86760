package broker

import (
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// connecting is a connect on behalf of a caller, with descriptors of ours.
type connecting struct {
	id   uint64
	sock int
	file int // the UNIX socket it leads to; -1
	to   []byte
}

func (c connecting) close() {
	_ = unix.Close(c.sock)
	if c.file >= 0 {
		_ = unix.Close(c.file)
	}
}

// maxConnecting bounds the threads that wait for a far end.
const maxConnecting = 64

// connect does not wait: where the caller would have to, another thread does.
func (b *Broker) connect(c connecting) (reply, error) {
	flags, err := unix.FcntlInt(uintptr(c.sock), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_NONBLOCK != 0 {
		if err == nil {
			err = connectRaw(c.sock, c.to)
		}
		c.close()
		return done, err
	}
	if err, settled := c.atOnce(); settled {
		c.close()
		return done, err
	}
	if !b.connects.add(c.sock) {
		c.close()
		return done, unix.EAGAIN
	}
	go func() {
		err := connectRaw(c.sock, c.to)
		b.connects.remove(c.sock)
		c.close()
		b.send(c.id, done, err)
	}()
	b.dirty.Store(true)
	return reply{fd: -1, later: true}, nil
}

// atOnce tries it without waiting, which is enough for everything on this machine: two
// turns of another thread would cost more than the connection. A socket that is not
// connected can't be read from, so the flag stays unseen.
func (c connecting) atOnce() (err error, settled bool) {
	if unix.IoctlSetPointerInt(c.sock, fionbio, 1) != nil {
		return nil, false
	}
	defer func() { _ = unix.IoctlSetPointerInt(c.sock, fionbio, 0) }()
	switch err = connectRaw(c.sock, c.to); err {
	case unix.EINPROGRESS:
		return c.outcome()
	case unix.EAGAIN, unix.EALREADY: // a queue is full; its reader is at it
		return nil, false
	}
	return err, true
}

func (c connecting) outcome() (err error, settled bool) {
	fds := []unix.PollFd{{Fd: int32(c.sock), Events: unix.POLLOUT}}
	if n, err := unix.Poll(fds, 0); n != 1 || err != nil {
		return nil, false
	}
	code, err := unix.GetsockoptInt(c.sock, unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && code != 0 {
		err = unix.Errno(code)
	}
	return err, true
}

// connects are the sockets that threads wait for.
type connects struct {
	mu    sync.Mutex
	socks []int
}

func (c *connects) add(sock int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.socks) >= maxConnecting {
		return false
	}
	c.socks = append(c.socks, sock)
	return true
}

func (c *connects) remove(sock int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.socks = slices.DeleteFunc(c.socks, func(s int) bool { return s == sock })
}

// giveUp ends them with their command: a far end that does not answer is else waited for
// for minutes.
func (c *connects) giveUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.socks {
		_ = unix.Shutdown(s, unix.SHUT_RDWR)
	}
}

// fionbio is FIONBIO: whether a socket waits, in one call. ioctl_fionbio(2)
const fionbio = 0x5421
