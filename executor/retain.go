package executor

import (
	"slices"
	"sync"
	"time"
)

// shelf keeps the output of finished commands until it is too old, there are too
// many, or a running command needs the room. The command that ended first goes
// first. One timer serves all of them.
//
// Its mutex may be taken with Engine.mu and with the mutex of a running
// command's spool held, and takes those of finished ones only.
type shelf struct {
	mu     sync.Mutex
	age    time.Duration // 0 keeps nothing
	most   int           // 0 keeps nothing
	list   []*kept       // in the order of their ends
	gone   departed
	timer  *time.Timer
	closed bool
}

// kept is a finished command whose output can be read.
type kept struct {
	info    Info
	streams []*stream
}

// setLimits holds for the commands to come; what is kept stays until its time.
func (s *shelf) setLimits(age time.Duration, most int) {
	s.mu.Lock()
	s.age, s.most = age, most
	out := s.surplus()
	s.mu.Unlock()
	closeAll(out)
}

// until is when the output of a command that ends now expires; the zero time is
// at once.
func (s *shelf) until() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.age <= 0 || s.most <= 0 {
		return time.Time{}
	}
	return time.Now().Add(s.age)
}

// add puts a finished command on the shelf. The caller closes what has to leave,
// which may be this very command.
func (s *shelf) add(k *kept) (out []*kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || k.info.Expires.IsZero() {
		s.remember(k)
		return []*kept{k}
	}
	s.list = append(s.list, k)
	out = s.surplus()
	s.wind()
	return out
}

// surplus takes off what is over the number that may stay. Called with mu held.
func (s *shelf) surplus() (out []*kept) {
	for len(s.list) > s.most {
		out = append(out, s.remove(0))
	}
	return out
}

// knows reports a command that has ended, not too long ago.
func (s *shelf) knows(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, gone := s.gone.find(id)
	return gone || s.index(id) >= 0
}

// remove takes one off and remembers its id. Called with mu held.
func (s *shelf) remove(i int) *kept {
	k := s.list[i]
	s.list = slices.Delete(s.list, i, i+1)
	s.remember(k)
	return k
}

func (s *shelf) remember(k *kept) {
	e := expired{id: k.info.ID, total: map[Stream]int64{}, at: time.Now()}
	for _, st := range k.streams {
		e.total[st.name] = st.spool.size()
	}
	s.gone.add(e)
}

// wind sets the timer to the next end of a retention. Called with mu held.
func (s *shelf) wind() {
	if s.timer != nil {
		s.timer.Stop()
	}
	if len(s.list) == 0 {
		return
	}
	next := s.list[0].info.Expires
	for _, k := range s.list { // the retention may have changed between two ends
		if k.info.Expires.Before(next) {
			next = k.info.Expires
		}
	}
	s.timer = time.AfterFunc(time.Until(next), s.sweep)
}

// sweep is the timer's: it evicts what has been there long enough.
func (s *shelf) sweep() {
	s.mu.Lock()
	var out []*kept
	now := time.Now()
	for i := 0; i < len(s.list); {
		if s.list[i].info.Expires.After(now) {
			i++
			continue
		}
		out = append(out, s.remove(i))
	}
	if !s.closed {
		s.wind()
	}
	s.mu.Unlock()
	closeAll(out)
}

// reclaim gives up the oldest output that holds disk space, and reports whether
// there was any.
func (s *shelf) reclaim() bool {
	s.mu.Lock()
	i := slices.IndexFunc(s.list, (*kept).holdsSpace)
	var out []*kept
	if i >= 0 {
		out = append(out, s.remove(i))
		s.wind()
	}
	s.mu.Unlock()
	closeAll(out)
	return len(out) > 0
}

func (k *kept) holdsSpace() bool {
	return slices.ContainsFunc(k.streams, func(st *stream) bool { return st.spool.spare() > 0 })
}

// index finds a kept command, or -1. Called with mu held.
func (s *shelf) index(id string) int {
	return slices.IndexFunc(s.list, func(k *kept) bool { return k.info.ID == id })
}

func (s *shelf) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.index(id) >= 0
}

// infos describes what is kept, in the order of their ends.
func (s *shelf) infos() []Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Info, 0, len(s.list))
	for _, k := range s.list {
		out = append(out, k.info)
	}
	return out
}

// release forgets one as if it had never been.
func (s *shelf) release(id string) bool {
	s.mu.Lock()
	i := s.index(id)
	var out []*kept
	if i >= 0 {
		out = append(out, s.list[i])
		s.list = slices.Delete(s.list, i, i+1)
		s.gone.drop(id)
		s.wind()
	}
	s.mu.Unlock()
	closeAll(out)
	return i >= 0
}

// close frees everything; nothing is kept from now on.
func (s *shelf) close() {
	s.mu.Lock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	out := s.list
	s.list = nil
	s.mu.Unlock()
	closeAll(out)
}

func closeAll(list []*kept) {
	for _, k := range list {
		for _, st := range k.streams {
			st.spool.close()
		}
	}
}
