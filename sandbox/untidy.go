package sandbox

// leavesBehind notes that what failed could not be put away either: that takes
// descriptors, too.
func (m *Manager) leavesBehind(err error) {
	if scarce(err) {
		m.untidy.Store(true)
	}
}

// sweepAgain removes what was left then.
func (m *Manager) sweepAgain() {
	if m.untidy.Swap(false) {
		_ = prepare(m.opts) // where it fails again, what is begun now says so
	}
}
