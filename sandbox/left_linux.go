package sandbox

import (
	"sync"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// leftState is what a command left: its runner stays with it, and serves another command
// only when all of it has ended.
type leftState struct {
	runner *runnerProc
	first  []Leftover // as it was when the main child had ended
	ears

	mu     sync.Mutex
	ending bool // MsgEnd was sent
	over   bool // the runner may be another process by now
}

func (l *leftTree) watch() {
	healthy := l.await()
	l.deaf()
	if !healthy {
		l.runner.endLost()
	} else if l.runner.conn.SetReadDeadline(time.Time{}) != nil {
		healthy = false
	}
	l.forget()
	l.box.keep(l.runner, healthy)
}

// await reports whether the runner is well afterwards.
func (l *leftTree) await() bool {
	for {
		f, err := wire.Receive(l.runner.conn)
		if err == nil && f.Kind == wire.MsgListens {
			l.hear(f)
			continue
		}
		l.mu.Lock()
		// One that ended by itself while end was asking answers both.
		l.over = err != nil || f.Kind == wire.MsgEnded || f.Kind == wire.MsgEmpty && !l.ending
		var ended wire.Ended
		if f.Kind == wire.MsgEnded && f.Decode(&ended) == nil {
			l.killed = len(ended.Left)
		}
		over := l.over
		l.mu.Unlock()
		if over {
			return err == nil
		}
	}
}

// end kills the tree; gone is closed when that is done.
func (l *leftTree) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over || l.ending {
		return
	}
	l.ending = true
	// A runner that is gone, or does not answer, is noticed by await.
	_ = l.runner.conn.SetReadDeadline(time.Now().Add(wire.EndTimeout))
	_ = wire.Send(l.runner.conn, wire.MsgEnd, nil)
}

// now looks the tree up in the host's /proc. Where that is hidden from us, what was there
// at first is reported without numbers.
func (l *leftTree) now() []Left {
	var all []Left
	for _, p := range proc.Tree(l.runner.host) {
		if !p.Zombie {
			all = append(all, Left{PID: p.PID, Command: proc.CommandLine(p), Exec: l.exec})
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over: // the number we looked below may be another process's by now
		return nil
	case all != nil:
		return all
	}
	for _, p := range l.first {
		all = append(all, Left{PID: p.PID, Command: p.Name, Exec: l.exec})
	}
	return all
}
