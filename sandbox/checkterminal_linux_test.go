package sandbox

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"
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

// ssh, git and sudo ask there, wherever their input and output lead.
func TestACommandSpeaksOnItsOwnTerminal(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		for _, mode := range []Mode{WorkspaceWrite, ReadOnly} {
			b := newBench(t)
			b.policy.Mode = mode
			for script, want := range map[string]string{
				"echo hello > /dev/tty":  "hello",
				"echo hello >> /dev/tty": "hello",
				"(exec 3<> /dev/tty; echo hello >&3) < /dev/null > /dev/null 2>&1":    "hello",
				"exec < /dev/null > /dev/null 2>&1; sh -c 'echo hello > /dev/tty; :'": "hello",
				"stty -F /dev/tty -a":                                  "erase",
				"stty -F /dev/tty -echo; stty -F /dev/tty -a":          "-echo ",
				"setsid -w sh -c 'echo hello > /dev/tty' || echo none": "none",
			} {
				if got, code := b.onTerminal(script); !strings.Contains(got, want) || code != 0 {
					t.Errorf("%s: %q: %q, exit %d", mode, script, got, code)
				}
			}
			if o := b.sh("echo hello > /dev/tty || exit 3"); o.status.Code != 2 && o.status.Code != 3 {
				t.Errorf("without a terminal: %+v", o)
			}
		}
	})
}

// onTerminal runs a script on a terminal and tells what that shows until nobody has it
// open any more.
func (b *bench) onTerminal(script string) (shown string, code int) {
	b.t.Helper()
	ours, theirs, err := pty.Open()
	must(b.t, err)
	defer ours.Close()
	s, err := b.m.Sandbox(b.policy)
	must(b.t, err)
	dir, err := os.Open(b.ws)
	must(b.t, err)
	var stdio []*os.File
	for range 2 {
		fd, err := unix.Dup(int(theirs.Fd()))
		must(b.t, err)
		stdio = append(stdio, os.NewFile(uintptr(fd), theirs.Name()))
	}
	p, err := s.Start(context.Background(), Command{
		ID: "test", Path: "/bin/sh", Argv: []string{"sh", "-c", script}, Dir: dir, Terminal: true,
		Stdin: theirs, Stdout: stdio[0], Stderr: stdio[1], Env: []string{"PATH=" + os.Getenv("PATH")},
	})
	must(b.t, err)
	out, _ := io.ReadAll(ours) // EIO is its end
	status, err := p.Wait()
	must(b.t, err)
	_, err = p.End(false)
	must(b.t, err)
	return string(out), status.Code
}
