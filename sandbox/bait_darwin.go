package sandbox

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// The canary is this binary, started inside a real sandbox by the self-test. It
// really tries each forbidden thing against a target that would allow it, and
// prints one "name errno" line per attempt; 0 means it got through. Of the processes
// that it leaves behind it prints the number.
// bait is what the self-test lays out for the canary.
type bait struct {
	file     string // outside and only readable in the sandbox, owned and writable by the user
	secret   string // outside and not even readable there
	inside   string // a directory of the workspace, with a repository in it
	path     string // listening socket file
	tcp, udp int    // listening ports of 127.0.0.1
	pid      int    // the sidecar
	shm      int    // SysV shared memory of the user
}

func (b bait) args() []string {
	return []string{
		canaryName, b.file, b.secret, b.inside, b.path,
		strconv.Itoa(b.tcp), strconv.Itoa(b.udp), strconv.Itoa(b.pid), strconv.Itoa(b.shm),
	}
}

func parseBait(args []string) (b bait, ok bool) {
	if len(args) != 9 {
		return b, false
	}
	b = bait{file: args[1], secret: args[2], inside: args[3], path: args[4]}
	for i, to := range []*int{&b.tcp, &b.udp, &b.pid, &b.shm} {
		n, err := strconv.Atoi(args[5+i])
		if err != nil {
			return b, false
		}
		*to = n
	}
	return b, true
}

// layBait opens the targets below dir; closing what it returns removes them.
func layBait(dir string) (bait, []interface{ Close() error }, error) {
	b := bait{
		file: filepath.Join(dir, "readable", "outside"), secret: filepath.Join(dir, "secret"),
		inside: filepath.Join(dir, "workspace"), pid: os.Getpid(),
	}
	var open []interface{ Close() error }
	for _, d := range []string{filepath.Dir(b.file), filepath.Join(b.inside, dotGit, "hooks")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return b, open, err
		}
	}
	for _, f := range []string{b.file, b.secret, filepath.Join(b.inside, dotGit, "config")} {
		if err := os.WriteFile(f, []byte("bait"), 0o600); err != nil {
			return b, open, err
		}
	}
	seg, err := newSharedMemory(&b)
	if err == nil {
		open = append(open, seg)
	}
	tcp, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return b, open, err
	}
	open = append(open, tcp)
	b.tcp = tcp.Addr().(*net.TCPAddr).Port
	udp, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		return b, open, err
	}
	open = append(open, udp)
	b.udp = udp.LocalAddr().(*net.UDPAddr).Port
	// A socket's address holds 103 bytes; a temporary directory is short enough.
	short, err := os.MkdirTemp("/private/tmp", "pillion-")
	if err != nil {
		return b, open, err
	}
	open = append(open, tempDir(short))
	b.path = filepath.Join(short, "s")
	l, err := net.Listen("unix", b.path)
	if err != nil {
		return b, open, err
	}
	return b, append(open, l), nil
}

// tempDir is removed when it is closed.
type tempDir string

func (d tempDir) Close() error { return os.RemoveAll(string(d)) }

// sharedMemory is a segment that is removed when it is closed. It can't be before: who
// attaches it must be refused for what it is, and not because it is going.
type sharedMemory struct {
	id  int
	seg []byte
}

// newSharedMemory makes one that others of this user could attach.
func newSharedMemory(b *bait) (interface{ Close() error }, error) {
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, 0o600)
	if err != nil {
		return nil, err
	}
	seg, err := unix.SysvShmAttach(id, 0, 0)
	if err != nil {
		_, rerr := unix.SysvShmCtl(id, unix.IPC_RMID, nil)
		return nil, errors.Join(err, rerr)
	}
	b.shm = id
	return sharedMemory{id, seg}, nil
}

func (s sharedMemory) Close() error {
	_, err := unix.SysvShmCtl(s.id, unix.IPC_RMID, nil)
	return errors.Join(err, unix.SysvShmDetach(s.seg))
}
