package mounts

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// planPlaces are what the policies and hosts of the property below are made of:
// places that lie in each other in every way that was thought of.
var planPlaces = []string{
	"/srv", "/srv/p", "/srv/p/sub", "/srv/p/sub/deep", "/srv/pp", "/srv/p/file", "/home", "/home/u", "/home/u/.ssh", "/home/u/.ssh/known_hosts",
	"/home/u/.netrc", "/home/u/.config", "/home/u/.config/gh", "/home/u/.config/gh/hosts.yml", "/home/u/src", "/home/u/src/p",
	"/home/u/.local/state/pillion", "/home/u/.local/state/pillion/x", "/home/u/.local", "/tmp", "/tmp/x", "/tmp/x/y", "/var", "/var/tmp", "/var/tmp/z",
	"/run/user/1000", "/run/user/1000/s", "/run/lock", "/usr", "/usr/local/go", "/opt/tool", "/etc/ssl/private", "/etc/shadow", "/sys/fs/cgroup/x", "/dev/shm/w", "/",
}

var planSockets = []string{"/run/user/1000/agent", "/tmp/x/agent", "/home/u/.ssh/agent", "/home/u/src/agent", "/srv/p/agent", "/dev/shm/agent"}

var planFiles = []string{"/srv/p/file", "/home/u/.ssh/known_hosts", "/home/u/.netrc", "/home/u/.config/gh/hosts.yml", "/run/user/1000/s", "/etc/shadow"}

// drawHost is a machine on which some of the places exist.
func drawHost(t *rapid.T) fakeHost {
	h := debian(true)
	for _, p := range slices.Concat(planPlaces, planSockets) {
		if rapid.IntRange(0, 3).Draw(t, "absent "+p) == 0 {
			continue
		}
		for d := path.Dir(p); d != "/"; d = path.Dir(d) {
			h[d] = node{kind: nodeDir}
		}
		if slices.Contains(planFiles, p) {
			h[p] = node{kind: nodeFile}
		} else if slices.Contains(planSockets, p) {
			h[p] = node{kind: nodeSocket}
		} else {
			h[p] = node{kind: nodeDir}
		}
	}
	return h
}

func drawPolicy(t *rapid.T) policy.Policy {
	places := rapid.SliceOfN(rapid.SampledFrom(planPlaces), 0, 4)
	return policy.Policy{
		Mode:    rapid.SampledFrom([]policy.Mode{policy.WorkspaceWrite, policy.ReadOnly}).Draw(t, "mode"),
		Reads:   rapid.SampledFrom([]policy.Reads{policy.ReadsPrivate, policy.ReadsAll}).Draw(t, "reads"),
		Network: policy.NetworkDeny, Writable: places.Draw(t, "writable"), Readable: places.Draw(t, "readable"),
		Sockets: rapid.SliceOfNDistinct(rapid.SampledFrom(planSockets), 0, 3, rapid.ID).Draw(t, "sockets"),
	}
}

// carryOut follows a plan as the kernel would and returns its mounts. It fails
// where a step could not be done.
func carryOut(t *rapid.T, h fakeHost, steps []step) []step {
	var mounts []step
	made := map[string]bool{}
	for _, s := range steps {
		over := deciding(mounts, s.Path)
		switch s.op {
		case opDir, opFile, opLink:
			if !over.isOurs() {
				t.Fatalf("%s: nothing can be made in %s", s, over)
			}
			if up := path.Dir(s.Path); up != over.Path && !made[up] {
				t.Fatalf("%s: %s is not there", s, up)
			}
			made[s.Path] = true
			continue
		case opSeal:
			continue
		}
		switch {
		case s.Path == "/":
		case over.isOurs() && !made[s.Path], over.showsHost() && h[s.Path].kind == nodeAbsent, !over.isOurs() && !over.showsHost():
			t.Fatalf("%s: no place to be mounted on in %s", s, over)
		case over.showsHost() && s.op != opDevice && s.file == (h[s.Path].kind == nodeDir):
			t.Fatalf("%s: mounted on another kind", s)
		case (s.showsHost() || s.op == opSocket) && h[s.Path].kind == nodeAbsent:
			t.Fatalf("%s: it does not exist", s)
		}
		maps.DeleteFunc(made, func(d string, _ bool) bool { return policy.Beneath(s.Path, d) })
		mounts = append(mounts, s)
	}
	return mounts
}

