package executor

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pillion-sidecar/pillion/egress"
)

// maxHostRows bounds what is counted by host; the rest is one row, without a name.
const maxHostRows = 256

// Hosts are the counters of every proxy of this session, by host.
func (e *Engine) Hosts() []egress.HostStats {
	a := e.gateways
	a.mu.Lock()
	defer a.mu.Unlock()
	sum := maps.Clone(a.past)
	for _, g := range a.open {
		addHosts(sum, g.proxy.Stats().Hosts)
	}
	return slices.SortedFunc(maps.Values(sum), func(x, y egress.HostStats) int { return cmp.Compare(x.Host, y.Host) })
}

func addHosts(sum map[string]egress.HostStats, rows []egress.HostStats) {
	for _, r := range rows {
		if _, there := sum[r.Host]; !there && len(sum) >= maxHostRows {
			r.Host = ""
		}
		had := sum[r.Host]
		had.Host = r.Host
		had.Connections += r.Connections
		had.Refused += r.Refused
		had.In += r.In
		had.Out += r.Out
		sum[r.Host] = had
	}
}
