package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The broker answers the calls the filter hands over: changes of a file's mode,
// owner and times, for which Landlock has no right, and calls that act on
// another process by number. It never lets a path call continue in the kernel:
// another thread could swap the string after the check. It resolves the path
// itself and changes exactly the file it checked, on a thread without
// capabilities, so it can do nothing the command's own user could not.
type broker struct {
	listener int
	roots    []root
	names    map[int32]string
}

// notification is struct seccomp_notif, seccomp_unotify(2).
type notification struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

// response is struct seccomp_notif_resp.
type response struct {
	id    uint64
	val   int64
	errno int32
	flags uint32
}

func newBroker(listener int, writable []string) (*broker, error) {
	b := &broker{listener: listener, names: map[int32]string{}}
	nr := syscallNumbers()
	for _, name := range metadataCalls {
		if n, ok := nr[name]; ok {
			b.names[int32(n)] = name
		}
	}
	for _, w := range writable {
		fd, err := unix.Open(w, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if errors.Is(err, unix.ENOENT) {
			continue // a folder that was removed grants nothing
		}
		if err != nil {
			return nil, fmt.Errorf("open writable root %s: %w", w, err)
		}
		b.roots = append(b.roots, root{path: w, fd: fd})
	}
	return b, nil
}

// serve owns its thread until the process ends.
func (b *broker) serve() {
	runtime.LockOSThread()
	if err := dropCapabilities(); err != nil {
		return // calls then wait until the command is killed: never weaker
	}
	for {
		var n notification
		if err := b.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); err != nil {
			if errors.Is(err, unix.EINTR) || errors.Is(err, unix.ENOENT) {
				continue // the caller died meanwhile
			}
			return
		}
		r := b.answer(n)
		_ = b.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r)) // ENOENT: the caller died
	}
}

func (b *broker) answer(n notification) response {
	name, isMeta := b.names[n.nr]
	if !isMeta {
		return b.answerPeer(n)
	}
	if err := b.metadata(name, n); err != nil {
		errno := unix.EPERM
		errors.As(err, &errno)
		return response{id: n.id, errno: -int32(errno)}
	}
	return response{id: n.id}
}

// answerPeer lets a call on another process continue when that process is in
// the command's own tree. The number is in a register, so nobody can change it
// after the check.
func (b *broker) answerPeer(n notification) response {
	id := int32(n.args[0])
	if nr := uintptr(n.nr); nr == unix.SYS_SETPRIORITY || nr == unix.SYS_IOPRIO_SET {
		id = int32(n.args[1])
	}
	if id > 0 && inTree(int(id)) {
		return response{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	}
	return response{id: n.id, errno: -int32(unix.EPERM)}
}

// alive reports whether the caller still waits, after its memory was read: its
// thread id may otherwise belong to another process by now.
func (b *broker) alive(id uint64) bool {
	return b.ioctl(unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&id)) == nil
}

func (b *broker) ioctl(req uintptr, arg unsafe.Pointer) error {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(b.listener), req, uintptr(arg))
	if errno != 0 {
		return errno
	}
	return nil
}
