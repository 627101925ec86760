package config

import (
	"slices"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// Warnings are what has no effect in a policy file, because another key of it takes all
// effect away; nil if there is none. They are not mistakes: commands that need neither run
// as ever. A file that can't be used has mistakes instead.
func Warnings(path string, kind FileKind) *FileError {
	if kind == "" {
		kind = KindOf(path)
	}
	data, err := readFile(kind, path)
	if err != nil {
		return nil
	}
	o, err := parse(kind, path, data)
	if err != nil || o.Sandbox.Network != sandbox.NetworkDeny {
		return nil
	}
	x := newIndex(slices.Clip(data))
	var list []Problem
	for _, m := range []struct {
		member, what string
		said         int
	}{
		{"allow", "hosts", len(o.Network.Allow)},
		{"sockets", "sockets", len(o.Network.Sockets)},
		{"ports", "ports", len(o.Network.Ports)},
		{"credentials", "hosts", len(o.Network.Credentials)},
	} {
		if m.said == 0 {
			continue
		}
		at := x.at("/network/" + m.member)
		list = append(list, Problem{at.line, at.column, "network." + m.member, "no command reaches these " + m.what +
			`, because sandbox.network is "deny"; set it to "proxy", or remove one of the two`})
	}
	if len(list) == 0 {
		return nil
	}
	return &FileError{File: path, Problems: list}
}
