package executor

import (
	"net"
	"slices"
	"strconv"
	"sync"

	"github.com/pillion-sidecar/pillion/egress"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// refusals are what the proxy has refused to one command, told while it runs.
type refusals struct {
	mu    sync.Mutex
	rows  []sandbox.Violation // at most 64 distinct ones
	told  int                 // of them, in events
	total int
	over  bool // what comes now is of something that the command has left
}

// refused is an egress.Config's. It must not wait.
func (g *gateway) refused(r egress.Refusal) {
	v := sandbox.Violation{Op: "connect", Path: r.Host, Rule: r.Rule, Count: 1, Attribution: sandbox.AttributionReported}
	if r.Port != 0 { // it could be read
		v.Path = net.JoinHostPort(r.Host, strconv.Itoa(r.Port))
	}
	if r.Grant != "" {
		v.Grant = "policy.network.allow " + strconv.Quote(r.Grant)
	}
	runs, certain := g.of(r.Peer)
	if !certain {
		v.Attribution = sandbox.AttributionInferred
	}
	for _, l := range runs {
		l.refusals.add(v)
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

func (r *refusals) add(v sandbox.Violation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	r.rows = sandbox.JoinViolations(r.rows, []sandbox.Violation{v})
	r.total++
}

// pending says that there is something to tell.
func (r *refusals) pending() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.told < len(r.rows)
}

// news are rows that were not told yet; what is refused again is only counted.
func (r *refusals) news() []sandbox.Violation {
	r.mu.Lock()
	defer r.mu.Unlock()
	rows := slices.Clone(r.rows[r.told:])
	r.told = len(r.rows)
	return rows
}

// end is all of them, in the order in which they were told, and how many there
// were. None is added from then on.
func (r *refusals) end() (rows []sandbox.Violation, total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	return slices.Clone(r.rows), r.total
}

// sent is how many of the rows were told.
func (r *refusals) sent() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.told
}

// report sends what was refused meanwhile.
func (p *pump) report() {
	for _, v := range p.refusals.news() {
		if p.dead {
			return
		}
		p.dead = p.sink.Violation(Violation{Seq: p.seq, Violation: v}) != nil
		p.seq++
	}
}
