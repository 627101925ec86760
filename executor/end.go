package executor

import "time"

// await follows the process to its end: main child, drain, what it left.
func (s *step) await() {
	s.conclude(s.proc.Wait())
	close(s.exited)
	s.awaitDrain()
	left, err := s.proc.End(s.leaves())
	if err != nil && s.lost == nil {
		s.lost = err
	}
	s.limit = s.proc.Limit()
	s.violations, s.violated = s.proc.Violations()
	stays := false
	for _, p := range left {
		bg := Background{PID: p.PID, Name: p.Name, Fate: FateKilled}
		if p.Left {
			bg.Fate, stays = FateLeft, true
		}
		s.background = append(s.background, bg)
	}
	s.input.end(WriteFinished)
	if s.stdin != nil {
		_ = s.stdin.Close() // unblocks feed
	}
	s.awaitInlets(stays)
}

// awaitDrain waits until the output is complete. When a grandchild holds the
// pipe, even a silent one, it waits only until the pipes have been quiet for
// DrainIdle, and at most DrainMax; what comes later on such a stream is what the
// leftovers wrote before they were killed.
func (s *step) awaitDrain() {
	begin := time.Now()
	for _, in := range s.inlets {
		for !s.awaitInlet(in, begin) {
			if s.drainDeadline(begin).After(time.Now()) {
				continue // somebody wrote meanwhile
			}
			in.mu.Lock()
			in.cut = true
			in.mu.Unlock()
			break
		}
	}
}

// awaitInlet waits for an inlet's end, until the deadline as it is now.
func (s *step) awaitInlet(in *inlet, begin time.Time) bool {
	t := time.NewTimer(time.Until(s.drainDeadline(begin)))
	defer t.Stop()
	select {
	case <-in.done:
		return true
	case <-in.stuck: // not before the tree is gone
		return true
	case <-t.C:
	}
	select { // both at once: it did end by itself
	case <-in.done:
		return true
	default:
		return false
	}
}

func (s *step) drainDeadline(begin time.Time) time.Time {
	lim := s.engine.conf.Limits
	quiet := begin
	for _, in := range s.inlets {
		if last := in.quiet(); last.After(quiet) {
			quiet = last
		}
	}
	idle, most := quiet.Add(lim.DrainIdle), begin.Add(lim.DrainMax)
	if idle.Before(most) {
		return idle
	}
	return most
}

// awaitInlets lets the readers reach the end of the pipes, which comes at once
// where no writer is left. Should one have been passed out of the tree, the read
// ends give up; so they do at once where writers stay, which then get SIGPIPE. A
// pipe that was not read for want of room is read now.
func (s *step) awaitInlets(stays bool) {
	lim := s.engine.conf.Limits
	for _, in := range s.inlets {
		wait := lim.DrainMax
		if stays {
			wait = in.backlog(lim.DrainIdle)
		}
		_ = in.pipe.SetReadDeadline(time.Now().Add(wait))
		close(in.lift)
	}
	for _, in := range s.inlets {
		<-in.done
		in.settle()
		s.output[in.stream.name] = Range{From: in.from, To: in.stream.spool.size()}
	}
}
