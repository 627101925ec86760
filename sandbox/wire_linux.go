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

// The sidecar and a runner talk over one socketpair. A frame is an 8-byte header
// (kind, unused ×3, length as little-endian uint32), whose first byte carries
// the descriptors, then the payload: counted strings and numbers. The command
// never holds an end of it.
const (
	msgStart   = 'S' // sidecar → runner: program, argv, env; descriptors dir, stdin, stdout, stderr
	msgSignal  = 'K' // sidecar → runner: signal number for the whole tree
	msgEnd     = 'E' // sidecar → runner: kill what is left, list it, be ready again
	msgReady   = 'R' // runner → sidecar: restricted and waiting
	msgFailed  = 'F' // runner → sidecar: stage, errno; the runner exits
	msgStarted = 'P' // runner → sidecar: pid, or 0 and an errno
	msgExited  = 'X' // runner → sidecar: wait status and usage of the main child
	msgEnded   = 'L' // runner → sidecar: processes that were left
)

const (
	headerSize = 8
	maxFrame   = 8 << 20 // bytes; ARG_MAX is 2 MiB on Linux
	maxFDs     = 4
)

type frame struct {
	kind byte
	data []byte
	fds  []*os.File
}

func writeFrame(c *net.UnixConn, kind byte, data []byte, fds ...*os.File) error {
	var head [headerSize]byte
	head[0] = kind
	binary.LittleEndian.PutUint32(head[4:], uint32(len(data)))
	var oob []byte
	if len(fds) > 0 {
		raw := make([]int, len(fds))
		for i, f := range fds {
			raw[i] = int(f.Fd())
		}
		oob = unix.UnixRights(raw...)
	}
	if _, _, err := c.WriteMsgUnix(head[:], oob, nil); err != nil {
		return err
	}
	_, err := c.Write(data)
	return err
}

func readFrame(c *net.UnixConn) (frame, error) {
	var head [headerSize]byte
	oob := make([]byte, unix.CmsgSpace(maxFDs*4))
	n, oobn, _, _, err := c.ReadMsgUnix(head[:], oob)
	if err != nil {
		return frame{}, err
	}
	if n == 0 {
		return frame{}, io.EOF
	}
	if _, err := io.ReadFull(c, head[n:]); err != nil {
		return frame{}, err
	}
	f := frame{kind: head[0]}
	if f.fds, err = receivedFiles(oob[:oobn]); err != nil {
		return frame{}, err
	}
	size := binary.LittleEndian.Uint32(head[4:])
	if size > maxFrame {
		return f, fmt.Errorf("frame of %d bytes is over the limit of %d", size, maxFrame)
	}
	f.data = make([]byte, size)
	_, err = io.ReadFull(c, f.data)
	return f, err
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

// payload appends and takes fields in order; take methods keep the first error.
type payload struct {
	b   []byte
	err error
}

func (p *payload) putInt(v int64) *payload { p.b = binary.AppendVarint(p.b, v); return p }

func (p *payload) putBool(v bool) *payload {
	if v {
		return p.putInt(1)
	}
	return p.putInt(0)
}

func (p *payload) putString(s string) *payload {
	p.b = binary.AppendUvarint(p.b, uint64(len(s)))
	p.b = append(p.b, s...)
	return p
}

func (p *payload) putStrings(ss []string) *payload {
	p.putInt(int64(len(ss)))
	for _, s := range ss {
		p.putString(s)
	}
	return p
}

var errShortFrame = errors.New("truncated frame")

func (p *payload) int() int64 {
	v, n := binary.Varint(p.b)
	if n <= 0 {
		p.b, p.err = nil, errShortFrame
		return 0
	}
	p.b = p.b[n:]
	return v
}

func (p *payload) string() string {
	size, n := binary.Uvarint(p.b)
	if n <= 0 || size > uint64(len(p.b)-n) {
		p.b, p.err = nil, errShortFrame
		return ""
	}
	s := string(p.b[n : n+int(size)])
	p.b = p.b[n+int(size):]
	return s
}

func (p *payload) strings() []string {
	n := p.int()
	if n < 0 || n > int64(len(p.b)) {
		p.err = errShortFrame
		return nil
	}
	ss := make([]string, 0, n)
	for range n {
		ss = append(ss, p.string())
	}
	return ss
}
