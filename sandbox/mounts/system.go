package mounts

import (
	"slices"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// runLinks lead from /run to programs on systems that keep them in a store.
var runLinks = []string{"/run/current-system", "/run/booted-system", "/run/opengl-driver"}

// etcLinks are files of /etc that some systems keep elsewhere. Where they end is
// bound too, or names, times and certificates stop working.
var etcLinks = []string{"/etc/localtime", "/etc/ssl/certs", "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"}

func (l Layout) system(p policy.Policy) []layer {
	var all []layer
	for _, d := range slices.Concat(policy.SystemDirs, []string{"/etc"}, runLinks) {
		if d != "/proc" {
			all = append(all, l.shown(d)...)
		}
	}
	links := etcLinks
	if p.Network == policy.NetworkAllow {
		links = append(slices.Clone(links), "/etc/resolv.conf")
	}
	for _, f := range links {
		if n := l.look(f); n.target != "" {
			all = append(all, bind(opRead, n.target, rankSystem))
		}
	}
	for _, s := range l.search {
		all = append(all, l.searched(s)...)
	}
	return append(all, layer{step: step{op: opLink, Path: "/var/run", source: "/run"}, rank: rankSystem})
}

// shown binds a system directory; one that is a link (/bin -> usr/bin) stays one.
func (l Layout) shown(d string) []layer {
	switch n := l.look(d); n.kind {
	case nodeDir:
		return []layer{bind(opRead, d, rankSystem)}
	case nodeLink:
		link := layer{step: step{op: opLink, Path: d, source: n.text}, rank: rankSystem}
		if n.target == "" {
			return []layer{link}
		}
		return []layer{link, bind(opRead, n.target, rankSystem)}
	}
	return nil
}

// searched binds a directory of PATH that the private /run would hide. Set-id
// wrappers gain nothing where no program gains anything.
func (l Layout) searched(d string) []layer {
	if !policy.Beneath("/run", d) || policy.Beneath("/run/wrappers", d) {
		return nil
	}
	for _, r := range runLinks {
		if policy.Beneath(r, d) && l.look(r).kind == nodeLink {
			return nil
		}
	}
	source := d
	if n := l.look(d); n.target != "" {
		source = n.target
	}
	return []layer{{step: step{op: opRead, Path: d, source: source}, rank: rankSystem}}
}
