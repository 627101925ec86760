package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"
	"golang.org/x/sys/unix"
)

// A runner is a small process of ours between the sidecar and one command at a
// time. It is the command's parent and the subreaper of all its descendants, so
// that the whole tree can be listed, killed and waited for, and so that the tree
// dies when the sidecar is gone in any way: the socketpair then reads EOF.
// One locked thread of it is restricted by the sandbox's policy and forks the
// commands; the others are not, because they must be able to kill.
const runnerName = "pillion-runner"

// Descriptors a runner starts with, after stdio.
const (
	fdSocket  = 3
	fdLock    = 4 // the sandbox's directory, locked while anyone uses it
	fdRuleset = 5 // absent in mode off
)

type runner struct {
	conn     *net.UnixConn
	sendMu   sync.Mutex
	conf     runnerConf
	requests chan spawnRequest
	replies  chan spawnReply
	leader   int
	gone     chan struct{} // closed when no descendant is left
	work     conc.WaitGroup
}

// runnerConf arrives as arguments: nothing in it is secret, and a policy's
// descriptors speak for themselves.
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
	if err := closeStrangers(); err != nil {
		return 1
	}
	conn, err := socketFrom(fdSocket)
	if err != nil {
		return 1
	}
	r := &runner{conn: conn, requests: make(chan spawnRequest), replies: make(chan spawnReply)}
	if stage, err := r.setup(args); err != nil {
		r.send(msgFailed, new(payload).putString(stage).putString(err.Error()))
		return 1
	}
	r.send(msgReady, new(payload))
	for {
		f, err := readFrame(conn)
		if err != nil {
			break
		}
		r.handle(f)
	}
	r.killTree()
	removeIfLast(r.conf.dir, fdLock)
	return 0
}

func (r *runner) setup(args []string) (stage string, err error) {
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
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return "dumpable", err
	}
	ready := make(chan error, 1)
	go r.spawner(ready) // owns its thread until the process ends
	return "restrict", <-ready
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

// spawner is the thread that forks. Everything a command needs was opened by
// the sidecar, so nothing is opened here under the restrictions.
func (r *runner) spawner(ready chan<- error) {
	runtime.LockOSThread()
	if r.conf.mode != Off {
		listener, err := restrictThread(fdRuleset, r.conf.network)
		if err == nil {
			err = checkScope()
		}
		if err != nil {
			ready <- err
			return
		}
		b, err := newBroker(listener, r.conf.writable)
		if err != nil {
			ready <- err
			return
		}
		go b.serve() // its own locked thread, until the process ends
	}
	ready <- nil
	for req := range r.requests {
		r.replies <- req.serve()
	}
}

// checkScope makes sure that the signal scope holds before anything relies on
// it: without it kill(-1) would reach the user's whole session.
func checkScope() error {
	if err := unix.Kill(os.Getppid(), 0); !errors.Is(err, unix.EPERM) {
		return fmt.Errorf("the signal scope is not in force: signalling the parent gives %v", err)
	}
	return nil
}

func (r *runner) handle(f frame) {
	p := &payload{b: f.data}
	switch f.kind {
	case msgStart:
		r.start(p, f.fds)
	case msgSignal:
		r.signal(unix.Signal(p.int()))
	case msgEnd:
		left := r.leftovers()
		r.killTree()
		out := new(payload).putInt(int64(len(left)))
		for _, l := range left {
			out.putInt(int64(l.pid)).putString(l.name)
		}
		r.send(msgEnded, out)
	}
}

func (r *runner) start(p *payload, fds []*os.File) {
	defer func() {
		for _, f := range fds {
			_ = f.Close()
		}
	}()
	req := spawnRequest{path: p.string(), argv: p.strings(), env: p.strings()}
	if p.err != nil || len(fds) != maxFDs || r.busy() {
		r.send(msgStarted, new(payload).putInt(0).putInt(int64(unix.EPROTO)))
		return
	}
	req.dir, req.stdio = fds[0], fds[1:]
	r.requests <- req
	reply := <-r.replies
	r.send(msgStarted, new(payload).putInt(int64(reply.pid)).putInt(int64(reply.errno)))
	if reply.errno != 0 {
		return
	}
	r.leader, r.gone = reply.pid, make(chan struct{})
	leader, gone := r.leader, r.gone
	r.work.Go(func() { r.reap(leader, gone) })
}

