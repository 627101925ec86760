package executor

import (
	"slices"
	"sync"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// Port is one on which a command has begun to listen in a network of its own, or has
// ceased to.
type Port struct {
	ID string // of the command
	sandbox.Port
	Listening bool
}

// ports are those on which commands listen, also what they left in named sandboxes.
type ports struct {
	mu     sync.Mutex
	by     map[string]*listener // by execId
	closed bool
	work   conc.WaitGroup // forwards
}

// listener is a command that listens.
type listener struct {
	box      *sandbox.Sandbox
	folder   string // of the workspace
	now      []sandbox.Port
	forwards map[int]*forward // by the port
}

// hear takes over on what a command listens now. It is called for one command by one
// goroutine at a time.
func (s *step) hear(now []sandbox.Port) {
	e, id := s.engine, s.req.ID
	all := e.ports
	all.mu.Lock()
	l := all.by[id]
	if l == nil {
		l = &listener{box: s.box, folder: s.folders.Folders()[0], forwards: map[int]*forward{}}
		all.by[id] = l
	}
	var news []Port
	for _, p := range l.now {
		if !slices.Contains(now, p) {
			news = append(news, Port{ID: id, Port: p})
			l.end(p.Number)
		}
	}
	for _, p := range now {
		if !slices.Contains(l.now, p) {
			news = append(news, Port{ID: id, Port: p, Listening: true})
		}
	}
	if l.now = now; len(now) == 0 {
		delete(all.by, id)
	}
	all.mu.Unlock()
	if e.conf.Listens != nil {
		for _, p := range news {
			e.conf.Listens(p)
		}
	}
}

// close ends every forward and waits. Nothing listens any more: every tree is gone.
func (a *ports) close() {
	a.mu.Lock()
	a.closed = true
	for _, l := range a.by {
		for port := range l.forwards {
			l.end(port)
		}
	}
	a.mu.Unlock()
	a.work.Wait()
}
