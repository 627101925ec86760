package executor

import (
	"cmp"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/executor/infer"
	"github.com/pillion-sidecar/pillion/executor/keys"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/egress"
)

// refusals are what the proxy has refused to one command, reported while it runs.
type refusals struct {
	mu    sync.Mutex
	rows  []sandbox.Violation // at most 64 distinct ones
	told  int                 // of them, in events
	total int
	over  bool // from now on refusals are of what the command has left running
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
	if r.Grant != "" && r.Rule == egress.Credentials {
		v.Op, v.Path, v.Grant = "login", "https://"+r.Grant, infer.LoginGrant(r.Grant)
	}
	if r.Host == sandbox.HostName && r.Port != 0 {
		v.Rule, v.Grant = "port", sandbox.HostPortGrant(r.Port)
	}
	runs, certain := g.of(r.Peer)
	refuse(runs, certain, v)
}

// refuse reports soon what was refused to one of the commands.
func refuse(runs []*life, certain bool, v sandbox.Violation) {
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

// lookedUp reports a name that a command asks for where no network is. Names that no
// address book can list, and that no network has, are left out: their own machine,
// "localhost".
func (l *life) lookedUp(name string, alone bool) {
	grant := infer.HostGrant(name)
	if host, _ := os.Hostname(); grant == "" || strings.Contains(name, "*") || net.ParseIP(name) != nil || name == strings.ToLower(host) || !strings.Contains(name, ".") || strings.HasSuffix(name, ".arpa") {
		return
	}
	v := sandbox.Violation{Op: "resolve", Path: name, Rule: "network", Grant: grant, Count: 1, Attribution: sandbox.AttributionReported}
	if !l.refusals.knows(v) { // IPv4 and IPv6 are two questions, and asked again
		refuse([]*life{l}, alone, v)
	}
}

// keyUsed is a keys.Config's, about one of these commands. Commands that were left running
// sign nothing, because it could not be reported.
func (e *Engine) keyUsed(runs []*life, u keys.Use) bool {
	if u.Refused != "" {
		v := sandbox.Violation{Op: "ssh", Path: u.Key, Rule: u.Refused, Grant: u.Grant, Count: 1, Attribution: sandbox.AttributionReported}
		refuse(runs, len(runs) == 1, v)
		return false
	}
	var ids []string
	for _, l := range runs {
		ids = append(ids, l.req.ID)
	}
	if len(ids) > 0 {
		e.tell(func(to Recorder) { to.KeyUsed(ids, u) })
	}
	return len(ids) > 0
}

func (r *refusals) knows(v sandbox.Violation) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.rows, func(had sandbox.Violation) bool { return had.Op == v.Op && had.Path == v.Path })
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

// news are rows that were not sent yet; what is refused again is only counted.
func (r *refusals) news() []sandbox.Violation {
	r.mu.Lock()
	defer r.mu.Unlock()
	rows := slices.Clone(r.rows[r.told:])
	r.told = len(r.rows)
	return rows
}

// end is all of them, in the order in which they were sent, and how many there were. None
// is added from then on.
func (r *refusals) end() (rows []sandbox.Violation, total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	return slices.Clone(r.rows), r.total
}

// sent is how many of the rows were sent.
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

const inferBytes = 8 << 10 // of the errors, the last

// infer adds the refusals that the errors of failed commands show.
func (l *life) infer() {
	if l.policy.Mode == sandbox.Off {
		return
	}
	for _, s := range l.steps {
		if s.lost == nil && s.status.Signal == 0 && s.status.Code != 0 {
			s.infer()
		}
	}
}

func (s *step) infer() {
	errs := s.streams[len(s.streams)-1] // stderr, or stdout with both
	at := s.output[errs.name]
	has := func(part string) bool { return slices.Contains(s.box.Enforcement().Backend, part) }
	sc := infer.Scene{
		Policy: s.policy, Dir: s.cwd, Private: []string{s.box.Home(), s.box.Tmp()}, Home: s.engine.conf.Home, Outputs: s.box.Outputs(),
		Proxies: has("netns") || has("seatbelt"), Mounts: has("mounts"), Belted: has("seatbelt"), Written: has("restricted-token"),
		Unseen: func(name string) (string, bool) { return s.engine.unseen(name, s.policy) },
	}
	l := s.life
	for _, v := range sc.Read(string(errs.slice(max(at.From, at.To-inferBytes), at.To))) {
		if !l.told(v) {
			l.violations = append(l.violations, v)
			l.violated += v.Count
		}
	}
}

// told says that something better than a guess is known of it: of the network, who was
// looked up. But of ssh only its words tell that it wants another port.
func (l *life) told(v sandbox.Violation) bool {
	i := slices.IndexFunc(l.violations, func(had sandbox.Violation) bool {
		return had.Path == v.Path || had.Op == "resolve" && had.Rule == v.Rule && had.Attribution != v.Attribution && v.Process != "ssh"
	})
	if i >= 0 && l.violations[i].Op == "resolve" && v.Process == "ssh" && v.Grant != "" {
		l.violations[i].Process, l.violations[i].Grant = v.Process, v.Grant
	}
	return i >= 0
}
