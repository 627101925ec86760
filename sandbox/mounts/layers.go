package mounts

import (
	"fmt"
	"path"
	"slices"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// layer is a candidate for a step. At one path the highest rank wins.
type layer struct {
	step
	rank layerRank
}

type layerRank uint8

const (
	rankFence  layerRank = iota // a directory above a workspace, which shows nothing
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
func (l Layout) layers(p policy.Policy) ([]layer, error) {
	grants, err := l.grants(p)
	if err != nil {
		return nil, err
	}
	sockets, err := l.sockets(p)
	if err != nil {
		return nil, err
	}
	grants = append(grants, sockets...)
	all := slices.Concat([]layer{rootLayer(p)}, l.system(p), l.ownDirs(p), ownDevices(l.look), grants, l.secrets(), l.hide(), l.ends, l.fences(p, grants), l.links(p))
	slices.SortStableFunc(all, func(a, b layer) int {
		if c := byPath(a.Path, b.Path); c != 0 {
			return c
		}
		return int(b.rank) - int(a.rank)
	})
	return slices.CompactFunc(all, func(a, b layer) bool { return a.Path == b.Path }), nil
}

func bind(op mountOp, p string, r layerRank) layer {
	return layer{step: step{op: op, Path: p, source: p}, rank: r}
}

// rootLayer is the root: empty, or the host's.
func rootLayer(p policy.Policy) layer {
	switch {
	case p.Mode == policy.WorkspaceWrite && slices.Contains(p.Writable, "/"):
		return bind(opWrite, "/", rankHidden)
	case p.Reads == policy.ReadsAll, slices.Contains(p.Readable, "/"), slices.Contains(p.Writable, "/"):
		return bind(opRead, "/", rankHidden)
	}
	return layer{step: step{op: opTmpfs, Path: "/", mode: 0o755}, rank: rankHidden}
}

func (l Layout) grants(p policy.Policy) ([]layer, error) {
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
		if p.Mode == policy.WorkspaceWrite {
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
	for _, v := range l.views {
		all = append(all, layer{step: step{op: opView, Path: v.At}, rank: rankWrite})
	}
	return all, nil
}

// granted follows the links on the way to a grant (a toolchain on another disk)
// and shows both. Not where a command may have made them: a grant of a folder in
// the workspace would become one of ~/.ssh.
func (l Layout) granted(p policy.Policy, x layer) ([]layer, error) {
	n := l.look(x.Path)
	if n.target == "" {
		return []layer{x}, nil
	}
	if slices.ContainsFunc(p.Writable, func(w string) bool { return w != "/" && policy.Beneath(w, x.Path) }) {
		return nil, fmt.Errorf("%s leads through a symbolic link to %s; grant that", x.Path, n.target)
	}
	link := layer{step: step{op: opLink, Path: x.Path, source: n.target}, rank: x.rank}
	x.Path, x.source = n.target, n.target
	if slices.ContainsFunc(l.links(p), func(y layer) bool { return policy.Beneath(y.Path, link.Path) }) {
		return []layer{x}, nil // that one leads there
	}
	return []layer{link, x}, nil
}

// links are those on the way of the policy's Links, each where it really is.
func (l Layout) links(p policy.Policy) []layer {
	var all []layer
	for _, name := range p.Links {
		for i := 1; i <= len(name) && len(all) < maxLinks; i++ {
			if i < len(name) && name[i] != '/' {
				continue
			}
			if n := l.look(name[:i]); n.kind == nodeLink && n.target != "" {
				all = append(all, layer{step: step{op: opLink, Path: name[:i], source: n.target}, rank: rankSystem})
				name, i = n.target+name[i:], len(n.target)
			}
		}
	}
	return all
}

// maxLinks bounds the links of a policy, as the kernel does those of a path. path_resolution(7)
const maxLinks = 40

func (l Layout) secrets() []layer {
	var all []layer
	for _, s := range policy.HomeSecrets {
		if !path.IsAbs(l.userHome) {
			break // a service's user has none
		}
		all = append(all, layer{step: step{op: opBlank, Path: path.Join(l.userHome, s)}, rank: rankSecret})
	}
	for _, s := range l.closed {
		all = append(all, layer{step: step{op: opClosed, Path: s}, rank: rankSecret})
	}
	if l.uid == 0 {
		for _, s := range policy.RootSecrets {
			all = append(all, layer{step: step{op: opClosed, Path: s}, rank: rankSecret})
		}
	}
	return all
}

// hide lists what no grant may show: our own state, and views of other processes
// and of the kernel that a chroot below a granted directory has mounted.
func (l Layout) hide() []layer {
	var all []layer
	for _, d := range slices.Concat(l.hidden, l.kernel) {
		all = append(all, layer{step: step{op: opClosed, Path: d}, rank: rankHidden})
	}
	return all
}
