package mounts

import (
	"fmt"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// sockets are bound one by one: the directories above are the sandbox's own and empty, so
// that the agent is there and what listens beside it is not. A link is never followed. A
// link's maker, who let it lead to docker.sock since, would choose what is granted.
func (l Layout) sockets(p policy.Policy) ([]layer, error) {
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
