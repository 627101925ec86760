package rpc

import (
	"github.com/pillion-sidecar/pillion/rpc/parent"
	"github.com/sourcegraph/conc"
)

// parentWatch waits for other processes to end.
type parentWatch struct {
	scope conc.WaitGroup
	stops []func()
}

// watchParent ends the connection when the process does. It is looked up once: a
// pid that can't be seen (the editor is outside this container) isn't watched,
// because a server that leaves seconds after its start is worse than one that
// leaves at the end of its input, which comes in any case.
func (s *server) watchParent(pid int) {
	wait, stop, err := parent.Open(pid)
	if err != nil {
		s.log.Info("the editor's process can't be seen and isn't watched", "pid", pid, "error", err)
		return
	}
	s.mu.Lock()
	s.parent.stops = append(s.parent.stops, stop)
	s.mu.Unlock()
	s.parent.scope.Go(func() {
		if wait() {
			s.end(ending{why: "the editor's process ended"})
		}
	})
}

func (s *server) closeParent() {
	s.mu.Lock()
	stops := s.parent.stops
	s.mu.Unlock()
	for _, stop := range stops {
		stop()
	}
	s.parent.scope.Wait()
}
