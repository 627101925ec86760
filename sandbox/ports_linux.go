package sandbox

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// ears are the ports a command listens on, if a client asked for them.
type ears struct {
	tell  func([]Port)
	heard bool      // it got some
	nears io.Closer // what Command.Nears is served on, nil for none
}

// near serves Command.Nears; theirs is the runner's end, or -1.
func (e *ears) near(tell func(string)) (theirs int, err error) {
	if tell == nil {
		return -1, nil
	}
	ours, theirs, err := wire.Socketpair()
	if err != nil {
		return -1, err
	}
	conn, err := wire.Adopt(ours)
	if err != nil {
		_ = unix.Close(theirs)
		return -1, err
	}
	e.nears = conn
	go func() { // until either end is closed
		in := bufio.NewReader(conn)
		for {
			dir, err := in.ReadString(0)
			if err != nil {
				return
			}
			tell(strings.TrimSuffix(dir, "\x00"))
			_, _ = conn.Write([]byte{0}) // a broker that is gone asks no more
		}
	}()
	return theirs, nil
}

// deaf says that all of it has ended.
func (e *ears) deaf() {
	if e.nears != nil {
		_ = e.nears.Close()
	}
	if e.heard {
		e.heard = false
		e.tell(nil)
	}
}

// hear takes over on what a command listens now.
func (e *ears) hear(f wire.Frame) {
	var now []Port
	if f.Decode(&now) == nil && e.tell != nil {
		e.heard = len(now) > 0
		e.tell(now)
	}
}

func (b *box) apart() bool { return b.conf.OwnNetwork() }

// dial connects a socket that the holder has made, and which leads into its network. It
// returns at once where a program listens: nothing but loopback is there.
func (b *box) dial(ctx context.Context, at netip.AddrPort) (net.Conn, error) {
	var to unix.Sockaddr = &unix.SockaddrInet6{Port: int(at.Port()), Addr: at.Addr().As16()}
	family := unix.AF_INET6
	if at.Addr().Is4() {
		family, to = unix.AF_INET, &unix.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()}
	}
	b.mu.Lock()
	k := b.keeper
	b.mu.Unlock()
	if k == nil {
		return nil, ErrClosed
	}
	f, err := k.askFile(wire.MsgSocket, family)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := connect(ctx, f, to); err != nil {
		return nil, os.NewSyscallError("connect", err)
	}
	return net.FileConn(f)
}

// maxConnect is how long a program may take to have room for a connection.
const maxConnect = 10 * time.Second

func connect(ctx context.Context, f *os.File, to unix.Sockaddr) error {
	fd := int(f.Fd())
	if err := unix.SetNonblock(fd, true); err != nil { // Fd has undone it
		return err
	}
	err := unix.Connect(fd, to)
	late := time.Now().Add(maxConnect)
	for errors.Is(err, unix.EINPROGRESS) {
		n, bad := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, 100)
		switch {
		case n > 0:
			errno, bad := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
			if bad == nil && errno != 0 {
				bad = syscall.Errno(errno)
			}
			return bad
		case bad != nil && !errors.Is(bad, unix.EINTR):
			return bad
		case ctx.Err() != nil:
			return ctx.Err()
		case time.Now().After(late):
			return unix.ETIMEDOUT
		}
	}
	return err
}