// reap waits for every descendant. ECHILD is the kernel's word that none is
// left, however it daemonized. Usually that comes with the main child's end, and
// one message then says both.
func (r *runner) reap(leader int, gone chan<- struct{}) {
	for {
		var ws unix.WaitStatus
		var ru unix.Rusage
		pid, err := unix.Wait4(-1, &ws, 0, &ru)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			close(gone)
			return
		case pid == leader:
			alone := reapEnded()
			if alone {
				close(gone) // before the sidecar may start the next command
			}
			r.send(msgExited, new(payload).putInt(int64(ws)).
				putInt(ru.Utime.Nano()).putInt(ru.Stime.Nano()).putInt(ru.Maxrss*1024).putBool(alone))
			if alone {
				return
			}
		}
	}
}

// reapEnded collects what has ended already and reports that nothing is left.
func reapEnded() bool {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return true
		}
		if err == nil && pid == 0 {
			return false
		}
	}
}

// busy says that a command's tree is still there.
func (r *runner) busy() bool {
	if r.gone == nil {
		return false
	}
	select {
	case <-r.gone:
		return false
	default:
		return true
	}
}

func (r *runner) leftovers() []proc {
	if !r.busy() {
		return nil
	}
	var left []proc
	for _, p := range descendants() {
		if p.pid != r.leader && !p.zombie {
			left = append(left, p)
		}
	}
	return left
}

// signal reaches every process of the tree. The restricted thread shares the
// commands' Landlock domain, whose scope makes kill(-1) mean "everything in the
// domain": one walk of the kernel's own list under its lock, which no fork bomb
// outruns. Without a domain (mode off) the tree is walked through /proc.
func (r *runner) signal(sig unix.Signal) {
	if r.conf.mode == Off {
		signalTree(sig)
		return
	}
	r.requests <- spawnRequest{signal: sig}
	<-r.replies
}

// killTree returns when no descendant is left. The first pass is at once; later
// ones back off, for what sits in an uninterruptible call.
func (r *runner) killTree() {
	if !r.busy() {
		return
	}
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		r.signal(unix.SIGKILL)
		select {
		case <-r.gone:
			return
		case <-time.After(wait):
		}
	}
}

func (r *runner) send(kind byte, p *payload) {
	r.sendMu.Lock()
	defer r.sendMu.Unlock()
	_ = writeFrame(r.conn, kind, p.b) // a sidecar that is gone is noticed by the reader
}

// spawnRequest asks the restricted thread for its two services: to start a
// command, or with signal set to signal its whole domain.
type spawnRequest struct {
	signal    unix.Signal
	path      string
	argv, env []string
	dir       *os.File
	stdio     []*os.File
}

type spawnReply struct {
	pid   int
	errno syscall.Errno
}

func (q spawnRequest) serve() spawnReply {
	if q.signal != 0 {
		_ = unix.Kill(-1, q.signal) // ESRCH: nothing is left to signal
		return spawnReply{}
	}
	attr := syscall.ProcAttr{
		// The opened directory itself, not its name: nothing can be swapped in.
		Dir: fmt.Sprintf("/proc/self/fd/%d", q.dir.Fd()),
		Env: q.env,
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	}
	for _, f := range q.stdio {
		attr.Files = append(attr.Files, f.Fd())
	}
	pid, err := syscall.ForkExec(q.path, q.argv, &attr)
	if err == nil {
		return spawnReply{pid: pid}
	}
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		errno = unix.EINVAL
	}
	return spawnReply{errno: errno}
}

func socketFrom(fd uintptr) (*net.UnixConn, error) {
	f := os.NewFile(fd, "socket")
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	u, ok := c.(*net.UnixConn)
	if !ok {
		return nil, fmt.Errorf("descriptor %d is no UNIX socket", fd)
	}
	return u, nil
}
