package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func (r *runnerProc) start(b *box, c Command) (*Process, error) {
	if strings.ContainsRune(c.Path+strings.Join(c.Argv, "")+strings.Join(c.Env, ""), 0) {
		b.give(r, true)
		return nil, &SpawnError{Program: c.Path, Errno: unix.EINVAL}
	}
	f, err := r.request(c, b.pointing())
	if err != nil {
		lost := lostBy(err)
		if lost != errNeverRead {
			r.settle()
		}
		b.give(r, false)
		return nil, fmt.Errorf("%w: %w", &SetupError{Stage: "start", Err: lost}, err)
	}
	reply := &payload{b: f.data}
	if errno := syscall.Errno(reply.int()); errno != 0 {
		b.give(r, true)
		return nil, &SpawnError{Program: c.Path, Errno: errno}
	}
	p := &Process{box: b, runner: r, id: c.ID, pid: int(reply.int()), pidfd: takeFD(f.fds)}
	if r.keeper.namespaced {
		p.pid = pidOf(p.pidfd)
		_ = writeFrame(r.conn, msgSeen, nil) // a runner that is gone is noticed by Wait
	}
	b.track(p)
	return p, nil
}

// lostBy tells a runner that never read its request from one that may have begun.
// The kernel resets a connection whose other end was closed over unread bytes.
func lostBy(err error) error {
	if errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) {
		return errNeverRead
	}
	return errRunnerLost
}

// track notes a running command, which must end with its box.
func (b *box) track(p *Process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running[p] = struct{}{}
	if b.closed {
		_ = p.Kill()
	}
}

func (b *box) untrack(p *Process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.running, p)
}

func (r *runnerProc) request(c Command, pointed []string) (frame, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(c.Dir.Fd()), &st); err != nil {
		return frame{}, err
	}
	fds := []int{int(c.Stdin.Fd()), int(c.Stdout.Fd()), int(c.Stderr.Fd())}
	if !r.keeper.namespaced {
		fds = append(fds, int(c.Dir.Fd()))
	}
	req := new(payload).putString(c.Path).putStrings(c.Argv).putStrings(c.Env).
		putString(c.Dir.Name()).putInt(int64(st.Dev)).putInt(int64(st.Ino)).putBool(c.Terminal).putStrings(pointed)
	if err := writeFrame(r.conn, msgStart, req.b, fds...); err != nil {
		return frame{}, err
	}
	return readFrame(r.conn)
}

// pidOf is the process id of a pidfd in our own namespace, which is what an
// editor can use. pidfd_open(2), proc_pid_fdinfo(5)
func pidOf(pidfd int) int {
	b, err := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(pidfd))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "Pid:"); ok {
			pid, _ := strconv.Atoi(strings.TrimSpace(rest)) // -1 once it has been reaped
			return max(pid, 0)
		}
	}
	return 0
}
