package sandbox

// ahead is the sandbox of a Manager's first command, opened while the self-test runs
// that decides on it: each takes as long as the other. Nothing starts in it before
// the test is over.
type ahead struct {
	key  string // of its policy
	by   survey // what it was opened by: the last self-test's outcome
	done chan struct{}
	box  *box // nil if it could not be opened, or is somebody's; guarded by Manager.mu once done
}

// openAhead begins to open a policy's sandbox, if it is the first one and its
// self-test is not over; further commands of that policy share it. A nil result
// stands for none.
func (m *Manager) openAhead(p Policy) *ahead {
	if !m.known || m.whole.over.Load() || m.brief.over.Load() || p.Mode == Off {
		return nil
	}
	if _, err := m.last.survey.serve(p); err != nil {
		return nil
	}
	key := p.Key()
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed, m.ahead != nil && m.ahead.key != key:
		return nil
	case m.ahead != nil:
		return m.ahead
	}
	a := &ahead{key: key, by: m.last.survey, done: make(chan struct{})}
	m.ahead = a
	m.work.Go(func() {
		defer close(a.done)
		a.box, _ = m.openBox(a.by, p) // why not is told when it is opened again
	})
	return a
}

func (a *ahead) wait() {
	if a != nil {
		<-a.done
	}
}

// take hands the sandbox out, if the self-test has found what it was opened by.
func (a *ahead) take(got survey) *box {
	if a == nil || a.by.rung != got.rung || a.by.group != got.group {
		return nil
	}
	b := a.box
	a.box = nil
	return b
}

// drop closes the sandbox, unless it has been taken.
func (a *ahead) drop() {
	if a != nil && a.box != nil {
		a.box.close(true)
		a.box = nil
	}
}
