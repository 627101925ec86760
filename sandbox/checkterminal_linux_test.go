package sandbox

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// A command whose standard input is the user's terminal types nothing into it
// (CVE-2017-5226): that would run in the user's shell after the command.
func TestNothingIsTypedIntoTheUsersTerminal(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		r := newRoom(t, rung)
		slave := newTerminal(t)
		r.stdin = slave.Name()
		for _, script := range []string{
			"$SELF type id", "exec 3<> /dev/tty && $SELF type id <&3", "exec 3<> /proc/self/fd/0 && $SELF type id <&3",
			"setsid --ctty $SELF type id",
		} {
			if o := r.sh(script); o.status.Code == 0 || o.status.Code == proofless {
				t.Errorf("%s: exit %d: %s", script, o.status.Code, o.out)
			}
			if n := typed(t, slave); n != 0 {
				t.Fatalf("%s: %d bytes were typed", script, n)
			}
		}
		if !administers() {
			return // the control needs the right to type into any terminal
		}
		r.policy.Mode = Off
		if o := r.sh("$SELF type id"); o.status.Code != 0 || typed(t, slave) != 2 {
			t.Errorf("mode off: exit %d, %d bytes: %s", o.status.Code, typed(t, slave), o.out)
		}
	})
}

// newTerminal returns the end of a new terminal that programs get, in raw mode,
// so that what is typed can be counted at once.
func newTerminal(t *testing.T) *os.File {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	t.Cleanup(func() { _ = master.Close() })
	must(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	must(t, err)
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	t.Cleanup(func() { _ = slave.Close() })
	raw, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	must(t, err)
	raw.Lflag &^= unix.ICANON | unix.ECHO
	must(t, unix.IoctlSetTermios(int(slave.Fd()), unix.TCSETS, raw))
	return slave
}

func typed(t *testing.T, slave *os.File) int {
	t.Helper()
	n, err := unix.IoctlGetInt(int(slave.Fd()), unix.TIOCINQ)
	must(t, err)
	return n
}
