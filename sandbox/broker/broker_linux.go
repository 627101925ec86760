package broker

import (
	"errors"
	"os"
	"path"
	"runtime"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/journal"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/seccomp"
)

// The broker answers the calls the filter hands over: changes of a file's mode,
// owner and times, for which Landlock has no right; in a writable workspace every
// call that makes, changes or removes something by name, because protected paths
// are protected by name; and calls that act on another process by number. It
// never lets a path call continue in the kernel: another thread could swap the
// string after the check. It resolves the path itself, as the caller would, and
// changes exactly what it checked, on a thread without capabilities, so it can do
// nothing the command's own user could not.
type Broker struct {
	listener int
	waits    func(id uint64) bool // whether a caller still waits for its answer
	top      int                  // where absolute paths begin, O_PATH
	roots    []root
	calls    map[int32]brokeredCall
	runner   uint32 // thread id; its umask call is the end of a command
	// outsideReadOnly: what is outside the roots is on read-only mounts. Landlock alone has
	// no right for a file's mode, owner and times.
	outsideReadOnly bool
	outputs         string   // a directory that no root makes writable, "" for none
	user            string   // the user's own home, "" where it is not known
	readOnly        []string // what the mode alone keeps from being written
	readable        []string // what the policy lets be read
	seesAll         bool     // that is everything
	state           string   // where our own directories are

	pointed atomic.Pointer[[]string] // what the user's settings point to
	hosts   *Hosts                   // nil where nothing is kept
	entry   atomic.Pointer[journal.Entry]

	nests   nests                   // repositories below the top one, and what theirs point to
	sidecar atomic.Pointer[os.File] // gets them

	dirty   atomic.Bool // there is something to do at the command's end
	made    madeDirs
	copies  []*copied                    // texts that the command is writing
	added   map[files.ID]map[string]bool // sections that it added to the settings of a git directory
	linked  map[files.ID]bool            // files to which the command gave their second name
	seen    policy.Collected
	waiting []fifo
	umask   umask

	granted    []files.ID // sockets of the host that the policy names
	ownNetwork bool       // what listens in this network is the sandbox's
	hostPorts  []int      // that are reached; if there are any, no other socket is at their address
	bound      boundFiles
	screen     screen
	connects   connects

	pathBuf [unix.PathMax]byte
}

// notification is struct seccomp_notif, seccomp_unotify(2).
type notification struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

// response is struct seccomp_notif_resp.
type response struct {
	id    uint64
	val   int64
	errno int32
	flags uint32
}

// addfd is struct seccomp_notif_addfd.
type addfd struct {
	id         uint64
	flags      uint32
	srcfd      uint32
	newfd      uint32
	newfdFlags uint32
}

// New answers what a filter hands over: c is what to enforce, h what the journal
// needs, or nil, and runner the thread that reports the end of each command.
func New(listener int, c policy.Conf, h *Hosts, runner int) (*Broker, error) {
	mask, err := ownUmask()
	if err != nil {
		return nil, err
	}
	top, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	shared, private := c.Roots()
	b := &Broker{
		listener: listener, top: top, calls: brokeredCalls(seccomp.Numbers()), runner: uint32(runner), hosts: h,
		roots:   openRoots(append(shared, private...), len(private), c.Inner()),
		outputs: c.Outputs(), user: c.UserHome, readOnly: c.ReadOnly(), readable: c.Policy.Readable,
		seesAll: c.Policy.Reads == policy.ReadsAll, state: path.Dir(path.Dir(c.Dir)), outsideReadOnly: c.Namespaced(),
		granted: socketIDs(c.Policy.Sockets), ownNetwork: c.Namespaced() && c.Policy.Network != policy.NetworkAllow,
		umask: umask{initial: mask, current: mask},
		added: map[files.ID]map[string]bool{}, linked: map[files.ID]bool{},
	}
	if c.Proxied() {
		b.hostPorts = c.Policy.HostPorts
	}
	b.waits = b.isWaiting
	return b, nil
}

