package policy

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Validate refuses a policy whose paths are not what the rules assume.
func (p Policy) Validate() *Missing {
	for _, d := range slices.Concat(p.Writable, p.Readable, p.Caches, p.Links, p.outputs()) {
		if d == OutputsInside {
			continue // ours, and no path of every platform
		}
		if !filepath.IsAbs(d) || filepath.Clean(d) != d {
			return &Missing{Feature: "policy", Reason: d + " is not an absolute, clean path"}
		}
	}
	if m := p.validateSockets(); m != nil {
		return m
	}
	if m := p.validateHostPorts(); m != nil {
		return m
	}
	for _, f := range p.HomeFiles {
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
			return &Missing{Feature: "policy", Reason: f.Path + " is not a path below the home"}
		}
	}
	switch {
	case !ValidName(p.SandboxName()):
		return &Missing{Feature: "name", Reason: "a sandbox's name is 1 to 64 of A-Za-z0-9._-"}
	case p.Mode != ReadOnly && p.Mode != WorkspaceWrite && p.Mode != Off:
		return &Missing{Feature: "mode", Reason: "unknown mode " + string(p.Mode)}
	case p.Network != NetworkDeny && p.Network != NetworkAllow && p.Network != NetworkProxy:
		return &Missing{Feature: "network", Reason: "unknown network mode " + string(p.Network)}
	}
	return nil
}

// maxSockets bounds a policy's Sockets, maxSocketPath is what fits into a socket's
// address. unix(7)
const (
	maxSockets    = 32
	maxSocketPath = 107
)

func (p Policy) validateSockets() *Missing {
	if len(p.Sockets) > maxSockets {
		return &Missing{Feature: "sockets", Reason: fmt.Sprintf("%d sockets are named, at most %d can be", len(p.Sockets), maxSockets)}
	}
	for _, s := range p.Sockets {
		switch {
		case !filepath.IsAbs(s) || filepath.Clean(s) != s:
			return &Missing{Feature: "sockets", Reason: s + " is not an absolute, clean path"}
		case len(s) > maxSocketPath:
			return &Missing{
				Feature: "sockets", Reason: fmt.Sprintf("%s has %d bytes, a socket's address at most %d: nobody could connect to it", s, len(s), maxSocketPath),
				Hint: "have the program listen at a shorter path",
			}
		}
	}
	return nil
}

// OutputsInside is where they appear in a sandbox with mounts of its own. It is a
// mount directly in another one, neither of which can be renamed. Where they are
// on the host there may be directories in between that lie in the private home: a
// command could move those aside and lay its own.
const OutputsInside = "/run/pillion-outputs"

// outputs are the places where Outputs may be seen.
func (p Policy) outputs() []string {
	if p.Outputs == "" {
		return nil
	}
	return []string{p.Outputs, OutputsInside}
}
