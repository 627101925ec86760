package inside

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/broker"
	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/landlock"
	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/sandbox/mounts"
	"github.com/pillion-sidecar/pillion/sandbox/seccomp"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
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

// runnerMain serves until the sidecar closes its end.
func runnerMain() int {
	r := &runner{conn: fdSocket}
	if stage, err := r.setup(); err != nil {
		r.fail(stage, err)
		return 1
	}
	startThreads(runnerThreads)
	if r.conf.Namespaced() {
		if err := forgoSignals(); err != nil {
			r.fail("signals", err)
			return 1
		}
	}
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
	r.send(wire.MsgFailed, *failed(stage, err))
}

func (r *runner) setup() (stage string, err error) {
	told, err := wire.ReadSetup()
	if err != nil {
		return "configuration", err
	}
	if err := closeStrangers(fdSocket, append(told.Journal, told.OOMScore, told.Inner)...); err != nil {
		return "descriptors", err
	}
	r.conf, r.masks, r.score, r.inner = told.Conf, told.Masks, limits.OOMScoreOf(told.OOMScore), told.Inner
	if r.hosts, err = broker.NewHosts(told.Journal, r.conf); err != nil {
		return "journal", err
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return "subreaper", err
	}
	// No way to attach to us.
	return "dumpable", unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// restrict confines the calling thread and starts the broker.
func (r *runner) restrict() (stage string, err error) {
	if !r.conf.Sandboxed() {
		return "", nil
	}
	if r.conf.Landlocked() {
		if err := r.enterCommands(); err != nil {
			return "scope", err
		}
	}
	listener, err := seccomp.Install(r.conf)
	if err != nil {
		return "seccomp", err
	}
	if err := r.checkScope(); err != nil {
		return "signal scope", err
	}
	r.broker, err = broker.New(listener, r.conf, r.hosts, unix.Gettid())
	if err != nil {
		return "broker", err
	}
	go r.broker.Serve() // its own locked thread, until the process ends
	return "", nil
}

// checkScope makes sure that the signal scope holds before anything relies on it: without
// it kill(-1) would reach the user's whole session. In a pid namespace there is no other
// process to reach.
func (r *runner) checkScope() error {
	if r.conf.Namespaced() {
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
	if stage, err := confine(); err != nil {
		(&runner{conn: fdSocket}).fail(stage, err)
	}
	return 1
}

func confine() (stage string, err error) {
	told, err := wire.ReadSetup()
	if err != nil {
		return "configuration", err
	}
	if err := closeStrangers(fdSetup, told.Journal...); err != nil {
		return "descriptors", err
	}
	blame, err := limits.LimitSelf(told.Conf)
	if err != nil {
		return "limits", err
	}
	told.OOMScore = blame.FD
	if told.Conf.Namespaced() {
		if err := mounts.MountProc(); err != nil {
			return "proc", err
		}
	}
	if told.Conf.Sandboxed() {
		if stage, err := giveUpRights(&told); err != nil {
			return stage, err
		}
	}
	if err := handOver(told); err != nil {
		return "descriptors", err
	}
	return "exec", unix.Exec("/proc/self/exe", []string{wire.Runner}, []string{})
}

// handOver leaves the second half what it needs.
func handOver(told wire.Setup) error {
	again, err := told.File()
	if err != nil {
		return err
	}
	if err := unix.Dup3(int(again.Fd()), fdSetup, 0); err != nil {
		return err
	}
	for _, fd := range append(told.Journal, fdSocket, told.OOMScore, told.Inner) {
		if fd < 0 {
			continue
		}
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0); err != nil {
			return err
		}
	}
	return nil
}

// giveUpRights leaves the calling thread, and what it executes, without any
// capability, with no way to get one back, and inside the sandbox's domain.
func giveUpRights(told *wire.Setup) (stage string, err error) {
	c := told.Conf
	ruleset := -1
	if c.Landlocked() { // while every path can still be opened
		rules := landlock.Rules(c, landlock.Etc(told.Etc))
		if ruleset, err = landlock.NewRuleset(c, rules); err != nil {
			return "ruleset", err
		}
		defer unix.Close(ruleset)
		same := func() (int, error) { return landlock.NewRuleset(c, rules) }
		if err := besideCommands(told, ruleset, same); err != nil {
			return "journal", err
		}
	}
	if err := seccomp.DropCapabilities(); err != nil {
		return "capabilities", err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return "no_new_privs", err
	}
	if c.Landlocked() {
		return "landlock", landlock.Enter(ruleset)
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

// besideCommands lets our own threads write to the journal, and keeps the rules without it
// for commands where they could name it. With mounts of their own commands have no such
// path.
func besideCommands(told *wire.Setup, ruleset int, narrower func() (int, error)) (err error) {
	if !told.Conf.Journaled() || len(told.Journal) == 0 {
		return nil
	}
	if !told.Conf.Namespaced() {
		if told.Inner, err = narrower(); err != nil {
			return err
		}
	}
	return landlock.AllowWriting(ruleset, files.Path(told.Journal[0]))
}

// enterCommands puts the calling thread into the domain of commands.
func (r *runner) enterCommands() error {
	if r.inner >= 0 {
		err := landlock.Enter(r.inner)
		if err = errors.Join(err, unix.Close(r.inner)); err != nil {
			return err
		}
	}
	return landlock.EnterScope()
}
