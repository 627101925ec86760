package sandbox

import (
	"path"
	"slices"
	"strconv"
)

// layer is a candidate for a step. At one path the highest rank wins.
type layer struct {
	mountStep
	rank layerRank
}

type layerRank uint8

const (
	rankSystem layerRank = iota // programs, libraries, their configuration
	rankSecret                  // hidden, unless a grant names it
	rankOwn                     // the sandbox's own in place of the host's
	rankHome
	rankRead   // granted
	rankWrite  // granted
	rankHidden // hidden whatever was granted
)

func (x layer) hides() bool { return x.op == opBlank || x.op == opClosed }

// layers is everything that may appear in a sandbox or be hidden in it, parents
// first, one per path.
func (l layout) layers(p Policy) []layer {
	all := slices.Concat([]layer{p.base()}, l.system(p), l.ownDirs(p), ownDevices(l.look), l.grants(p), l.secrets(), l.hide())
	slices.SortStableFunc(all, func(a, b layer) int {
		if c := byPath(a.path, b.path); c != 0 {
			return c
		}
		return int(b.rank) - int(a.rank)
	})
	return slices.CompactFunc(all, func(a, b layer) bool { return a.path == b.path })
}

func bind(op mountOp, p string, r layerRank) layer {
	return layer{mountStep{op: op, path: p, source: p}, r}
}

// base is the root: empty, or the host's.
func (p Policy) base() layer {
	switch {
	case p.Mode == WorkspaceWrite && slices.Contains(p.Writable, "/"):
		return bind(opWrite, "/", rankHidden)
	case p.Reads == ReadsAll, slices.Contains(p.Readable, "/"), slices.Contains(p.Writable, "/"):
		return bind(opRead, "/", rankHidden)
	}
	return layer{mountStep{op: opTmpfs, path: "/", mode: 0o755}, rankHidden}
}

// runLinks lead from /run to programs on systems that keep them in a store.
var runLinks = []string{"/run/current-system", "/run/booted-system", "/run/opengl-driver"}

// etcLinks are files of /etc that some systems keep elsewhere. Where they end is
// bound too, or names, times and certificates stop working.
var etcLinks = []string{"/etc/localtime", "/etc/ssl/certs", "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"}

func (l layout) system(p Policy) []layer {
	var all []layer
	for _, d := range slices.Concat(systemDirs, []string{"/etc"}, runLinks) {
		if d != "/proc" {
			all = append(all, l.shown(d)...)
		}
	}
	links := etcLinks
	if p.Network == NetworkAllow {
		links = append(slices.Clone(links), "/etc/resolv.conf")
	}
	for _, f := range links {
		if n := l.look(f); n.kind == nodeLink && n.target != "" {
			all = append(all, bind(opRead, n.target, rankSystem))
		}
	}
	for _, s := range l.search {
		all = append(all, l.searched(s)...)
	}
	return append(all, layer{mountStep{op: opLink, path: "/var/run", source: "/run"}, rankSystem})
}

// shown binds a system directory; one that is a link (/bin -> usr/bin) stays one.
func (l layout) shown(d string) []layer {
	switch n := l.look(d); n.kind {
	case nodeDir:
		return []layer{bind(opRead, d, rankSystem)}
	case nodeLink:
		link := layer{mountStep{op: opLink, path: d, source: n.text}, rankSystem}
		if n.target == "" {
			return []layer{link}
		}
		return []layer{link, bind(opRead, n.target, rankSystem)}
	}
	return nil
}

// searched binds a directory of PATH that the private /run would hide. Set-id
// wrappers gain nothing where no program gains anything.
func (l layout) searched(d string) []layer {
	if !encloses("/run", d) || encloses("/run/wrappers", d) {
		return nil
	}
	for _, r := range runLinks {
		if encloses(r, d) && l.look(r).kind == nodeLink {
			return nil
		}
	}
	source := d
	if n := l.look(d); n.target != "" {
		source = n.target
	}
	return []layer{{mountStep{op: opRead, path: d, source: source}, rankSystem}}
}

