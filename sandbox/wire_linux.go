package sandbox

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
// the payload: counted strings and numbers. A command never holds an end of one.
const (
	msgConf    = 'C' // sidecar → all: what to enforce, the first frame; a runner reads it in both its halves
	msgRunner  = 'N' // sidecar → keeper or holder: start a runner; descriptor its end of a socket
	msgSettle  = 'Q' // sidecar → keeper or holder: answer when nothing of lost runners is left
	msgEgress  = 'T' // sidecar → holder: give the listening socket that leads to the proxy; descriptor it, in the answer
	msgBorn    = 'B' // keeper or holder → sidecar, on the runner's socket; descriptor its pidfd
	msgGroup   = 'G' // sidecar → runner, before its first command: descriptors the files of its control group
	msgStart   = 'S' // sidecar → runner: program, argv, env; descriptors stdin, stdout, stderr and, without a mount namespace, dir
	msgSignal  = 'K' // sidecar → runner: signal number for the whole tree
	msgEnd     = 'E' // sidecar → runner: kill what is left, list it, be ready again
	msgLeave   = 'D' // sidecar → runner: list what is left, and tell when it has ended
	msgReady   = 'R' // runner → sidecar: restricted and waiting
	msgFailed  = 'F' // runner → sidecar: stage, errno; the runner exits
	msgStarted = 'P' // runner → sidecar: errno, pid; descriptor the main child's pidfd
	msgSeen    = 'A' // sidecar → runner in a pid namespace: the pidfd was read, the child may be reaped
	msgExited  = 'X' // runner → sidecar: wait status and usage of the main child
	msgEnded   = 'L' // runner → sidecar: processes that were left, and whether any still is
	msgEmpty   = 'Y' // runner → sidecar: nothing is left any more of what might stay
	msgRefused = 'V' // runner → sidecar, before msgExited and msgEnded: what the sandbox refused since the last
)

const (
	headerSize = 8
	maxFrame   = 8 << 20 // bytes; ARG_MAX is 2 MiB on Linux
	maxFDs     = 8
)

type frame struct {
	kind byte
	data []byte
	fds  []*os.File
}

// link is one end of the socketpair: the sidecar's waits in Go's poller, the
// runner's blocks its own thread.
type link interface {
	recv(p, oob []byte) (n, oobn int, err error)
	send(p, oob []byte) (n int, err error)
}

type connLink struct{ *net.UnixConn }

func (c connLink) recv(p, oob []byte) (int, int, error) {
	n, oobn, _, _, err := c.ReadMsgUnix(p, oob)
	return n, oobn, err
}

func (c connLink) send(p, oob []byte) (int, error) {
	n, _, err := c.WriteMsgUnix(p, oob, nil)
	return n, err
}

type fdLink int

func (f fdLink) recv(p, oob []byte) (int, int, error) {
	for {
		n, oobn, _, _, err := unix.Recvmsg(int(f), p, oob, unix.MSG_CMSG_CLOEXEC)
		if !errors.Is(err, unix.EINTR) {
			return n, oobn, err
		}
	}
}

func (f fdLink) send(p, oob []byte) (int, error) {
	for {
		n, err := unix.SendmsgN(int(f), p, oob, nil, unix.MSG_NOSIGNAL)
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// socketpair is a connected pair, closed on exec.
func socketpair() (ours, theirs int, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	return fds[0], fds[1], err
}

func writeFrame(l link, kind byte, data []byte, fds ...int) error {
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

func readFrame(l link) (frame, error) {
	var head [headerSize]byte
	oob := make([]byte, unix.CmsgSpace(maxFDs*4))
	n, oobn, err := l.recv(head[:], oob)
	if err != nil {
		return frame{}, err
	}
	if n == 0 {
		return frame{}, io.EOF
	}
	f := frame{kind: head[0]}
	if f.fds, err = receivedFiles(oob[:oobn]); err != nil {
		return frame{}, err
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

// readConf reads the first frame that any process of a sandbox gets.
func readConf(l link) (conf, error) {
	f, err := readFrame(l)
	if err != nil {
		return conf{}, err
	}
	if f.kind != msgConf {
		return conf{}, fmt.Errorf("frame %q instead of the configuration", f.kind)
	}
	return decodeConf(f.data)
}

func recvFull(l link, p []byte) error {
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
