package inside

import (
	"errors"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/mounts"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// spawner starts runners on the sidecar's request and reaps them: the loop of a
// keeper where commands share the host's namespaces, of a holder where they have
// their own.
type spawner struct {
	conf    policy.Conf
	control wire.FDLink
	broken  *wire.Failed
	masks   *mounts.Masks // a holder's
	etc     []string      // what everybody could read there when it looked
	looked  time.Time
	egress  []int // the listening sockets of one that has NetworkProxy
	runners []spawned
}

// spawned is one live runner.
type spawned struct{ pid, pidfd int }

// serve loops until the sidecar's end of the control socket is closed; false says
// that it has to begin anew before that.
func (s *spawner) serve() (over bool) {
	startThreads(spawnerThreads)
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
		f, err := wire.Receive(s.control)
		if err != nil {
			return true
		}
		switch {
		case f.Kind == wire.MsgRunner && len(f.FDs) > 0:
			if s.broken == nil && s.masks != nil && s.masks.Mend() != nil {
				return false // the sidecar begins a new sandbox
			}
			s.spawn(f.FDs[0], f.FDs[1:])
			f.Close()
		case f.Kind == wire.MsgOrphans:
			s.endOrphans()
			_ = wire.Send(s.control, wire.MsgOrphans, nil)
		case f.Kind == wire.MsgEgress:
			_ = wire.Send(s.control, wire.MsgEgress, nil, s.egress...)
		case f.Kind == wire.MsgSocket:
			s.handSocket(f)
		case f.Kind == wire.MsgViews:
			s.handViews()
		}
	}
}

// spawn starts a runner on its end of the socket and hands its pidfd over, so that the
// sidecar can tell when all of it is gone. A failure is reported there, too.
func (s *spawner) spawn(sock *os.File, journal []*os.File) {
	link := wire.FDLink(sock.Fd())
	if s.broken != nil {
		_ = wire.Send(link, wire.MsgFailed, *s.broken)
		return
	}
	r, err := s.start(sock, journal)
	if err != nil {
		_ = wire.Send(link, wire.MsgFailed, *failed("runner", err))
		return
	}
	s.runners = append(s.runners, r)
	_ = wire.Send(link, wire.MsgBorn, nil, r.pidfd)
}

func (s *spawner) start(sock *os.File, journal []*os.File) (r spawned, err error) {
	setup := wire.Setup{Conf: s.conf, OOMScore: -1, Inner: -1}
	attr := &syscall.ProcAttr{
		Dir: "/", Env: []string{},
		Sys: &syscall.SysProcAttr{Setsid: true, PidFD: &r.pidfd}, // a Ctrl-C at our terminal is not theirs
	}
	if s.conf.Namespaced() {
		attr.Sys.Cloneflags = unix.CLONE_NEWPID | unix.CLONE_NEWNS
		attr.Sys.AmbientCaps = holderCaps
		setup.Masks = s.masks.Paths()
		if time.Since(s.looked) < time.Second { // a later runner looks itself
			setup.Etc = s.etc
		}
	}
	for i := range journal {
		setup.Journal = append(setup.Journal, fdSetup+1+i)
	}
	told, err := setup.File()
	if err != nil {
		return r, err
	}
	defer told.Close()
	attr.Files = []uintptr{0, 1, 2, sock.Fd(), told.Fd()}
	for _, f := range journal {
		attr.Files = append(attr.Files, f.Fd())
	}
	r.pid, err = syscall.ForkExec("/proc/self/exe", []string{wire.Confine}, attr)
	return r, err
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

// endOrphans ends what lost runners left. In namespaces the kernel has done that:
// nothing outlives PID 1. Else it falls to us, the nearest subreaper, and is every
// child that is no runner.
func (s *spawner) endOrphans() {
	if s.conf.Namespaced() {
		return
	}
	proc.KillChildren(wire.EndTimeout/2, func(pid int) bool {
		return !slices.ContainsFunc(s.runners, func(r spawned) bool { return r.pid == pid })
	})
}

// finish waits for the runners, which end on their own when the sidecar is gone.
func (s *spawner) finish() {
	for _, r := range s.runners {
		_ = unix.PidfdSendSignal(r.pidfd, unix.SIGCONT, nil, 0) // it may have been stopped
		_, _ = unix.Wait4(r.pid, nil, 0, nil)
	}
	s.runners = nil
	s.endOrphans()
}

func failed(stage string, err error) *wire.Failed {
	return &wire.Failed{Stage: stage, Reason: err.Error()}
}
