package executor

import "time"

// await follows the process to its end: main child, drain, what it left.
func (l *life) await() {
	defer l.endTree()
	status, err := l.proc.Wait()
	l.duration = time.Since(l.startedAt())
	l.status, l.lost = status, err
	if err != nil {
		l.cancel(cause(SandboxLost))
	} else {
		l.cancel(cause(Exited))
	}
	close(l.exited)
	l.awaitDrain()
	left, err := l.proc.End(l.leaves())
	if err != nil && l.lost == nil {
		l.lost = err
	}
	l.limit = l.proc.Limit()
	l.violations, l.violated = l.proc.Violations()
	stays := false
	for _, p := range left {
		bg := Background{PID: p.PID, Name: p.Name, Fate: FateKilled}
		if p.Left {
			bg.Fate, stays = FateLeft, true
		}
		l.background = append(l.background, bg)
	}
	l.input.end(WriteFinished)
	if l.stdin != nil {
		_ = l.stdin.Close() // unblocks feed
	}
	l.awaitStreams(stays)
	l.save()
	l.release() // a client that is slow to read must not hold up the next command
	close(l.ended)
}

func (l *life) startedAt() time.Time {
	l.engine.mu.Lock()
	defer l.engine.mu.Unlock()
	return l.started
}

// awaitDrain waits until the output is complete. When a grandchild holds the
// pipe, even a silent one, it waits only until the pipes have been quiet for
// DrainIdle, and at most DrainMax; what comes later on such a stream is what the
// leftovers wrote before they were killed.
func (l *life) awaitDrain() {
	begin := time.Now()
	for _, s := range l.streams {
		for !l.awaitStream(s, begin) {
			if l.drainDeadline(begin).After(time.Now()) {
				continue // somebody wrote meanwhile
			}
			s.mu.Lock()
			s.cut = true
			s.mu.Unlock()
			break
		}
	}
}

// awaitStream waits for a stream's end, until the deadline as it is now.
func (l *life) awaitStream(s *stream, begin time.Time) bool {
	t := time.NewTimer(time.Until(l.drainDeadline(begin)))
	defer t.Stop()
	select {
	case <-s.over:
		return true
	case <-s.stuck: // not before the tree is gone
		return true
	case <-t.C:
	}
	select { // both at once: it did end by itself
	case <-s.over:
		return true
	default:
		return false
	}
}

func (l *life) drainDeadline(begin time.Time) time.Time {
	lim := l.engine.conf.Limits
	quiet := begin
	for _, s := range l.streams {
		if last := s.quiet(); last.After(quiet) {
			quiet = last
		}
	}
	idle, most := quiet.Add(lim.DrainIdle), begin.Add(lim.DrainMax)
	if idle.Before(most) {
		return idle
	}
	return most
}

// awaitStreams lets the readers reach the end of the pipes, which comes at once
// where no writer is left. Should one have been passed out of the tree, the read
// ends give up; so they do at once where writers stay, which then get SIGPIPE. A
// pipe that was not read for want of room is read now.
func (l *life) awaitStreams(stays bool) {
	lim := l.engine.conf.Limits
	for _, s := range l.streams {
		wait := lim.DrainMax
		if stays {
			wait = s.backlog(lim.DrainIdle)
		}
		_ = s.pipe.SetReadDeadline(time.Now().Add(wait))
		close(s.lift)
	}
	for _, s := range l.streams {
		<-s.over
	}
}
