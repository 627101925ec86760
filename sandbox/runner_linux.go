package sandbox

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A runner is a small process of ours between the sidecar and one command at a
// time. It is the command's parent and the subreaper of all its descendants, so
// that the whole tree can be listed, killed and waited for, and so that the tree
// dies when the sidecar is gone in any way: the socketpair then reads EOF.
//
// One locked thread of it is restricted by the sandbox's policy and does all the
// work; the group leader is not restricted, which keeps the process as a whole
// out of the commands' signal scope.
// Descriptors a runner starts with, after stdio.
const (
	fdSocket  = 3
	fdLock    = 4 // the sandbox's directory, locked while anyone uses it
	fdRuleset = 5 // absent in mode off
)

// runnerConf arrives as arguments: nothing in it is secret.
type runnerConf struct {
	mode     Mode
	network  Network
	dir      string   // the sandbox's directory, removed by whoever is last
	writable []string // roots for the broker
}

func init() {
	// The main goroutine must own the first thread before any other goroutine
	// can land on it: restricting it would expose the whole process.
	if len(os.Args) > 0 && os.Args[0] == runnerName {
		runtime.LockOSThread()
	}
}

// runnerMain serves until the sidecar closes its end.
func runnerMain(args []string) int {
	r := &runner{conn: fdLink(fdSocket)}
	if stage, err := r.setup(args); err != nil {
		r.fail(stage, err)
		return 1
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
	removeIfLast(r.conf.dir, fdLock)
	return 0
}

func (r *runner) fail(stage string, err error) {
	r.send(msgFailed, new(payload).putString(stage).putString(err.Error()))
}

func (r *runner) setup(args []string) (stage string, err error) {
	if err := closeStrangers(); err != nil {
		return "descriptors", err
	}
	if len(args) < 4 {
		return "arguments", errors.New("too few")
	}
	r.conf = runnerConf{mode: Mode(args[1]), network: Network(args[2]), dir: args[3], writable: args[4:]}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return "subreaper", err
	}
	// No core of a command, and no way to attach to us.
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return "core limit", err
	}
	return "dumpable", unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// restrict confines the calling thread and starts the broker.
func (r *runner) restrict() (stage string, err error) {
	if r.conf.mode == Off {
		return "", nil
	}
	listener, err := restrictThread(fdRuleset, r.conf.mode, r.conf.network)
	if err != nil {
		return "restrict", err
	}
	if err := checkScope(); err != nil {
		return "signal scope", err
	}
	r.broker, err = newBroker(listener, brokerConf{
		writable: r.conf.writable, private: 2, tmp: r.conf.writable[len(r.conf.writable)-1], keeper: uint32(unix.Gettid()),
	})
	if err != nil {
		return "broker", err
	}
	go r.broker.serve() // its own locked thread, until the process ends
	return "", nil
}

// checkScope makes sure that the signal scope holds before anything relies on
// it: without it kill(-1) would reach the user's whole session.
func checkScope() error {
	if err := unix.Kill(os.Getppid(), 0); !errors.Is(err, unix.EPERM) {
		return errors.New("a restricted thread may still signal the sidecar")
	}
	return nil
}

// closeStrangers closes whatever a careless editor left open across exec: such a
// descriptor, open for writing outside, would stay writable under every path
// rule. Only the Go runtime's own poller stays; nothing passes an exec.
func closeStrangers() error {
	if err := unix.CloseRange(fdSocket, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return err
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= fdRuleset {
			continue
		}
		what, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && !strings.HasPrefix(what, "anon_inode:[event") {
			_ = unix.Close(fd)
		}
	}
	return nil
}
