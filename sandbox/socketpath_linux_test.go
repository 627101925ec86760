package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What listens at a path is reached by its own sandbox, and else where the policy says so.
func TestASocketOfSomebodyElseInTheWorkspaceIsNotReached(t *testing.T) {
	onSocketRungs(t, func(t *testing.T, b *bench) {
		says(t, b.ws+"/app.sock", "secret")
		b.host("mkdir -p d && ln -s ../app.sock d/link && ln app.sock hard")
		for _, network := range []Network{NetworkDeny, NetworkAllow, NetworkProxy} {
			b.policy.Network = network
			for _, path := range []string{"app.sock", b.ws + "/app.sock", "d/../app.sock", "d/link", "hard", "/proc/self/cwd/app.sock", "/proc/self/root" + b.ws + "/app.sock"} {
				o := b.sh("$SELF hear " + path)
				if o.status.Code == 0 || strings.Contains(o.out, "secret") || len(o.seen) != 1 {
					t.Errorf("%s %s: %+v", network, path, o)
					continue
				}
				real := filepath.Join(b.ws, map[bool]string{true: "hard", false: "app.sock"}[path == "hard"])
				if v := o.seen[0]; v.Op != "connect" || v.Path != real || v.Rule != "socket" || v.Grant != `policy.network.sockets "`+real+`"` {
					t.Errorf("%s: %+v", path, v)
				}
			}
			if o := b.helper("helper-swap-address", "app.sock"); o.status.Code != 0 {
				t.Errorf("%s: %+v", network, o)
			}
		}
		b.policy.Network = NetworkDeny
		b.policy.Sockets = []string{b.ws + "/app.sock"}
		if o := b.sh("$SELF hear app.sock"); o.out != "secret" || len(o.seen) > 0 {
			t.Errorf("listed: %+v", o)
		}
	})
}

// Over a socket of one command another one, under another policy, would get what the
// first has open.
func TestTwoPoliciesMeetAtNoSocket(t *testing.T) {
	onSocketRungs(t, func(t *testing.T, b *bench) {
		b.leave("one", "$SELF helper-say own.sock >/dev/null 2>&1 & until test -S own.sock; do :; done")
		if o := b.sh("$SELF hear own.sock"); o.out != "here" || len(o.seen) > 0 {
			t.Errorf("the same sandbox: %+v", o)
		}
		b.policy.Name = "two"
		if o := b.sh("$SELF hear own.sock"); o.status.Code == 0 || o.out == "here" {
			t.Errorf("another: %+v", o)
		}
		b.policy.Mode = ReadOnly
		if o := b.sh("$SELF hear own.sock"); o.status.Code == 0 || o.out == "here" {
			t.Errorf("another that only reads: %+v", o)
		}
	})
}

// What programs do with sockets goes on as in the kernel.
func TestSocketsOfItsOwnWorkInTheSandbox(t *testing.T) {
	onSocketRungs(t, func(t *testing.T, b *bench) {
		for _, network := range []Network{NetworkDeny, NetworkAllow} {
			b.policy.Network = network
			if o := b.helper("helper-sockets"); o.status.Code != 0 || len(o.seen) > 0 {
				t.Errorf("%s: %+v", network, o)
			}
		}
		for _, name := range []string{".vscode", ".git/HEAD2", ".envrc", ".git/commondir", "x/.idea"} {
			b.host("mkdir -p .git x")
			if o := b.helper("helper-say", name); o.status.Code == 0 || len(o.seen) != 1 {
				t.Errorf("%s: %+v", name, o)
			}
			if _, err := os.Lstat(filepath.Join(b.ws, name)); err == nil {
				t.Errorf("%s is there", name)
			}
		}
	})
}

// sayHelper listens at a path until it is ended.
func sayHelper(path string) int {
	l, err := net.Listen("unix", path)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return 1
		}
		_, _ = c.Write([]byte("here"))
		_ = c.Close()
	}
}