// deciding is the mount that a path is found in.
func deciding(mounts []step, p string) step {
	var top step
	for _, m := range mounts {
		if policy.Beneath(m.Path, p) && len(m.Path) >= len(top.Path) {
			top = m
		}
	}
	return top
}

func within(grants []string, h fakeHost, p string) bool {
	return slices.ContainsFunc(grants, func(g string) bool { return policy.Beneath(g, p) && (g == "/" || h[g].kind != nodeAbsent) })
}

// Whatever is granted on whatever host: the plan can be carried out, nothing is
// seen that was not granted, nothing can be changed that may not, our state and
// unnamed secrets never appear, and what was granted by name does.
func TestPlansShowWhatWasGrantedAndNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, p := drawHost(t), drawPolicy(t)
		l := h.layout("/home/u")
		l.home, l.tmpDisk = PrivateHome(p.Reads, l.userHome), rapid.Bool().Draw(t, "disk")
		l.closed = []string{"/etc/shadow", "/etc/ssl/private"}
		plan, err := l.Plan(p)
		if err != nil {
			if p.Reads == policy.ReadsPrivate && strings.Contains(err.Error(), "private home's place") {
				return // a grant of /home on a machine without the home
			}
			t.Fatal(err)
		}
		mounts := carryOut(t, h, plan.steps)
		for _, q := range planPlaces {
			if h[q].kind == nodeAbsent {
				continue
			}
			s := deciding(mounts, q)
			named := slices.Contains(p.Readable, q) || slices.Contains(p.Writable, q)
			mayWrite := p.Mode == policy.WorkspaceWrite && within(p.Writable, h, q)
			mayRead := p.Reads == policy.ReadsAll || within(slices.Concat(p.Readable, p.Writable, policy.SystemDirs, []string{"/etc"}), h, q)
			switch {
			case s.showsHost() && policy.Beneath("/home/u/.local/state/pillion", q) && !within(deeperThan(p, "/home/u/.local/state/pillion"), h, q):
				t.Fatalf("%s is seen through %s", q, s)
			case s.showsHost() && !mayRead:
				t.Fatalf("%s is seen through %s", q, s)
			case s.showsHost() && s.op == opWrite && !mayWrite:
				t.Fatalf("%s can be changed through %s", q, s)
			case s.showsHost() && q == "/home/u/.netrc" && !named:
				t.Fatalf("%s is seen through %s", q, s)
			case !s.showsHost() && named && q != "/home/u/.local/state/pillion":
				t.Fatalf("%s was granted, and %s is there", q, s)
			case named && slices.Contains(p.Writable, q) && p.Mode == policy.WorkspaceWrite && s.op != opWrite && q != "/home/u/.local/state/pillion":
				t.Fatalf("%s can't be changed: %s", q, s)
			}
		}
		for _, q := range planSockets {
			s := deciding(mounts, q)
			reached := s.Path == q && s.op == opSocket || s.showsHost()
			named := slices.Contains(p.Sockets, q)
			shown := p.Reads == policy.ReadsAll || within(slices.Concat(p.Readable, p.Writable), h, q)
			switch {
			case h[q].kind != nodeAbsent && named && !reached:
				t.Fatalf("%s was granted, and %s is there", q, s)
			case reached && !named && !shown:
				t.Fatalf("%s is reached through %s", q, s)
			}
		}
	})
}

// deeperThan are the grants below a directory.
func deeperThan(p policy.Policy, dir string) []string {
	return slices.DeleteFunc(slices.Concat(p.Readable, p.Writable), func(g string) bool { return g == dir || !policy.Beneath(dir, g) })
}