// ownDirs are the sandbox's own: what one command leaves there another sandbox
// never sees, and the sockets of the host's services are not in them.
func (l layout) ownDirs(p Policy) []layer {
	run := "/run/user/" + strconv.Itoa(l.uid)
	all := []layer{
		{mountStep{op: opTmpfs, path: l.place(p, "/run"), mode: 0o755}, rankOwn},
		{mountStep{op: opDir, path: "/run/lock", mode: 0o1777}, rankOwn},
		{mountStep{op: opDir, path: run, mode: 0o700}, rankOwn},
		{mountStep{op: opProc, path: "/proc"}, rankOwn},
		{mountStep{op: opWrite, path: l.home, source: path.Join(l.dir, "home")}, rankHome},
	}
	for _, t := range []struct{ path, name string }{{"/tmp", "tmp"}, {"/var/tmp", "var-tmp"}} {
		s := mountStep{op: opScratch, path: l.place(p, t.path), source: t.name}
		if l.tmpDisk {
			s.op, s.source = opWrite, path.Join(l.dir, "tmp")
		}
		all = append(all, layer{s, rankOwn})
	}
	return all
}

// place is where one of the sandbox's own directories must be mounted: where the
// root is the host's, a link is not a place.
func (l layout) place(p Policy, d string) string {
	if p.base().showsHost() {
		if n := l.look(d); n.kind == nodeLink && n.target != "" {
			return n.target
		}
	}
	return d
}

// ownDevices is the whole of /dev. Everything else in it speaks to hardware, to
// the kernel or to somebody's terminal.
func ownDevices(look func(string) node) []layer {
	own := func(s mountStep) layer { return layer{s, rankOwn} }
	all := []layer{
		own(mountStep{op: opTmpfs, path: "/dev", mode: 0o755}),
		own(mountStep{op: opTerminal, path: "/dev/pts"}),
		own(mountStep{op: opScratch, path: "/dev/shm", source: "shm"}),
		own(mountStep{op: opLink, path: "/dev/ptmx", source: "pts/ptmx"}),
		own(mountStep{op: opLink, path: "/dev/fd", source: "/proc/self/fd"}),
		own(mountStep{op: opLink, path: "/dev/stdin", source: "/proc/self/fd/0"}),
		own(mountStep{op: opLink, path: "/dev/stdout", source: "/proc/self/fd/1"}),
		own(mountStep{op: opLink, path: "/dev/stderr", source: "/proc/self/fd/2"}),
	}
	for _, d := range append(slices.Clone(devices), "/dev/tty") {
		if look(d).kind == nodeDevice {
			all = append(all, own(mountStep{op: opDevice, path: d, source: d, file: true}))
		}
	}
	return all
}

func (l layout) grants(p Policy) []layer {
	var all []layer
	for _, d := range p.Readable {
		all = append(all, bind(opRead, d, rankRead))
	}
	for _, d := range p.Writable {
		if p.Mode == WorkspaceWrite {
			all = append(all, bind(opWrite, d, rankWrite))
		} else {
			all = append(all, bind(opRead, d, rankRead))
		}
	}
	for _, d := range p.Caches { // below our own state, which is hidden
		all = append(all, bind(opWrite, d, rankWrite))
	}
	return all
}

func (l layout) secrets() []layer {
	var all []layer
	for _, s := range homeSecrets {
		if !path.IsAbs(l.userHome) {
			break // a service's user has none
		}
		all = append(all, layer{mountStep{op: opBlank, path: path.Join(l.userHome, s)}, rankSecret})
	}
	for _, s := range l.ends {
		all = append(all, layer{mountStep{op: opBlank, path: s}, rankSecret})
	}
	for _, s := range l.closed {
		all = append(all, layer{mountStep{op: opClosed, path: s}, rankSecret})
	}
	if l.uid == 0 {
		for _, s := range rootSecrets {
			all = append(all, layer{mountStep{op: opClosed, path: s}, rankSecret})
		}
	}
	return all
}

// hide lists what no grant may show: our own state, and views of other processes
// and of the kernel that a chroot below a granted directory has mounted.
func (l layout) hide() []layer {
	var all []layer
	for _, d := range slices.Concat(l.hidden, l.kernel) {
		all = append(all, layer{mountStep{op: opClosed, path: d}, rankHidden})
	}
	return all
}
