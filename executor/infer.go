package executor

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/egress"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/workspace"
)

// What the kernel refuses for us, by Landlock or a namespace, it tells nobody but
// the program. So the last lines of a failed command's errors are read for the
// kernel's own words; a guess, and marked as one.

// scene is what a guess has to know of the command.
type scene struct {
	policy  sandbox.Policy
	cwd     string
	private []string // the sandbox's own directories, all writable; its home first
	home    string   // the user's
	outputs string   // where saved outputs are seen, "" for nowhere
	proxies bool     // it could have a network by address book
	mounts  bool     // what is not granted isn't there; else it can't be opened
}

const (
	inferBytes = 8 << 10 // of the errors, the last
	inferMost  = 16      // rows
)

// infer adds what the errors of failed commands tell of refusals.
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
	sc := scene{
		policy: s.policy, cwd: s.cwd, private: []string{s.box.Home(), s.box.Tmp()}, home: s.engine.conf.Home, outputs: s.box.Outputs(),
		proxies: has("netns"), mounts: has("mounts"),
	}
	l := s.life
	for _, v := range sc.infer(string(errs.slice(max(at.From, at.To-inferBytes), at.To))) {
		if !slices.ContainsFunc(l.violations, func(had sandbox.Violation) bool { return had.Path == v.Path }) {
			l.violations = append(l.violations, v)
			l.violated += v.Count
		}
	}
}

// infer reads refusals off a program's error lines.
func (s scene) infer(text string) []sandbox.Violation {
	var rows []sandbox.Violation
	for line := range strings.Lines(text) {
		v, ok := s.line(strings.TrimRight(line, "\r\n"))
		if !ok {
			continue
		}
		same := func(r sandbox.Violation) bool { return r.Op == v.Op && r.Path == v.Path }
		if i := slices.IndexFunc(rows, same); i >= 0 {
			rows[i].Count++
		} else if len(rows) < inferMost {
			rows = append(rows, v)
		}
	}
	return rows
}

// line is what one line tells, if it does.
func (s scene) line(line string) (sandbox.Violation, bool) {
	if v, ok := s.socket(line); ok {
		return v, true
	}
	for _, w := range kernelWords {
		at := strings.Index(small(line), w.text)
		if at < 0 {
			continue
		}
		before, after := line[:at], line[at+len(w.text):]
		v := sandbox.Violation{Errno: w.errno, Count: 1, Process: speaker(line), Attribution: sandbox.AttributionInferred}
		if w.network {
			return s.unreachable(v, w, after)
		}
		path := mentioned(before, after)
		if path == "" {
			return v, false
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.cwd, path)
		}
		v.Path = filepath.Clean(path)
		if w.errno == "ENOENT" {
			return s.hidden(v, changes(line))
		}
		return s.refused(v, w.errno == "EROFS" || changes(line))
	}
	return sandbox.Violation{}, false
}

type kernelWord struct {
	text, errno string
	network     bool
	address     bool // the address follows
}

// kernelWords are strerror's, in small letters, as libc, Go, Python and Node say
// them.
var kernelWords = []kernelWord{
	{text: "read-only file system", errno: "EROFS"},
	{text: "network is unreachable", errno: "ENETUNREACH", network: true},
	{text: "could not resolve hostname", network: true, address: true},
	{text: "could not resolve host", network: true, address: true},
	{text: "temporary failure in name resolution", network: true},
	{text: "eai_again", network: true, address: true},
	{text: "permission denied", errno: "EACCES"},
	{text: "operation not permitted", errno: "EPERM"},
	{text: "no such file or directory", errno: "ENOENT"},
}

func (s scene) unreachable(v sandbox.Violation, w kernelWord, after string) (sandbox.Violation, bool) {
	if s.policy.Network == sandbox.NetworkAllow {
		return v, false
	}
	v.Op, v.Rule, v.Grant = "connect", "network", `sandbox.network "allow"`
	if w.address {
		v.Op, v.Path = "resolve", word(strings.TrimLeft(after, ": "))
		if host := s.hostGrant(v); host != "" {
			v.Grant = host
		}
	}
	return v, true
}

// hostGrant is the line of an address book that would do instead of the whole
// network, "" where there is none. Under network "proxy" a program that resolves
// names does not know the proxy: the line would not help it.
func (s scene) hostGrant(v sandbox.Violation) string {
	host := v.Path
	if v.Process == "ssh" {
		host += ":22" // a pattern without a port is for 80 and 443
	}
	if !s.proxies || s.policy.Network != sandbox.NetworkDeny || (egress.Rules{Allow: []string{host}}).Check() != nil {
		return ""
	}
	return "policy.network.allow " + strconv.Quote(host)
}

// hidden tells of what the sandbox shows to nobody, by its name alone. Whether the
// host has it is not asked: that would tell a command what there is.
func (s scene) hidden(v sandbox.Violation, write bool) (sandbox.Violation, bool) {
	if rel, err := filepath.Rel(s.private[0], v.Path); err == nil && filepath.IsLocal(rel) && s.home != "" {
		v.Path = filepath.Join(s.home, rel) // what ~ meant where the private home has another place
	}
	if s.policy.Hides(s.home, v.Path) {
		v.Op, v.Rule, v.Grant = "read", "secret", "policy.readable "+strconv.Quote(v.Path)
		return v, true
	}
	if !s.mounts || s.own(v.Path) || s.policy.Covers(v.Path, false) || slices.ContainsFunc(bare, func(d string) bool { return workspace.Within(d, v.Path) }) {
		return v, false
	}
	return s.refused(v, write)
}

// bare are places whose contents are the sandbox's or nobody's: that something is
// not there is no refusal.
var bare = []string{"/proc", "/sys", "/dev", "/run", "/tmp", "/var/tmp"}

// refused says whether the sandbox is why a path could not be used, and what
// would allow it.
func (s scene) refused(v sandbox.Violation, write bool) (sandbox.Violation, bool) {
	p := s.policy
	switch {
	case s.own(v.Path):
		return v, false
	case !write && !p.Covers(v.Path, false):
		v.Op, v.Rule, v.Grant = "read", "outside", "policy.readable "+strconv.Quote(v.Path)
		return v, true
	case p.Covers(v.Path, true), !write && workspace.Within("/etc", v.Path):
		return v, false // a file's own permissions
	}
	v.Op, v.Rule, v.Grant = "write", "outside", s.writeGrant(v.Path)
	return v, true
}

// own says whether a path is the sandbox's own. What the policy names may lie
// below its home and TMPDIR, and is not.
func (s scene) own(path string) bool {
	under := func(roots []string) bool {
		return slices.ContainsFunc(roots, func(d string) bool { return d != "" && workspace.Within(d, path) })
	}
	return under(s.private) && !under(s.policy.Writable) && !under(s.policy.Readable)
}

// writeGrant names the smallest directory that would do, but never one that would
// give everything away.
func (s scene) writeGrant(path string) string {
	dir := filepath.Dir(path)
	inside := s.policy
	inside.Mode = sandbox.WorkspaceWrite
	switch {
	case s.policy.Mode == sandbox.ReadOnly && inside.Covers(path, true):
		return `sandbox.mode "workspace-write"`
	case s.outputs != "" && workspace.Within(s.outputs, path):
		return "" // nothing makes them writable
	case dir == "/" || s.home != "" && workspace.Within(dir, s.home):
		return ""
	}
	return "sandbox.writable " + strconv.Quote(dir)
}
