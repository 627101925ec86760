package sandbox

import (
	"fmt"
	"path"
	"slices"
)

// layer is a candidate for a step. At one path the highest rank wins.
type layer struct {
	mountStep
	rank layerRank
}

type layerRank uint8

const (
	rankFence  layerRank = iota // nobody's directory above a workspace
	rankSystem                  // programs, libraries, their configuration
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
func (l layout) layers(p Policy) ([]layer, error) {
	grants, err := l.grants(p)
	if err != nil {
		return nil, err
	}
	sockets, err := l.sockets(p)
	if err != nil {
		return nil, err
	}
	grants = append(grants, sockets...)
	all := slices.Concat([]layer{p.base()}, l.system(p), l.ownDirs(p), ownDevices(l.look), grants, l.secrets(), l.hide(), l.ends, l.fences(p, grants))
	slices.SortStableFunc(all, func(a, b layer) int {
		if c := byPath(a.path, b.path); c != 0 {
			return c
		}
		return int(b.rank) - int(a.rank)
	})
	return slices.CompactFunc(all, func(a, b layer) bool { return a.path == b.path }), nil
}

func bind(op mountOp, p string, r layerRank) layer {
	return layer{mountStep: mountStep{op: op, path: p, source: p}, rank: r}
}

// base is the root: empty, or the host's.
func (p Policy) base() layer {
	switch {
	case p.Mode == WorkspaceWrite && slices.Contains(p.Writable, "/"):
		return bind(opWrite, "/", rankHidden)
	case p.Reads == ReadsAll, slices.Contains(p.Readable, "/"), slices.Contains(p.Writable, "/"):
		return bind(opRead, "/", rankHidden)
	}
	return layer{mountStep: mountStep{op: opTmpfs, path: "/", mode: 0o755}, rank: rankHidden}
}

func (l layout) grants(p Policy) ([]layer, error) {
	var all []layer
	for _, d := range p.Readable {
		shown, err := l.granted(p, bind(opRead, d, rankRead))
		if err != nil {
			return nil, err
		}
		all = append(all, shown...)
	}
	for _, d := range p.Writable {
		x := bind(opRead, d, rankRead)
		if p.Mode == WorkspaceWrite {
			x = bind(opWrite, d, rankWrite)
		}
		shown, err := l.granted(p, x)
		if err != nil {
			return nil, err
		}
		all = append(all, shown...)
	}
	for _, d := range p.Caches { // below our own state, which is hidden
		all = append(all, bind(opWrite, d, rankWrite))
	}
	return all, nil
}

// granted follows the links on the way to a grant (a toolchain on another disk)
// and shows both. Not where a command may have made them: a grant of a folder in
// the workspace would become one of ~/.ssh.
func (l layout) granted(p Policy, x layer) ([]layer, error) {
	n := l.look(x.path)
	if n.target == "" {
		return []layer{x}, nil
	}
	if slices.ContainsFunc(p.Writable, func(w string) bool { return w != "/" && encloses(w, x.path) }) {
		return nil, fmt.Errorf("%s leads through a symbolic link to %s; grant that", x.path, n.target)
	}
	link := layer{mountStep: mountStep{op: opLink, path: x.path, source: n.target}, rank: x.rank}
	x.path, x.source = n.target, n.target
	return []layer{link, x}, nil
}

func (l layout) secrets() []layer {
	var all []layer
	for _, s := range homeSecrets {
		if !path.IsAbs(l.userHome) {
			break // a service's user has none
		}
		all = append(all, layer{mountStep: mountStep{op: opBlank, path: path.Join(l.userHome, s)}, rank: rankSecret})
	}
	for _, s := range l.closed {
		all = append(all, layer{mountStep: mountStep{op: opClosed, path: s}, rank: rankSecret})
	}
	if l.uid == 0 {
		for _, s := range rootSecrets {
			all = append(all, layer{mountStep: mountStep{op: opClosed, path: s}, rank: rankSecret})
		}
	}
	return all
}

// hide lists what no grant may show: our own state, and views of other processes
// and of the kernel that a chroot below a granted directory has mounted.
func (l layout) hide() []layer {
	var all []layer
	for _, d := range slices.Concat(l.hidden, l.kernel) {
		all = append(all, layer{mountStep: mountStep{op: opClosed, path: d}, rank: rankHidden})
	}
	return all
}
