package mounts

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// policy.OwnDirs are the sandbox's own: what one command leaves there another sandbox
// never sees, and the sockets of the host's services are not in them.
func (l Layout) ownDirs(p policy.Policy) []layer {
	run := "/run/user/" + strconv.Itoa(l.uid)
	all := []layer{
		{step: step{op: opTmpfs, Path: l.place(p, "/run"), mode: 0o755}, rank: rankOwn},
		{step: step{op: opDir, Path: "/run/lock", mode: 0o1777}, rank: rankOwn},
		{step: step{op: opDir, Path: run, mode: 0o700}, rank: rankOwn},
		{step: step{op: opProc, Path: "/proc"}, rank: rankOwn},
		{step: step{op: opWrite, Path: l.home, source: path.Join(l.dir, "home")}, rank: rankHome},
	}
	for _, t := range []struct{ path, name string }{{"/tmp", "tmp"}, {"/var/tmp", "var-tmp"}} {
		s := step{op: opScratch, Path: l.place(p, t.path), source: t.name}
		if l.tmpDisk {
			s.op, s.source = opWrite, path.Join(l.dir, "tmp")
		}
		all = append(all, layer{step: s, rank: rankOwn})
	}
	return slices.Concat(all, l.outputs(p), l.hosts(p))
}

// HostsFile and ResolverFile are the names, in a sandbox's private directory, of the files
// that its commands see as /etc/hosts where the policy names ports of the host, and as
// /etc/resolv.conf where their network is denied.
const (
	HostsFile    = "hosts"
	ResolverFile = "resolv.conf"
)

func (l Layout) hosts(p policy.Policy) (all []layer) {
	for _, f := range []struct {
		own   bool
		named string
		path  string
	}{{len(p.HostPorts) > 0, HostsFile, "/etc/hosts"}, {p.Network == policy.NetworkDeny, ResolverFile, "/etc/resolv.conf"}} {
		if n := l.look(f.path); f.own && n.kind != nodeAbsent {
			s := step{op: opRead, Path: cmp.Or(n.target, f.path), source: path.Join(l.dir, f.named), file: true}
			all = append(all, layer{step: s, rank: rankOwn})
		}
	}
	return all
}

// fences are file systems that are sealed later, between the private home or /tmp
// and a workspace below it: what a command made beside its workspace would seem to
// be there and be lost. Not in a directory for settings and caches (~/.config):
// programs write there. Nor can a command put a socket of its own in the place of
// one that was granted.
func (l Layout) fences(p policy.Policy, grants []layer) []layer {
	var all []layer
	for _, own := range l.ownDirs(p) {
		for _, x := range grants {
			if own.op != opScratch && own.op != opWrite || x.op == opLink || x.op != opSocket && !slices.Contains(p.Writable, x.Path) {
				continue
			}
			up := Between(own.Path, x.Path)
			if len(up) > 0 && !strings.HasPrefix(path.Base(up[0]), ".") {
				all = append(all, layer{step: step{op: opTmpfs, Path: up[0], mode: 0o755}, rank: rankFence})
			}
		}
	}
	return all
}

// place is where one of the sandbox's own directories must be mounted: where the
// root is the host's, a link is not a place.
func (l Layout) place(p policy.Policy, d string) string {
	if rootLayer(p).showsHost() {
		if n := l.look(d); n.target != "" {
			return n.target
		}
	}
	return d
}

// ownDevices is the whole of /dev. Everything else in it speaks to hardware, to the kernel
// or to another terminal.
func ownDevices(look func(string) node) []layer {
	own := func(s step) layer { return layer{step: s, rank: rankOwn} }
	all := []layer{
		own(step{op: opTmpfs, Path: "/dev", mode: 0o755}),
		own(step{op: opTerminal, Path: "/dev/pts"}),
		own(step{op: opScratch, Path: "/dev/shm", source: "shm"}),
		own(step{op: opLink, Path: "/dev/ptmx", source: "pts/ptmx"}),
		own(step{op: opLink, Path: "/dev/fd", source: "/proc/self/fd"}),
		own(step{op: opLink, Path: "/dev/stdin", source: "/proc/self/fd/0"}),
		own(step{op: opLink, Path: "/dev/stdout", source: "/proc/self/fd/1"}),
		own(step{op: opLink, Path: "/dev/stderr", source: "/proc/self/fd/2"}),
	}
	for _, d := range append(slices.Clone(policy.Devices), policy.OwnTerminal) {
		if look(d).kind == nodeDevice {
			all = append(all, own(step{op: opDevice, Path: d, source: d, file: true}))
		}
	}
	return all
}