func socketsHelper() int {
	tmp := os.Getenv("TMPDIR")
	err := errors.Join(
		exchangeWords("unix", "rel.sock"), exchangeWords("unix", "./.s.PGSQL.5432"), exchangeWords("unix", tmp+"/abs.sock"),
		exchangeWords("unixpacket", "packet.sock"), exchangeWords("unix", "@abstract-"+tmp), exchangeWords("tcp", "127.0.0.1:0"), exchangeWords("tcp", "[::1]:0"),
		want(dialed("unix", "none.sock"), unix.ENOENT, dialed("unix", "rel.dead"), unix.ENOENT, dialed("tcp", "127.0.0.1:1"), unix.ECONNREFUSED),
		want(plainConnect(unix.AF_INET, inetAddress(1)), unix.ECONNREFUSED, plainConnect(unix.AF_INET, nil), unix.EINVAL, plainConnect(unix.AF_UNIX, make([]byte, 129)), unix.EINVAL),
		want(rawConnectBadFD(), unix.EBADF, rawConnectNoSocket(), unix.ENOTSOCK),
		datagrams(tmp+"/d1", tmp+"/d2"), backlog("full.sock"), stale("stale.sock"),
	)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// exchangeWords has a server and a client of this process speak, on threads of their own.
func exchangeWords(network, address string) error {
	l, err := net.Listen(network, address)
	if err != nil {
		return err
	}
	if network != "tcp" && l.Addr().String() != address {
		return fmt.Errorf("bound at %s, told %s", address, l.Addr())
	}
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			_, _ = c.Write([]byte("here"))
			_ = c.Close()
		}
	}()
	c, err := net.Dial(network, l.Addr().String())
	if err != nil {
		return err
	}
	defer c.Close()
	if network == "unix" && c.RemoteAddr().String() != address {
		return fmt.Errorf("the peer of %s is %s", address, c.RemoteAddr())
	}
	said, err := io.ReadAll(c)
	if string(said) != "here" {
		err = errors.Join(err, fmt.Errorf("%s %s said %q", network, address, said))
	}
	return err
}

func dialed(network, address string) error {
	c, err := net.Dial(network, address)
	if err == nil {
		_ = c.Close()
	}
	return err
}

func inetAddress(port int) []byte {
	to := make([]byte, 16)
	to[0], to[2], to[3], to[4], to[7] = unix.AF_INET, byte(port>>8), byte(port), 127, 1
	return to
}

// plainConnect is connect(2) of a socket that waits.
func plainConnect(family int, to []byte) error {
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return rawSocketCall(unix.SYS_CONNECT, fd, to)
}

func rawSocketCall(call uintptr, fd int, to []byte) error {
	buf := append(make([]byte, 0, 256), to...)
	_, _, errno := unix.Syscall(call, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(buf))), uintptr(len(to)))
	return errnoError(errno)
}

func rawConnectBadFD() error { return rawSocketCall(unix.SYS_CONNECT, 999, inetAddress(1)) }

func rawConnectNoSocket() error { return rawSocketCall(unix.SYS_CONNECT, 0, inetAddress(1)) }

