package sandbox

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// The canary is this binary, started inside a real sandbox by the self-test. It
// really tries each forbidden thing against a target that would allow it, and
// prints one "name errno" line per attempt; 0 means it got through.
// bait is what the self-test lays out for the canary.
type bait struct {
	file     string // outside and only readable in the sandbox, owned and writable by the user
	secret   string // outside and not even readable there
	inside   string // a directory of the workspace
	tcp, udp int    // listening ports of 127.0.0.1
	abstract string // listening abstract socket
	path     string // listening socket file
	pid      int    // the sidecar
	shm      int    // SysV shared memory of the user
}

func (b bait) args() []string {
	return []string{
		canaryName, b.file, b.inside, strconv.Itoa(b.tcp), strconv.Itoa(b.udp), b.abstract, b.path, strconv.Itoa(b.pid),
		b.secret, strconv.Itoa(b.shm),
	}
}

// layBait opens the targets below dir; closing what it returns removes them.
func layBait(dir string) (bait, []interface{ Close() error }, error) {
	b := bait{
		file: filepath.Join(dir, "readable", "outside"), secret: filepath.Join(dir, "secret"), abstract: "pillion-" + filepath.Base(dir), path: filepath.Join(dir, "socket"), pid: os.Getpid(),
	}
	var open []interface{ Close() error }
	if err := os.Mkdir(filepath.Dir(b.file), 0o700); err != nil {
		return b, open, err
	}
	for _, f := range []string{b.file, b.secret} {
		if err := os.WriteFile(f, []byte("bait"), 0o600); err != nil {
			return b, open, err
		}
	}
	if seg := newSharedMemory(&b); seg != nil { // a kernel without has nothing to reach
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
	// A socket's address holds 107 bytes at most; the directory's descriptor
	// keeps a deep state directory below that.
	d, err := os.Open(dir)
	if err != nil {
		return b, open, err
	}
	defer d.Close()
	short := fmt.Sprintf("/proc/self/fd/%d/%s", d.Fd(), filepath.Base(b.path))
	for _, name := range []string{"@" + b.abstract, short} {
		l, err := net.Listen("unix", name)
		if err != nil {
			return b, open, err
		}
		open = append(open, l)
	}
	return b, open, nil
}

// sharedMemory is a segment that goes with its last user.
type sharedMemory []byte

func newSharedMemory(b *bait) interface{ Close() error } {
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, 0o600)
	if err != nil {
		return nil
	}
	defer func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) }() // should we be killed, nothing is left
	seg, err := unix.SysvShmAttach(id, 0, 0)
	if err != nil {
		return nil
	}
	b.shm = id
	return sharedMemory(seg)
}

func (s sharedMemory) Close() error { return unix.SysvShmDetach(s) }
