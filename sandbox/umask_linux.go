package sandbox

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// umask makes what the broker creates have the modes the caller would have given.
// Every process of a command starts with the runner's own mask; once one of them
// has changed its mask, each caller's is asked for.
type umask struct {
	initial int
	current int  // this thread's
	changed bool // some process of this command has set one
}

// own gives the broker's thread a mask of its own.
func (u *umask) own() error {
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return err
	}
	u.initial = unix.Umask(0o077)
	unix.Umask(u.initial)
	u.current = u.initial
	return nil
}

func (u *umask) set(mask int) {
	if mask != u.current {
		unix.Umask(mask)
		u.current = mask
	}
}

// mask puts the caller's mask in force for what is made next.
func (b *broker) mask(a *ask) {
	want := b.umask.initial
	if b.umask.changed {
		n, err := strconv.ParseUint(a.status("Umask:"), 8, 32)
		if err != nil || a.alive() != nil {
			n = 0o077
		}
		want = int(n)
	}
	b.umask.set(want)
}
