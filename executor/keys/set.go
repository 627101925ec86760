package keys

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/workspace"
)

// Set is the agents of a session, one for each kind of sandbox.
type Set struct {
	work conc.WaitGroup

	mu     sync.Mutex
	dir    string           // private; "" before the first one
	made   int              // so that no socket's name comes again
	open   map[string]*lent // by their kind
	closed bool
}

type lent struct {
	socket string
	since  int // of two, the one that was made first
	end    context.CancelFunc
}

// maxLent bounds those that are kept for sandboxes that may come again.
const maxLent = 64

// Socket is that of the agent for a kind of sandbox. It begins when it is first asked for, with
// what configure says of its socket; the directory is this user's alone.
func (s *Set) Socket(kind string, configure func(socket string) Config) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.open[kind]; l != nil {
		return l.socket, nil
	}
	if s.closed {
		return "", errors.New("the session ends")
	}
	s.thin()
	in, err := s.listen()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &lent{socket: in.Addr().String(), since: s.made, end: cancel}
	if s.open == nil {
		s.open = map[string]*lent{}
	}
	s.open[kind] = l
	agent := New(configure(l.socket))
	s.work.Go(func() { agent.Serve(ctx, in) })
	return l.socket, nil
}

func (s *Set) listen() (net.Listener, error) {
	if s.dir == "" {
		sweep()
		dir, err := os.MkdirTemp("", dirPrefix)
		if err != nil {
			return nil, err
		}
		s.dir, _ = workspace.Resolve(nil, dir, "/")
	}
	s.made++
	return net.Listen("unix", filepath.Join(s.dir, fmt.Sprintf("agent.%d", s.made)))
}

// newFor is longer than it takes to begin to listen.
const (
	dirPrefix = "pillion-ssh-"
	newFor    = time.Minute
)

// sweep removes the directories of sidecars that were killed.
func sweep() {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), dirPrefix+"*"))
	for _, dir := range dirs {
		sockets, _ := filepath.Glob(filepath.Join(dir, "agent.*"))
		info, err := os.Lstat(dir)
		// Between bind and listen there is no answer, either: a new one is not looked at.
		dead := len(sockets) > 0 && err == nil && time.Since(info.ModTime()) > newFor
		for _, s := range sockets {
			c, err := net.Dial("unix", s)
			if err == nil {
				_ = c.Close()
			}
			dead = dead && errors.Is(err, syscall.ECONNREFUSED)
		}
		if dead {
			_ = os.RemoveAll(dir)
		}
	}
}

// thin ends the oldest one where there are many. Whose sandbox it was gets another one.
func (s *Set) thin() {
	if len(s.open) < maxLent {
		return
	}
	kinds := slices.Collect(maps.Keys(s.open))
	oldest := slices.MinFunc(kinds, func(a, b string) int { return s.open[a].since - s.open[b].since })
	s.open[oldest].end()
	delete(s.open, oldest)
}

// Close ends all of them and waits.
func (s *Set) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, l := range s.open {
		l.end()
	}
	s.work.Wait()
	if s.dir != "" {
		_ = os.RemoveAll(s.dir)
	}
}
