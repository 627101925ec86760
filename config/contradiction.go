package config

import "github.com/pillion-sidecar/pillion/sandbox"

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
	o, x, err := examine(kind, path, data)
	if err != nil {
		return nil
	}
	if list := o.vain(x); len(list) > 0 {
		return &FileError{File: path, Problems: list}
	}
	return nil
}

// vain is what has no effect in a policy without mistakes.
func (o PolicyOptions) vain(x *index) (list []Problem) {
	if o.Sandbox.Network != sandbox.NetworkDeny {
		return nil
	}
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
	return list
}
