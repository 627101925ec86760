package seccomp

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// DropCapabilities empties every capability set of the calling thread, the
// bounding set too where that is allowed, and checks that it worked: a root
// caller keeps uid 0 and nothing else.
func DropCapabilities() error {
	for c := uintptr(0); ; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EPERM) {
			break // past the last one, or an ordinary user without capabilities
		}
		if err != nil {
			return fmt.Errorf("drop bounding capability %d: %w", c, err)
		}
	}
	if os.Geteuid() == 0 {
		// Without CAP_SETPCAP this fails; no_new_privs alone then keeps exec
		// from giving uid 0 its capabilities back.
		_ = unix.Prctl(unix.PR_SET_SECUREBITS, secureBits, 0, 0, 0)
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("clear ambient capabilities: %w", err)
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capset(&head, &data[0]); err != nil {
		return fmt.Errorf("capset: %w", err)
	}
	if err := unix.Capget(&head, &data[0]); err != nil {
		return fmt.Errorf("capget: %w", err)
	}
	if data != [2]unix.CapUserData{} {
		return errors.New("capabilities are left after dropping them")
	}
	return nil
}

// secureBits: SECBIT_NOROOT, NO_SETUID_FIXUP, KEEP_CAPS off, NO_CAP_AMBIENT_RAISE,
// each locked. capabilities(7)
const secureBits = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<5 | 1<<6 | 1<<7
