package sandbox

import (
	"cmp"
	"slices"
)

// Info describes one sandbox.
type Info struct {
	Name       string
	PolicyHash string
	Mode       Mode
	Network    Network
	Processes  []Left
}

// Left is a process that a command left running on purpose.
type Left struct {
	PID     int    // on the host, 0 where that is not known
	Command string // its command line, or its name
	Exec    string // Command.ID of the command that left it
}

// List describes the sandboxes there are, by name, and what was left running in
// them. Running commands are their callers' to list.
func (m *Manager) List() []Info {
	out := []Info{}
	for _, s := range m.all() {
		p := s.policy
		out = append(out, Info{
			Name: p.SandboxName(), PolicyHash: p.Hash(), Mode: p.Mode, Network: p.Network, Processes: s.box.leftNow(),
		})
	}
	slices.SortFunc(out, func(a, b Info) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.PolicyHash, b.PolicyHash))
	})
	return out
}

// Reset ends the sandboxes of that name, whatever their policies: what commands have left
// is killed, and the private home and temporary files are removed. The next command starts
// afresh. While commands run it is refused, *InUseError; with force they are killed. It
// returns how many left processes it killed.
func (m *Manager) Reset(name string, force bool) (killed int, err error) {
	mine, err := m.withdraw(name, force)
	for _, s := range mine {
		killed += s.box.finish()
	}
	return killed, err
}

// withdraw takes the sandboxes of a name away, so that the next command gets
// another one.
func (m *Manager) withdraw(name string, force bool) (mine []*Sandbox, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := m.named(name)
	for _, key := range keys {
		if !force && m.sandboxes[key].box.inUse() {
			return nil, &InUseError{Name: name}
		}
	}
	for _, key := range keys {
		s := m.sandboxes[key]
		if !s.box.retire(force, true) {
			return mine, &InUseError{Name: name} // a command has come in between
		}
		delete(m.sandboxes, key)
		mine = append(mine, s)
	}
	return mine, nil
}

func (m *Manager) named(name string) []string {
	var keys []string
	for key, s := range m.sandboxes {
		if s.policy.SandboxName() == name {
			keys = append(keys, key)
		}
	}
	return keys
}

// EndLeft kills whatever commands have left running, in every sandbox, and counts
// it. Their files stay.
func (m *Manager) EndLeft() (killed int) {
	for _, s := range m.all() {
		killed += s.box.endLeft()
	}
	return killed
}