// Serve owns its thread until the process ends. A broker that fails closes its
// listener: the calls it would answer then fail with ENOSYS, never weaker.
func (b *Broker) Serve() {
	runtime.LockOSThread()
	defer func() { _ = unix.Close(b.listener) }()
	// A working directory and a umask of its own: see bindIn.
	if seccomp.DropCapabilities() != nil || unix.Unshare(unix.CLONE_FS) != nil || seccomp.EnterBroker() != nil {
		return
	}
	// The caller's processor takes the broker over: without it each call waits
	// for another one to wake up. Linux 6.6; the older ones are only slower.
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(b.listener), unix.SECCOMP_IOCTL_NOTIF_SET_FLAGS, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
	for {
		if len(b.waiting) > 0 && !b.ready() {
			continue
		}
		var n notification
		if err := b.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); err != nil {
			if errors.Is(err, unix.ENOENT) {
				continue // the caller died meanwhile
			}
			return
		}
		r, err := b.answer(&n)
		if !r.later {
			b.send(n.id, r, err)
		}
	}
}

func (b *Broker) answer(n *notification) (reply, error) {
	if n.pid == b.runner {
		return b.ofRunner(n)
	}
	c, ok := b.calls[n.nr]
	if !ok {
		return b.answerPeer(n)
	}
	if len(b.copies) > 0 {
		b.takeTexts(false)
	}
	a := request{b: b, n: n, op: c.name, pid: int(n.pid)}
	r, err := c.do(&a, (*args)(&n.args))
	a.explain(err)
	return r, err
}

// send answers a call; ENOENT means that its caller has died. A descriptor is handed over
// first and reported afterwards: SECCOMP_ADDFD_FLAG_SEND would do both, but when a signal
// interrupts the broker in it, the kernel answers the caller with descriptor 0.
func (b *Broker) send(id uint64, r reply, err error) {
	out := response{id: id, val: r.val}
	if err == nil && r.fd >= 0 {
		out.val, err = b.install(id, r)
		_ = unix.Close(r.fd)
	}
	if err != nil {
		errno := unix.EPERM
		errors.As(err, &errno)
		out.errno = -int32(errno)
	} else if r.goOn {
		out.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	}
	_ = b.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&out))
}

// install gives the caller a descriptor and says which one it is there.
func (b *Broker) install(id uint64, r reply) (int64, error) {
	add := addfd{id: id, srcfd: uint32(r.fd), newfdFlags: uint32(r.flags)}
	return b.value(unix.SECCOMP_IOCTL_NOTIF_ADDFD, unsafe.Pointer(&add))
}

var goOn = reply{fd: -1, goOn: true}

// answerPeer lets a call on another process continue when that process is in the command's
// own tree. The number is in a register, so it can't change after the check.
func (b *Broker) answerPeer(n *notification) (reply, error) {
	id := int32(n.args[0])
	if nr := uintptr(n.nr); nr == unix.SYS_SETPRIORITY || nr == unix.SYS_IOPRIO_SET {
		id = int32(n.args[1])
	}
	if id > 0 && proc.InTree(int(id)) {
		return goOn, nil
	}
	return done, unix.EPERM
}

// ofRunner answers the runner's own thread, which is under the filter too: its
// umask call says that the command's last process is gone.
func (b *Broker) ofRunner(n *notification) (reply, error) {
	if nr := uintptr(n.nr); nr != unix.SYS_UMASK {
		return done, unix.EPERM
	}
	b.ended()
	return goOn, nil
}

// Finish is called on the runner's restricted thread when no process of the
// command is left. Its umask call waits for the broker like any other, so the
// end is answered on the broker's thread, after everything before it. An error
// means that the broker is gone, and with it what it knew of repositories the command made.
func (b *Broker) Finish() error {
	if b == nil || !b.dirty.Swap(false) {
		return nil
	}
	if _, _, errno := unix.Syscall(unix.SYS_UMASK, uintptr(b.umask.initial), 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// Violations hands over what this command was refused, and forgets it; after
// finish.
func (b *Broker) Violations() (rows []policy.Violation, total int) {
	if b == nil {
		return nil, 0
	}
	return b.seen.Take()
}

// isWaiting asks the kernel.
func (b *Broker) isWaiting(id uint64) bool {
	return b.ioctl(unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&id)) == nil
}

func (b *Broker) ioctl(req uintptr, arg unsafe.Pointer) error {
	_, err := b.value(req, arg)
	return err
}

// value tries again after a signal. It comes while the kernel waits for a lock that
// callers hold for a moment, too, or for the caller that gets a descriptor, and then
// nothing was done: an answer that is not sent is one that its caller waits for, for
// ever.
func (b *Broker) value(req uintptr, arg unsafe.Pointer) (int64, error) {
	for {
		r, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(b.listener), req, uintptr(arg))
		switch errno {
		case 0:
			return int64(r), nil
		case unix.EINTR:
		default:
			return 0, errno
		}
	}
}
