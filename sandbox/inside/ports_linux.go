package inside

import (
	"cmp"
	"maps"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

// ports are the sockets on which this runner's command listens. The network is the
// sandbox's, so that there may be those of other commands, too: ours are the ones that a
// process of our tree holds. The kernel is asked in the looks that the limits take.
type ports struct {
	known map[uint32]*ear // by the socket's inode
}

// ear is a listening socket.
type ear struct {
	at      netip.AddrPort
	process string // which process of our tree holds it, or ""
	sought  int    // how often that was looked for
}

// maxSought bounds that: a socket that is handed from one process to the next can be
// missed, and another command's is never found.
const maxSought = 3

// look lists them, sorted by port, or gives up when that is not wanted any more.
func (p *ports) look(unwanted func() bool) []policy.Port {
	now := listening(unix.AF_INET)
	maps.Copy(now, listening(unix.AF_INET6))
	search := false
	for inode, e := range now {
		if old := p.known[inode]; old != nil && old.at == e.at {
			now[inode] = old
		}
		search = search || now[inode].unsettled()
	}
	p.known = now
	if search {
		p.search(unwanted)
	}
	var found []policy.Port
	for _, e := range now {
		if e.process != "" {
			at := e.at.Addr().String()
			found = append(found, policy.Port{Number: int(e.at.Port()), Address: at, Process: e.process})
		}
	}
	slices.SortFunc(found, func(a, b policy.Port) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Address, b.Address),
			cmp.Compare(a.Process, b.Process))
	})
	found = slices.CompactFunc(found, func(a, b policy.Port) bool { return a.Number == b.Number })
	return found[:min(len(found), policy.MaxPorts)]
}

func (e *ear) unsettled() bool { return e.process == "" && e.sought < maxSought }

// mostLooked are the descriptors that one search looks at. The next look at memory waits
// for it: who has thousands of processes with thousands of descriptors, and listens anew
// again and again, would put its limits off.
const mostLooked = 8192

// search finds out who holds the sockets of which that is not known.
func (p *ports) search(unwanted func() bool) {
	for _, e := range p.known {
		e.sought++
	}
	looked := 0
	self := os.Getpid()
	for _, name := range limits.Names("/proc") {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == self {
			continue
		}
		for _, fd := range limits.Names("/proc/" + name + "/fd") {
			if looked++; looked > mostLooked || unwanted() {
				return
			}
			what, _ := os.Readlink("/proc/" + name + "/fd/" + fd)
			inode, ok := strings.CutPrefix(what, "socket:[")
			n, err := strconv.ParseUint(strings.TrimSuffix(inode, "]"), 10, 32)
			if !ok || err != nil {
				continue
			}
			if e := p.known[uint32(n)]; e != nil && e.process == "" {
				if q, ok := proc.Read(pid); ok {
					e.process = q.Name
				}
			}
		}
	}
}
