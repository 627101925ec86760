package sandbox

import (
	"errors"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A runner is a small process of ours between the sandbox and one command at a
// time. It is the command's parent and, as PID 1 or subreaper, that of all its
// descendants, so that the whole tree can be listed, killed and waited for, and
// so that the tree dies when the sidecar is gone in any way: the socket then reads
// EOF.
//
// All of it is inside the sandbox's Landlock domain and without capabilities. One
// locked thread is restricted further, in a nested domain with the commands, and
// does all the work; the group leader is not in that domain, which keeps the
// process as a whole out of the commands' signal scope.
//
// fdSocket is its end of the socket, the descriptor it starts with after stdio.
const fdSocket = 3

// runnerMain serves until the sidecar closes its end. Its argument is the number of
// the descriptor that blame is.
func runnerMain(args []string) int {
	r := &runner{conn: fdSocket, masks: masksOf(os.Environ()), blame: noBlame}
	if len(args) == 1 {
		r.blame = blameOf(args[0])
	}
	if stage, err := r.setup(); err != nil {
		r.fail(stage, err)
		return 1
	}
	warm(runnerThreads)
	done := make(chan struct{})
	go func() { // owns its thread until the process ends
		defer close(done)
		runtime.LockOSThread()
		if stage, err := r.restrict(); err != nil {
			r.fail(stage, err)
			return
		}
		r.serve()
	}()
	<-done
	return 0
}

func (r *runner) fail(stage string, err error) {
	r.send(msgFailed, new(payload).putString(stage).putString(err.Error()))
}

func (r *runner) setup() (stage string, err error) {
	if err := closeStrangers(fdSocket, r.blame.fd); err != nil {
		return "descriptors", err
	}
	if r.conf, err = readConf(r.conn); err != nil {
		return "configuration", err
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return "subreaper", err
	}
	// No way to attach to us.
	return "dumpable", unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// restrict confines the calling thread and starts the broker.
func (r *runner) restrict() (stage string, err error) {
	if !r.conf.confined() {
		return "", nil
	}
	if r.conf.landlocked() {
		if err := enterScope(); err != nil {
			return "scope", err
		}
	}
	listener, err := installPolicy(r.conf)
	if err != nil {
		return "seccomp", err
	}
	if err := r.checkScope(); err != nil {
		return "signal scope", err
	}
	shared, private := r.conf.roots()
	r.broker, err = newBroker(listener, brokerConf{
		writable: append(shared, private...), private: len(private), inner: r.conf.inner(),
		keeper: uint32(unix.Gettid()), confined: r.conf.namespaced(), outputs: r.conf.outputs(),
		user: r.conf.user, readOnly: r.conf.readOnly(), readable: r.conf.policy.Readable, state: path.Dir(path.Dir(r.conf.dir)),
	})
	if err != nil {
		return "broker", err
	}
	go r.broker.serve() // its own locked thread, until the process ends
	return "", nil
}

// checkScope makes sure that the signal scope holds before anything relies on
// it: without it kill(-1) would reach the user's whole session. In a pid
// namespace there is nobody else to reach.
func (r *runner) checkScope() error {
	if r.conf.namespaced() {
		return nil
	}
	if err := unix.Kill(os.Getppid(), 0); !errors.Is(err, unix.EPERM) {
		return errors.New("a restricted thread may still signal the sandbox's keeper")
	}
	return nil
}

// confineMain is a runner's first half: it still has the rights to finish its
// namespaces, gives all of them up for good, enters the sandbox's domain and
// executes itself, so that every thread the runtime then makes is in it, too.
func confineMain() int {
	r := &runner{conn: fdSocket}
	if stage, err := r.confine(); err != nil {
		r.fail(stage, err)
	}
	return 1
}

func (r *runner) confine() (stage string, err error) {
	if err := closeStrangers(fdSocket); err != nil {
		return "descriptors", err
	}
	c, err := readConf(r.conn)
	if err != nil {
		return "configuration", err
	}
	blame, err := limitSelf(c)
	if err != nil {
		return "limits", err
	}
	if c.namespaced() {
		if err := mountProc(); err != nil {
			return "proc", err
		}
	}
	if c.confined() {
		if stage, err := giveUpRights(c); err != nil {
			return stage, err
		}
	}
	if _, err := unix.FcntlInt(fdSocket, unix.F_SETFD, 0); err != nil {
		return "descriptors", err
	}
	return "exec", unix.Exec("/proc/self/exe", []string{runnerName, strconv.Itoa(blame.fd)}, os.Environ())
}

// giveUpRights leaves the calling thread, and what it executes, without any
// capability, with no way to get one back, and inside the sandbox's domain.
func giveUpRights(c conf) (stage string, err error) {
	ruleset := -1
	if c.landlocked() { // while every path can still be opened
		if ruleset, err = newRuleset(c, c.rules(etcRules())); err != nil {
			return "ruleset", err
		}
		defer unix.Close(ruleset)
	}
	if err := dropCapabilities(); err != nil {
		return "capabilities", err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return "no_new_privs", err
	}
	if c.landlocked() {
		return "landlock", enterDomain(ruleset)
	}
	return "", nil
}

// closeStrangers closes whatever a careless editor left open across exec: such a
// descriptor, open for writing outside, would stay writable under every path
// rule. Only the Go runtime's own poller stays; nothing passes an exec.
func closeStrangers(last int, known ...int) error {
	if err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return err
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= last || slices.Contains(known, fd) {
			continue
		}
		what, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && !strings.HasPrefix(what, "anon_inode:[event") {
			_ = unix.Close(fd)
		}
	}
	return nil
}

// enterScope puts the calling thread, and what it forks, into a domain of its
// own below the sandbox's, from which no signal and no abstract socket reaches
// out: not to the rest of this process either.
func enterScope() error {
	attr := unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), rulesetSize, 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(fd))
	return enterDomain(int(fd))
}
