package sandbox

import (
	"context"
	"maps"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/sandbox/lookups"
)

// box is one sandbox: who uses it, and what its system has made for it.
type box struct {
	mu      sync.Mutex // for all of it
	settled *sync.Cond // busy has become less
	busy    int        // commands that run or start, and holds
	used    time.Time  // when the last of them ended
	closed  bool
	running map[*Process]struct{}  // until End
	left    map[*leftTree]struct{} // what commands left on purpose
	ending  conc.WaitGroup         // what is being waited for
	remind  func(time.Time)        // tidy will have something to do then; may be nil
	proxy   egressListener         // nil unless the network is a proxy's
	desk    lookups.Desk           // of a denied network, where there is one of its own
	// hostPorts are the listeners for the policy's, where the network is a proxy's.
	hostPorts []net.Listener

	host // what its system has made
}

// backend is what each system does for a box, in files of its own. A system also has
// prepare, openBox, probe and machineKey, and the methods of process and remains.
type backend interface {
	home() string    // the private home directory, "" in mode off
	store() string   // where the private home is outside of the sandbox
	tmp() string     // the private temporary directory, "" in mode off
	outputs() string // where commands find the policy's Outputs
	// start starts a command, and tracks it.
	start(Command) (*Process, error)
	// apart says that the network is the sandbox's own; dial connects into it.
	apart() bool
	dial(context.Context, netip.AddrPort) (net.Conn, error)
	// due is when tidy has something to do, zero for never; mu is held.
	due() time.Time
	// tidy ends what has been idle for too long, and says when there will be more.
	tidy(now time.Time) time.Time
	// abandon ends a command that is not waited for.
	abandon(*Process)
	// release gives up what the system has of a box in which nothing is left.
	release()
}

// process is what each system does for a command.
type process interface {
	wait() (ExitStatus, error)
	signal(syscall.Signal) error // mu is held
	kill() error
	end(leave bool) ([]Leftover, error)
}

// remains are what a command left, as each system follows it.
type remains interface {
	watch()      // returns when all of it has ended, and has called forget
	end()        // kills it; gone is closed when that is done, and killed says how many
	now() []Left // what is still there
}

var (
	_ backend = (*box)(nil)
	_ process = (*Process)(nil)
	_ remains = (*leftTree)(nil)
)

func newBox(remind func(time.Time)) *box {
	b := &box{running: map[*Process]struct{}{}, left: map[*leftTree]struct{}{}, remind: remind, used: time.Now()}
	b.settled = sync.NewCond(&b.mu)
	return b
}

// hold keeps the box as if a command ran in it; false means that it is closed.
func (b *box) hold() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.busy++
	return true
}

// unhold notes that a command, or a holder, uses the box no more.
func (b *box) unhold() {
	b.mu.Lock()
	b.busy--
	b.used = time.Now()
	b.settled.Broadcast()
	due := b.due()
	b.mu.Unlock()
	b.tellDue(due)
}

func (b *box) tellDue(at time.Time) {
	if b.remind != nil {
		b.remind(at)
	}
}

// inUse says that commands run in the box.
func (b *box) inUse() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.busy > 0
}

func (b *box) lastUsed() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// track notes a running command, which must end with its box; false says that the box is
// closing.
func (b *box) track(p *Process) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running[p] = struct{}{}
	return !b.closed
}

func (b *box) untrack(p *Process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.running, p)
}

// leftTree is what a command left running on purpose.
type leftTree struct {
	box    *box
	exec   string        // Command.ID
	gone   chan struct{} // closed when all of it has ended
	killed int           // how many end has killed; set before gone

	*leftState // as its system follows it
}

// park leaves what is there. It refuses once the box is closing: then everything must end.
func (p *Process) park(left []Leftover, s *leftState) bool {
	b := p.box
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	l := &leftTree{box: b, exec: p.id, gone: make(chan struct{}), leftState: s}
	b.left[l] = struct{}{}
	b.ending.Go(func() {
		l.watch()
		close(l.gone)
	})
	for i := range left {
		left[i].Left = true
	}
	return true
}

// forget notes that all of it has ended.
func (l *leftTree) forget() {
	l.box.mu.Lock()
	defer l.box.mu.Unlock()
	delete(l.box.left, l)
	l.box.used = time.Now()
}

func (b *box) trees() []*leftTree {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Keys(b.left))
}

// endLeft kills everything that commands have left, and counts it.
func (b *box) endLeft() (killed int) {
	trees := b.trees()
	for _, l := range trees {
		l.end()
	}
	for _, l := range trees {
		<-l.gone
		killed += l.killed
	}
	return killed
}

// leftNow describes what commands have left and is still there.
func (b *box) leftNow() (all []Left) {
	for _, l := range b.trees() {
		all = append(all, l.now()...)
	}
	return all
}

// retire lets no command begin any more. While commands run, or processes are
// left, it does so only if that was said to be no matter. finish must follow.
func (b *box) retire(running, left bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || !running && b.busy > 0 || !left && len(b.left) > 0 {
		return false
	}
	b.closed = true
	return true
}

// finish ends everything in the box, and the box. It returns how many of the processes
// that commands had left it killed.
func (b *box) finish() (killed int) {
	for _, p := range b.commands(false) {
		_ = p.kill()
	}
	killed = b.endLeft()
	for _, p := range b.commands(true) {
		b.abandon(p)
	}
	b.release()
	return killed
}

// commands are those that run; settled waits for those that wait for killed ones.
func (b *box) commands(settled bool) []*Process {
	b.mu.Lock()
	defer b.mu.Unlock()
	if settled {
		b.awaitSettled()
	}
	return slices.Collect(maps.Keys(b.running))
}

// settleTimeout is how long those who wait for killed commands may take to see their
// ends.
const settleTimeout = 3 * time.Second

// awaitSettled waits for that; the caller holds mu.
func (b *box) awaitSettled() {
	late := false
	t := time.AfterFunc(settleTimeout, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		late = true
		b.settled.Broadcast()
	})
	defer t.Stop()
	for b.busy > 0 && !late {
		b.settled.Wait()
	}
}

// close ends the box; without force only when no command is in it.
func (b *box) close(force bool) bool {
	if !b.retire(force, force) {
		return false
	}
	b.finish()
	return true
}

// egressListener is a listener that knows whether it is served.
type egressListener interface {
	net.Listener
	take() bool  // false says that it is closed
	taken() bool // it is
}

// listener is what Sandbox.Egress gives.
func (b *box) listener() (net.Listener, error) {
	switch {
	case b.proxy == nil:
		return nil, errNoEgress
	case !b.proxy.take():
		return nil, ErrClosed
	}
	return b.proxy, nil
}

// layHome writes the files that a private home begins with. No command has been
// there yet, so no link can lead it astray.
func layHome(home string, files []HomeFile) error {
	for _, f := range files {
		path := filepath.Join(home, filepath.FromSlash(f.Path))
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		switch {
		case err != nil:
		case f.Link != "":
			err = layLink(f.Link, path)
		default:
			err = layText(f, path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func layText(f HomeFile, path string) (err error) {
	var text []byte
	if f.After != "" {
		text, err = os.ReadFile(f.After)
	}
	if err == nil {
		err = os.WriteFile(path, append(text, f.Text...), 0o600)
	}
	return err
}
