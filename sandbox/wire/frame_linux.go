package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// The sidecar talks to a sandbox's keeper or holder over one socketpair, and to
// each of its runners over another. A frame is an 8-byte header (kind, unused ×3,
// length as little-endian uint32), whose first byte carries the descriptors, then
// the message. A command never holds an end of one.

// The kinds of frames.
const (
	MsgRunner  = 'N' // sidecar → keeper or holder: start a runner; descriptors its end of a socket, and the journal's
	MsgOrphans = 'Q' // sidecar → keeper or holder: answer when all of the lost runners have ended
	MsgEgress  = 'T' // sidecar → holder: give the listening sockets of the proxy and of the host's ports; descriptors them, in the answer
	MsgSocket  = 'C' // sidecar → holder, with a family: give a TCP socket of the sandbox's network; descriptor it, in the answer
	MsgViews   = 'W' // sidecar → holder: give its views; descriptors them, in the answer, which has their paths
	MsgBorn    = 'B' // keeper or holder → sidecar, on the runner's socket; descriptor its pidfd
	MsgGroup   = 'G' // sidecar → runner, before its first command: descriptors the files of its control group
	MsgStart   = 'S' // sidecar → runner: program, argv, env; descriptors stdin, stdout, stderr, without a mount namespace dir, and the broker's channel for git directories
	MsgSignal  = 'K' // sidecar → runner: signal number for the whole tree
	MsgEnd     = 'E' // sidecar → runner: kill what is left, list it, be ready again
	MsgLeave   = 'D' // sidecar → runner: list what is left, and tell when it has ended
	MsgReady   = 'R' // runner → sidecar: restricted and waiting
	MsgFailed  = 'F' // runner → sidecar: stage, errno; the runner exits
	MsgStarted = 'P' // runner → sidecar: errno, pid; descriptor the main child's pidfd
	MsgSeen    = 'A' // sidecar → runner in a pid namespace: the pidfd was read, the child may be reaped
	MsgExited  = 'X' // runner → sidecar: wait status and usage of the main child
	MsgEnded   = 'L' // runner → sidecar: processes that were left, and whether any still is
	MsgEmpty   = 'Y' // runner → sidecar: nothing is left any more of what might stay
	MsgListens = 'I' // runner → sidecar, between MsgStarted and the end of its tree: the ports it listens on, changed
	MsgRefused = 'V' // runner → sidecar, before MsgExited and MsgEnded: what the sandbox refused since the last
)

const (
	headerSize = 8
	maxFrame   = 8 << 20 // bytes; ARG_MAX is 2 MiB on Linux
)

// MaxFDs bounds the descriptors of one frame.
const MaxFDs = 64

// Frame is one that was received; its receiver closes its files.
type Frame struct {
	Kind byte
	data []byte
	FDs  []*os.File
}

// Decode reads the frame's message.
func (f Frame) Decode(to any) error { return Decode(f.data, to) }

// Close closes its files.
func (f Frame) Close() {
	for _, file := range f.FDs {
		_ = file.Close()
	}
}

// Link is one end of the socketpair: the sidecar's waits in Go's poller, the
// runner's blocks its own thread.
type Link interface {
	recv(p, oob []byte) (n, oobn int, err error)
	send(p, oob []byte) (n int, err error)
}

// ConnLink is the sidecar's.
type ConnLink struct{ *net.UnixConn }

func (c ConnLink) recv(p, oob []byte) (int, int, error) {
	n, oobn, _, _, err := c.ReadMsgUnix(p, oob)
	return n, oobn, err
}

func (c ConnLink) send(p, oob []byte) (int, error) {
	n, _, err := c.WriteMsgUnix(p, oob, nil)
	return n, err
}

// Adopt puts our end of a socketpair into Go's poller.
func Adopt(fd int) (ConnLink, error) {
	f := os.NewFile(uintptr(fd), "socket of a sandbox")
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return ConnLink{}, err
	}
	return ConnLink{c.(*net.UnixConn)}, nil // a socketpair of AF_UNIX is nothing else
}

// FDLink is one of the sandbox's own processes'.
type FDLink int

func (f FDLink) recv(p, oob []byte) (int, int, error) {
	for {
		n, oobn, _, _, err := unix.Recvmsg(int(f), p, oob, unix.MSG_CMSG_CLOEXEC)
		if !errors.Is(err, unix.EINTR) {
			return n, oobn, err
		}
	}
}

func (f FDLink) send(p, oob []byte) (int, error) {
	for {
		n, err := unix.SendmsgN(int(f), p, oob, nil, unix.MSG_NOSIGNAL)
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// Socketpair is a connected pair, closed on exec.
func Socketpair() (ours, theirs int, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	return fds[0], fds[1], err
}

// Send writes a frame with a message, which may be nil.
func Send(l Link, kind byte, message any, fds ...int) error {
	var data []byte
	if message != nil {
		data = Encode(message)
	}
	buf := make([]byte, headerSize, headerSize+len(data))
	buf[0] = kind
	binary.LittleEndian.PutUint32(buf[4:], uint32(len(data)))
	buf = append(buf, data...)
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	for len(buf) > 0 {
		n, err := l.send(buf, oob)
		if err != nil {
			return err
		}
		buf, oob = buf[n:], nil
	}
	return nil
}

// Receive reads the next frame.
func Receive(l Link) (Frame, error) {
	var head [headerSize]byte
	oob := make([]byte, unix.CmsgSpace(MaxFDs*4))
	n, oobn, err := l.recv(head[:], oob)
	if err != nil {
		return Frame{}, err
	}
	if n == 0 {
		return Frame{}, io.EOF
	}
	f := Frame{Kind: head[0]}
	if f.FDs, err = receivedFiles(oob[:oobn]); err != nil {
		return Frame{}, err
	}
	if err := recvFull(l, head[n:]); err != nil {
		return f, err
	}
	size := binary.LittleEndian.Uint32(head[4:])
	if size > maxFrame {
		return f, fmt.Errorf("frame of %d bytes is over the limit of %d", size, maxFrame)
	}
	f.data = make([]byte, size)
	return f, recvFull(l, f.data)
}

func recvFull(l Link, p []byte) error {
	for len(p) > 0 {
		n, _, err := l.recv(p, nil)
		if err != nil {
			return err
		}
		if n == 0 {
			return io.ErrUnexpectedEOF
		}
		p = p[n:]
	}
	return nil
}

func receivedFiles(oob []byte) ([]*os.File, error) {
	if len(oob) == 0 {
		return nil, nil
	}
	msgs, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	var files []*os.File
	for i := range msgs {
		fds, err := unix.ParseUnixRights(&msgs[i])
		if err != nil {
			return nil, err
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			files = append(files, os.NewFile(uintptr(fd), "received"))
		}
	}
	return files, nil
}
