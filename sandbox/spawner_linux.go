package sandbox

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// spawner starts runners on the sidecar's request and reaps them: the loop of a
// keeper where commands share the host's namespaces, of a holder where they have
// their own.
type spawner struct {
	conf    conf
	control fdLink
	broken  *SetupError
	masks   *masks // a holder's
	egress  []int  // the listening socket of one that has NetworkProxy
	runners []spawned
}

// spawned is one live runner.
type spawned struct{ pid, pidfd int }

// serve loops until the sidecar's end of the control socket is closed; false says
// that it has to begin anew before that.
func (s *spawner) serve() (over bool) {
	warm(spawnerThreads)
	for {
		fds := []unix.PollFd{{Fd: int32(s.control), Events: unix.POLLIN}}
		for _, r := range s.runners {
			fds = append(fds, unix.PollFd{Fd: int32(r.pidfd), Events: unix.POLLIN})
		}
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return false
		}
		s.reap(fds[1:])
		if fds[0].Revents == 0 {
			continue
		}
		f, err := readFrame(s.control)
		if err != nil {
			return true
		}
		switch {
		case f.kind == msgRunner && len(f.fds) == 1:
			if s.broken == nil && s.masks != nil && s.masks.mend() != nil {
				return false // the sidecar begins a new sandbox
			}
			s.spawn(int(f.fds[0].Fd()))
			_ = f.fds[0].Close()
		case f.kind == msgSettle:
			s.settle()
			_ = writeFrame(s.control, msgSettle, nil)
		case f.kind == msgEgress:
			_ = writeFrame(s.control, msgEgress, nil, s.egress...)
		}
	}
}

// spawn starts a runner on its end of the socket and hands its pidfd over, so
// that the sidecar can tell when all of it is gone. A failure is told there, too.
func (s *spawner) spawn(sock int) {
	link := fdLink(sock)
	fail := func(e *SetupError) {
		_ = writeFrame(link, msgFailed, new(payload).putString(e.Stage).putString(e.Err.Error()).b)
	}
	if s.broken != nil {
		fail(s.broken)
		return
	}
	pidfd := -1
	attr := &syscall.ProcAttr{
		Dir: "/", Env: []string{}, Files: []uintptr{0, 1, 2, uintptr(sock)},
		Sys: &syscall.SysProcAttr{Setsid: true, PidFD: &pidfd}, // a Ctrl-C at our terminal is not theirs
	}
	if s.conf.namespaced() {
		attr.Sys.Cloneflags = unix.CLONE_NEWPID | unix.CLONE_NEWNS
		attr.Sys.AmbientCaps = holderCaps
		attr.Env = s.masks.environment()
	}
	pid, err := syscall.ForkExec("/proc/self/exe", []string{confineName}, attr)
	if err != nil {
		fail(&SetupError{Stage: "runner", Err: err})
		return
	}
	s.runners = append(s.runners, spawned{pid, pidfd})
	_ = writeFrame(link, msgBorn, nil, pidfd)
}

func (s *spawner) reap(ready []unix.PollFd) {
	var live []spawned
	for i, r := range s.runners {
		if ready[i].Revents == 0 {
			live = append(live, r)
			continue
		}
		_, _ = unix.Wait4(r.pid, nil, 0, nil)
		_ = unix.Close(r.pidfd)
	}
	s.runners = live
}

// settle ends what lost runners left. In namespaces the kernel has done that:
// nothing outlives PID 1. Else it falls to us, the nearest subreaper, and is every
// child that is no runner. Two empty rounds mean nothing is on its way any more.
func (s *spawner) settle() {
	if s.conf.namespaced() {
		return
	}
	deadline := time.Now().Add(endTimeout / 2)
	for quiet := 0; quiet < 2 && time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		quiet++
		for _, pid := range children(os.Getpid()) {
			if s.isRunner(pid) {
				continue
			}
			quiet = 0
			_ = unix.Kill(pid, unix.SIGKILL)
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
		}
	}
}

func (s *spawner) isRunner(pid int) bool {
	for _, r := range s.runners {
		if r.pid == pid {
			return true
		}
	}
	return false
}

// finish waits for the runners, which end on their own when the sidecar is gone.
func (s *spawner) finish() {
	for _, r := range s.runners {
		_, _ = unix.Wait4(r.pid, nil, 0, nil)
	}
	s.runners = nil
	s.settle()
}
