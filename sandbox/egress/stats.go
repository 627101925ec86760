package egress

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Stats is what went through a proxy so far.
type Stats struct {
	Open  int // clients that are connected now
	Hosts []HostStats
}

// HostStats is one host's share of Stats.
type HostStats struct {
	// Host is "" for what has no row of its own: hosts beyond the first few
	// hundred, and what was refused before a host could be read.
	Host        string
	Connections int64 // CONNECT and SOCKS tunnels, and single HTTP requests
	Refused     int64
	In          int64 // bytes from the host
	Out         int64 // bytes to it
}

// stats are the counters; a hostile client names as many hosts as it likes, so
// the rows are bounded.
type stats struct {
	mu   sync.Mutex
	rows map[string]*row
}

type row struct{ connections, refused, in, out atomic.Int64 }

func (s *stats) row(host string, most int) *row {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.rows[host]; r != nil {
		return r
	}
	if len(s.rows) >= most {
		host = ""
	}
	r := s.rows[host]
	if r == nil {
		r = &row{}
		s.rows[host] = r
	}
	return r
}

// Stats answers the counters, sorted by host.
func (p *Proxy) Stats() Stats {
	p.mu.Lock()
	all := Stats{Open: p.clients}
	p.mu.Unlock()
	p.stats.mu.Lock()
	defer p.stats.mu.Unlock()
	for host, r := range p.stats.rows {
		all.Hosts = append(all.Hosts, HostStats{
			host, r.connections.Load(), r.refused.Load(), r.in.Load(), r.out.Load(),
		})
	}
	slices.SortFunc(all.Hosts, func(a, b HostStats) int { return strings.Compare(a.Host, b.Host) })
	return all
}

func (p *Proxy) row(host string) *row { return p.stats.row(host, p.limits.hosts) }

// refuse counts a refusal and reports it.
func (p *Proxy) refuse(r Refusal, peer Peer) {
	r.Peer = peer
	host := r.Host
	if r.Rule == Malformed {
		host = ""
	}
	p.row(host).refused.Add(1)
	p.config.Log.Debug("refused", "host", r.Host, "port", r.Port, "rule", r.Rule, "reason", r.Reason)
	if p.config.Refused != nil {
		p.config.Refused(r)
	}
}
