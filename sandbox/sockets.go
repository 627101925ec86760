package sandbox

import (
	"fmt"
	"path/filepath"
	"slices"
)

// maxSockets bounds a policy's Sockets, maxSocketPath is what fits into a socket's
// address. unix(7)
const (
	maxSockets    = 32
	maxSocketPath = 107
)

func (p Policy) validateSockets() *Missing {
	if len(p.Sockets) > maxSockets {
		return &Missing{Feature: "sockets", Reason: fmt.Sprintf("%d sockets are named, at most %d can be", len(p.Sockets), maxSockets)}
	}
	for _, s := range p.Sockets {
		switch {
		case !filepath.IsAbs(s) || filepath.Clean(s) != s:
			return &Missing{Feature: "sockets", Reason: s + " is not an absolute, clean path"}
		case len(s) > maxSocketPath:
			return &Missing{
				Feature: "sockets", Reason: fmt.Sprintf("%s has %d bytes, a socket's address at most %d: nobody could connect to it", s, len(s), maxSocketPath),
				Hint: "have the program listen at a shorter path",
			}
		}
	}
	return nil
}

// sockets are bound one by one: the directories above are the sandbox's own and
// empty, so that the agent is there and what listens beside it is not. A link is
// never followed. Whoever made it, and made it lead to docker.sock since, would
// choose what is granted.
func (l layout) sockets(p Policy) ([]layer, error) {
	var all []layer
	for _, s := range p.Sockets {
		switch n := l.look(s); {
		case n.kind == nodeAbsent:
			continue // its program does not run
		case n.target != "":
			return nil, fmt.Errorf("sockets: %s leads through a symbolic link to %s; name that", s, n.target)
		case n.kind != nodeSocket:
			return nil, fmt.Errorf("sockets: %s is no UNIX socket", s)
		}
		x := bind(opSocket, s, rankWrite)
		x.file = true
		all = append(all, x)
	}
	return all, nil
}

// socketResiduals: without a mount namespace there is no way to let a command
// connect to one socket and not to all. Landlock has no right for it, and the
// filter sees no path.
func (p Policy) socketResiduals(rung string) []string {
	if len(p.Sockets) > 0 && !grantsSockets(rung) {
		return []string{"no socket of the host can be reached, those of the policy neither"}
	}
	var all []string
	for _, s := range slices.Sorted(slices.Values(p.Sockets)) {
		all = append(all, "commands can connect to "+s+", and what listens there does what they ask it to")
	}
	return all
}
