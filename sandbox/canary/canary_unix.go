//go:build linux || darwin

package canary

import (
	"errors"
	"io"
	"net"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// provesNothing reports an attempt that failed by itself.
const provesNothing = unix.EINVAL

// fileAttempts are those on files outside.
var fileAttempts = []attempt{
	{"write", func(b Bait) error { return OpenFile(b.File, unix.O_WRONLY) }},
	{"read", func(b Bait) error { return OpenFile(b.Secret, unix.O_RDONLY) }},
	{"truncate", func(b Bait) error { return unix.Truncate(b.File, 0) }},
	{"rename", func(b Bait) error { return unix.Rename(b.File, b.File+"2") }},
	{"chmod", func(b Bait) error { return unix.Chmod(b.File, 0o644) }},
	{"utime", func(b Bait) error { return unix.Utimes(b.File, make([]unix.Timeval, 2)) }},
	{"inside", func(b Bait) error { return create(b.Inside, "canary") }},
}

// socketAttempts are those on what listens on this machine.
var socketAttempts = []attempt{
	{"tcp", func(b Bait) error { return connect(unix.AF_INET, unix.SOCK_STREAM, loopback(b.TCP)) }},
	{"udp", func(b Bait) error { return datagram(loopback(b.UDP)) }},
	{"unixPath", func(b Bait) error {
		name := b.Path
		if len(name) > longestAddress {
			if err := unix.Chdir(filepath.Dir(name)); err != nil {
				return err
			}
			name = filepath.Base(name)
		}
		return connect(unix.AF_UNIX, unix.SOCK_STREAM, &unix.SockaddrUnix{Name: name})
	}},
}

// longestAddress is what a socket's address holds, in bytes, without its last zero:
// sun_path of unix(7), 104 on macOS. To ask for a longer one proves nothing, and a deep
// state directory made "ipc" partial.
const longestAddress = 103

func loopback(port int) *unix.SockaddrInet4 {
	return &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
}

func create(dir, name string) error {
	return OpenFile(filepath.Join(dir, name), unix.O_CREAT|unix.O_WRONLY)
}

// OpenFile opens and closes a file.
func OpenFile(path string, flags int) error {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func connect(family, kind int, to unix.Sockaddr) error {
	fd, err := unix.Socket(family, kind, 0)
	if err != nil {
		return err
	}
	unix.CloseOnExec(fd)
	defer unix.Close(fd)
	return unix.Connect(fd, to)
}

// echoTime is how long the kernel may take to say that there is no listener, in a
// sandbox's own network: on a busy machine it did not say so at once, and "it got through"
// chose a weaker rung for the whole session.
const echoTime = 5 // seconds

// datagram sends one: without a listener, the kernel says so to the one who waits.
func datagram(to unix.Sockaddr) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	unix.CloseOnExec(fd)
	defer unix.Close(fd)
	if err := unix.Connect(fd, to); err != nil {
		return err
	}
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: echoTime}); err != nil {
		return err
	}
	if _, err := unix.Write(fd, []byte("x")); err != nil {
		return err
	}
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		_, err = unix.Read(fd, make([]byte, 1))
	}
	if errors.Is(err, unix.EAGAIN) {
		return nil
	}
	return err
}

func (b *Bait) layUDP() ([]io.Closer, error) {
	udp, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b.UDP = udp.LocalAddr().(*net.UDPAddr).Port
	return []io.Closer{udp}, nil
}
