package inside

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// A keeper is the outermost process of one sandbox, on the host. It owns the
// private directory, which it removes when all is over, however the sidecar went.
// Where the rung has namespaces it makes them, with a holder as their PID 1, and
// does nothing more; else it starts the runners itself. The sidecar can't make a
// user namespace: Go then copies the whole address space instead of sharing it.

// Descriptors that a keeper and a holder start with, after stdio.
const (
	fdControl = 3
	fdSetup   = wire.SetupFD
	fdLock    = 5 // keeper: the sandbox's directory, locked while anyone uses it
)

func keeperMain(args []string) int {
	s := &spawner{control: fdControl}
	if len(args) != 1 {
		return 2
	}
	dir := args[0]
	setup, err := wire.ReadSetup()
	s.conf = setup.Conf
	s.broken = keeperSetup(s.conf.Given())
	switch {
	case err != nil:
		return 2
	case s.broken == nil && s.conf.Namespaced() && s.hold():
	default:
		s.serve()
		s.finish()
	}
	removeIfLast(dir, fdLock)
	return 0
}

func keeperSetup(given int) *wire.Failed {
	if err := closeStrangers(fdLock + given); err != nil {
		return failed("descriptors", err)
	}
	// What a lost runner leaves falls to us and not to init.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return failed("subreaper", err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return failed("core limit", err)
	}
	return nil
}

// holderCaps are a holder's rights inside its own user namespace, kept across
// exec by an ordinary user, too: mounts, the loopback device, the proxy's
// port, dropping the bounding set of runners, and looking into directories of mode 0
// it has to bind.
var holderCaps = []uintptr{
	unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE, unix.CAP_SETPCAP,
	unix.CAP_DAC_OVERRIDE, unix.CAP_SYS_RESOURCE, unix.CAP_SYS_CHROOT,
}

// hold starts the holder and returns when all of the sandbox is gone; false says that
// there could be none; the request for a runner reports why.
func (s *spawner) hold() bool {
	pid, pidfd, err := startHolder(s.conf)
	if err != nil {
		s.broken = failed("namespaces", err)
		return false
	}
	startThreads(spawnerThreads)
	awaitEnd(pid, pidfd)
	return true
}

func startHolder(c policy.Conf) (pid, pidfd int, err error) {
	ns := []int{
		unix.CLONE_NEWUSER, unix.CLONE_NEWNS, unix.CLONE_NEWPID, unix.CLONE_NEWIPC, unix.CLONE_NEWUTS, unix.CLONE_NEWCGROUP,
	}
	if c.OwnNetwork() {
		ns = append(ns, unix.CLONE_NEWNET)
	}
	pidfd = -1
	attr := &syscall.ProcAttr{Dir: "/", Env: []string{}, Files: []uintptr{0, 1, 2, fdControl, fdSetup}, Sys: &syscall.SysProcAttr{
		Setsid: true, Pdeathsig: syscall.SIGKILL, PidFD: &pidfd, AmbientCaps: holderCaps,
		UidMappings: identity("/proc/self/uid_map", os.Geteuid()), GidMappings: identity("/proc/self/gid_map", os.Getegid()),
	}}
	attr.Sys.GidMappingsEnableSetgroups = os.Geteuid() == 0
	for i := range c.Given() {
		attr.Files = append(attr.Files, uintptr(fdLock+1+i))
	}
	for _, flag := range ns {
		attr.Sys.Cloneflags |= uintptr(flag)
	}
	pid, err = syscall.ForkExec("/proc/self/exe", []string{wire.Holder}, attr)
	return pid, pidfd, err
}

// awaitEnd waits for the holder. It ends by itself when the sidecar is gone; one
// that does not is ended.
func awaitEnd(pid, pidfd int) {
	fds := []unix.PollFd{{Fd: fdControl, Events: unix.POLLRDHUP}, {Fd: int32(pidfd), Events: unix.POLLIN}}
	for fds[1].Revents == 0 {
		timeout := -1
		if fds[0].Revents != 0 {
			fds[0].Fd, timeout = -1, int(wire.EndTimeout/time.Millisecond)
			_ = unix.PidfdSendSignal(pidfd, unix.SIGCONT, nil, 0) // it may have been stopped
		}
		n, err := unix.Poll(fds, timeout)
		if n == 0 && err == nil {
			_ = unix.PidfdSendSignal(pidfd, unix.SIGKILL, nil, 0)
		}
	}
	_, _ = unix.Wait4(pid, nil, 0, nil)
}

// identity maps every id onto itself: root's namespace as far as its own reaches,
// an ordinary user's only its own id, which is all the kernel lets it.
func identity(file string, own int) []syscall.SysProcIDMap {
	if os.Geteuid() != 0 {
		return []syscall.SysProcIDMap{{ContainerID: own, HostID: own, Size: 1}}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var maps []syscall.SysProcIDMap
	for line := range strings.Lines(string(b)) { // inside, outside, count. user_namespaces(7)
		f := strings.Fields(line)
		if len(f) != 3 {
			return nil
		}
		first, err1 := strconv.Atoi(f[0])
		size, err2 := strconv.Atoi(f[2])
		if errors.Join(err1, err2) != nil {
			return nil
		}
		maps = append(maps, syscall.SysProcIDMap{ContainerID: first, HostID: first, Size: size})
	}
	return maps
}

// removeIfLast gives up our share of the lock and removes the directory when it is the
// last.
func removeIfLast(dir string, fd int) {
	_ = unix.Close(fd)
	RemoveUnlocked(dir)
}

// dropGroup is called before a directory of a killed predecessor is removed.
func dropGroup(dir string) { limits.RemoveGroup(dir) }
