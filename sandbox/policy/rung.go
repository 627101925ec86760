package policy

import (
	"fmt"
	"slices"
)

// The rungs of the ladder, strongest first.
const (
	RungFull       = "full"        // namespaces of its own, Landlock and seccomp
	RungNoUserns   = "no-userns"   // Landlock and seccomp
	RungNoLandlock = "no-landlock" // namespaces and seccomp
	RungSeatbelt   = "seatbelt"    // macOS: a profile of the kernel's own sandbox
	RungNone       = "none"
)

// The rungs of Windows, strongest first. Neither has namespaces: what needs them is
// refused there as on Linux below full.
const (
	RungWriteRestricted = "write-restricted" // low integrity, and a list of SIDs that writing needs
	RungLowIntegrity    = "low-integrity"    // low integrity alone
)

// WindowsRungs are those of Windows, strongest first.
var WindowsRungs = []string{RungWriteRestricted, RungLowIntegrity}

var rungs = []string{RungFull, RungNoUserns, RungNoLandlock, RungSeatbelt, RungNone}

// Below lists why a policy that names a rung is refused on a machine that has
// another. Where isolation is the only protection, half of it is no answer: best
// effort, no sandbox at all and the host's network are refused, too.
func (p Policy) Below(have string) []Missing {
	if p.Rung == "" {
		return nil
	}
	var out []Missing
	need, got := slices.Index(rungs, p.Rung), slices.Index(rungs, have)
	if need < 0 || got < 0 || got > need {
		out = append(out, Missing{
			Feature: "rung", Reason: fmt.Sprintf("commands need the rung %q, with mount, pid and network namespaces of their own; this machine gives %q", p.Rung, have),
			Hint: "choose a profile with rules of its own, such as balanced",
		})
	}
	refuse := func(feature, value, hint string) {
		out = append(out, Missing{Feature: feature, Reason: fmt.Sprintf("%q gives up the isolation that this profile relies on", value), Hint: hint})
	}
	if p.Require == RequireBestEffort {
		refuse("require", string(p.Require), `leave sandbox.require at "enforced"`)
	}
	if p.Mode == Off {
		refuse("mode", string(p.Mode), `use sandbox.mode "workspace-write" or "read-only"`)
	}
	if p.Network == NetworkAllow {
		refuse("network", string(p.Network), `leave sandbox.network at "deny"`)
	}
	return out
}

// OwnNamespaces says that a rung's sandboxes have mount and network namespaces of
// their own.
func OwnNamespaces(rung string) bool { return rung == RungFull || rung == RungNoLandlock }

// GrantsSockets says that a rung lets a command connect to one socket of the host
// and to no other.
func GrantsSockets(rung string) bool { return OwnNamespaces(rung) || rung == RungSeatbelt }

// Unserved lists what a policy asks for that a rung can't give. Best effort goes without
// sockets. It doesn't help a proxy: without a network of its own a command would have none
// at all, or the host's.
func (p Policy) Unserved(have string) []Missing {
	carried := p.Mode != Off && (OwnNamespaces(have) || have == RungSeatbelt)
	var out []Missing
	if p.Network == NetworkProxy && !carried {
		m := Missing{
			Feature: "network", Reason: fmt.Sprintf("a proxy needs a network namespace of the sandbox's own, and this machine's rung %q has none", have),
			Hint: `allow user namespaces (docs/sandbox.md says how), or use network "deny"`,
		}
		if slices.Contains(WindowsRungs, have) {
			m.Reason, m.Hint = "a proxy needs a network of the sandbox's own, and Windows gives none to an ordinary user", `use network "deny" with require "bestEffort", or run pillion in WSL 2`
		}
		if p.Mode == Off {
			m.Reason, m.Hint = `a proxy needs a sandbox, and mode "off" has none`, `use sandbox.mode "workspace-write" or "read-only"`
		}
		out = append(out, m)
	}
	if p.Keys != "" && !GrantsSockets(have) { // best effort would be an agent for everybody
		return append(out, Missing{
			Feature: "ssh", Reason: fmt.Sprintf("the ssh agent needs a mount namespace to be shown in, and this machine's rung %q has none", have),
			Hint: "allow user namespaces (docs/sandbox.md says how), or remove [ssh] from your policy",
		})
	}
	if len(p.Sockets) > 0 && p.Mode != Off && !GrantsSockets(have) && p.Require != RequireBestEffort {
		out = append(out, Missing{
			Feature: "sockets", Reason: fmt.Sprintf("a socket of the host needs a mount namespace to be shown in, and this machine's rung %q has none", have),
			Hint: `allow user namespaces (docs/sandbox.md says how); sandbox.require "bestEffort" runs without the sockets`,
		})
	}
	if len(p.HostPorts) > 0 && p.Mode != Off && p.Network != NetworkAllow && !OwnNamespaces(have) && p.Require != RequireBestEffort {
		out = append(out, Missing{
			Feature: "ports", Reason: fmt.Sprintf("a port of the host needs a network namespace to listen in for it, and this machine's rung %q has none", have),
			Hint: `allow user namespaces (docs/sandbox.md says how); sandbox.require "bestEffort" runs without the ports`,
		})
	}
	return out
}
