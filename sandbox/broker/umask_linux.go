package broker

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/seccomp"
)

// umask makes what the broker creates have the modes the caller would have given.
// Every process of a command starts with the runner's own mask; once one of them
// has changed its mask, each caller's is asked for, and remembered until the next
// change of any: a fork takes its parent's mask along without a word.
type umask struct {
	initial int
	current int // the runner's now; no command starts before it is reset
	changes int // of all processes of this command
	known   [8]knownMask
	next    int // the row to use next
}

// knownMask is one thread's. Its pidfd says that the number is still the same thread's.
type knownMask struct {
	tid, pidfd, mask, changes int
}

// ownUmask is the runner's, which its commands start with. Reading it by umask(2)
// would change it for a moment, for a command that starts just then.
func ownUmask() (int, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(proc.Field(string(text), "Umask:"), 8, 32)
	return int(n), err
}

// changed notes that some process sets a mask: the call itself goes on.
func (u *umask) changed() { u.changes++ }

// reset forgets a command.
func (u *umask) reset() {
	for i := range u.known {
		u.known[i].drop()
	}
	u.changes = 0
	u.use(u.initial)
}

func (u *umask) use(mask int) {
	if mask != u.current {
		unix.Umask(mask)
		u.current = mask
	}
}

// mask puts the caller's mask in force for what is made next.
func (b *Broker) mask(a *request) {
	u := &b.umask
	want := u.initial
	if u.changes > 0 {
		want = u.of(a)
	}
	u.use(want)
}

func (u *umask) of(a *request) int {
	for i := range u.known {
		if k := &u.known[i]; k.tid == a.pid && k.changes == u.changes && k.alive() {
			return k.mask
		}
	}
	n, err := strconv.ParseUint(a.status("Umask:"), 8, 32)
	if err != nil || a.alive() != nil {
		return 0o077
	}
	// A thread's pidfd exists since Linux 6.9; without one the next call asks again.
	if fd, err := unix.PidfdOpen(a.pid, seccomp.PidfdThread); err == nil && a.alive() == nil {
		u.known[u.next].drop()
		u.known[u.next] = knownMask{a.pid, fd, int(n), u.changes}
		u.next = (u.next + 1) % len(u.known)
	}
	return int(n)
}

func (k *knownMask) alive() bool {
	fds := []unix.PollFd{{Fd: int32(k.pidfd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n == 0 // readable once the thread has ended
}

func (k *knownMask) drop() {
	if k.tid != 0 {
		_ = unix.Close(k.pidfd)
	}
	*k = knownMask{}
}