func datagrams(one, two string) error {
	a, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: one, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer a.Close()
	c, err := net.DialUnix("unixgram", &net.UnixAddr{Name: two, Net: "unixgram"}, &net.UnixAddr{Name: one, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Write([]byte("x")); err != nil {
		return err
	}
	_, from, err := a.ReadFromUnix(make([]byte, 8))
	if err == nil && from.Name != two {
		err = fmt.Errorf("from %s", from.Name)
	}
	return err
}

// backlog: who connects to a full queue waits, and is served when there is room.
func backlog(path string) error {
	s, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	defer os.Remove(path)
	if err := errors.Join(rawSocketCall(unix.SYS_BIND, s, rawAddress(path)), unix.Listen(s, 1)); err != nil {
		return err
	}
	const clients = 8
	results := make(chan error, clients)
	for range clients {
		go func() { results <- plainConnect(unix.AF_UNIX, rawAddress(path)) }()
	}
	for range clients {
		fd, _, err := unix.Accept(s)
		if err != nil {
			return err
		}
		_ = unix.Close(fd)
	}
	for range clients {
		err = errors.Join(err, <-results)
	}
	return err
}

// stale: a file that a server has left is found to be unused, and bound anew.
func stale(path string) error {
	l, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	again, busy := net.Listen("unix", path)
	if busy == nil {
		_ = again.Close()
	}
	_ = l.Close()
	return errors.Join(want(busy, unix.EADDRINUSE, dialed("unix", path), unix.ECONNREFUSED), os.Remove(path), exchangeWords("unix", path))
}

// swapAddressHelper changes the address, and which socket the descriptor is, while the
// call is judged; it succeeds if it never hears the host's word.
func swapAddressHelper(theirs string) int {
	mine := strings.Repeat("m", len(theirs)-5) + ".sock"
	l, err := net.Listen("unix", mine)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	go func() {
		for {
			if c, err := l.Accept(); err == nil {
				_ = c.Close()
			}
		}
	}()
	buf := append([]byte(nil), rawAddress(mine)...)
	fd, _ := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	var stop atomic.Bool
	var flips sync.WaitGroup
	flips.Go(func() {
		for !stop.Load() {
			copy(buf[2:], mine)
			copy(buf[2:], theirs)
			inet, _ := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
			_ = unix.Dup2(inet, fd)
			_ = unix.Close(inet)
			pair, _ := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
			_ = unix.Dup2(pair, fd)
			_ = unix.Close(pair)
		}
	})
	heard := false
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
		_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
		if errno != 0 {
			continue
		}
		to, err := unix.Getpeername(fd)
		if at, ok := to.(*unix.SockaddrUnix); err == nil && ok && strings.HasSuffix(at.Name, theirs) {
			heard = true
		}
	}
	stop.Store(true)
	flips.Wait()
	_ = l.Close()
	if heard {
		fmt.Println("connected")
		return 1
	}
	return 0
}

// A far end that does not answer holds nobody up after the command that asked for it.
func TestAConnectionThatIsNeverAcceptedEndsWithItsCommand(t *testing.T) {
	onSocketRungs(t, func(t *testing.T, b *bench) {
		b.leave("dev", "$SELF helper-deaf > deaf.port & until test -s deaf.port; do :; done")
		for range 3 {
			p, r := b.start("/bin/sh", "-c", "for i in $(seq 40); do $SELF helper-waits $(cat deaf.port) & done; : > asked; wait")
			waitForFile(t, filepath.Join(b.ws, "asked"))
			must(t, os.Remove(filepath.Join(b.ws, "asked")))
			must(t, p.Kill())
			_, _ = p.Wait()
			_, err := p.End(false)
			must(t, err)
			r.Close()
		}
		if o := b.helper("helper-sockets"); o.status.Code != 0 {
			t.Errorf("%+v", o)
		}
	})
}

// deafHelper listens on a port of which the queue is full, and says which.
func deafHelper() int {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = errors.Join(unix.Bind(s, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), unix.Listen(s, 0))
	}
	at, err2 := unix.Getsockname(s)
	if err = errors.Join(err, err2); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(at.(*unix.SockaddrInet4).Port)
	select {}
}

func waitsHelper(port string) int {
	var n int
	_, _ = fmt.Sscan(port, &n)
	for range 4 {
		_ = plainConnect(unix.AF_INET, inetAddress(n))
	}
	return 0
}

// rawAddress is struct sockaddr_un of a path.
func rawAddress(path string) []byte {
	to := binary.NativeEndian.AppendUint16(nil, unix.AF_UNIX)
	return append(append(to, path...), 0)
}
