package sandbox

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// ownDirs are the sandbox's own: what one command leaves there another sandbox
// never sees, and the sockets of the host's services are not in them.
func (l layout) ownDirs(p Policy) []layer {
	run := "/run/user/" + strconv.Itoa(l.uid)
	all := []layer{
		{mountStep: mountStep{op: opTmpfs, path: l.place(p, "/run"), mode: 0o755}, rank: rankOwn},
		{mountStep: mountStep{op: opDir, path: "/run/lock", mode: 0o1777}, rank: rankOwn},
		{mountStep: mountStep{op: opDir, path: run, mode: 0o700}, rank: rankOwn},
		{mountStep: mountStep{op: opProc, path: "/proc"}, rank: rankOwn},
		{mountStep: mountStep{op: opWrite, path: l.home, source: path.Join(l.dir, "home")}, rank: rankHome},
	}
	for _, t := range []struct{ path, name string }{{"/tmp", "tmp"}, {"/var/tmp", "var-tmp"}} {
		s := mountStep{op: opScratch, path: l.place(p, t.path), source: t.name}
		if l.tmpDisk {
			s.op, s.source = opWrite, path.Join(l.dir, "tmp")
		}
		all = append(all, layer{mountStep: s, rank: rankOwn})
	}
	return append(all, l.outputs(p)...)
}

// fences are file systems that are sealed later, between the private home or /tmp
// and a workspace below it: what a command made beside its workspace would seem to
// be there and be lost. Not in a directory for settings and caches (~/.config):
// programs write there. Nor can a command put a socket of its own in the place of
// one that was granted.
func (l layout) fences(p Policy, grants []layer) []layer {
	var all []layer
	for _, own := range l.ownDirs(p) {
		for _, x := range grants {
			if own.op != opScratch && own.op != opWrite || x.op == opLink || x.op != opSocket && !slices.Contains(p.Writable, x.path) {
				continue
			}
			up := between(own.path, x.path)
			if len(up) > 0 && !strings.HasPrefix(path.Base(up[0]), ".") {
				all = append(all, layer{mountStep: mountStep{op: opTmpfs, path: up[0], mode: 0o755}, rank: rankFence})
			}
		}
	}
	return all
}

// place is where one of the sandbox's own directories must be mounted: where the
// root is the host's, a link is not a place.
func (l layout) place(p Policy, d string) string {
	if p.base().showsHost() {
		if n := l.look(d); n.target != "" {
			return n.target
		}
	}
	return d
}

// ownDevices is the whole of /dev. Everything else in it speaks to hardware, to
// the kernel or to somebody's terminal.
func ownDevices(look func(string) node) []layer {
	own := func(s mountStep) layer { return layer{mountStep: s, rank: rankOwn} }
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
