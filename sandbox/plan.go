package sandbox

import (
	"path/filepath"
	"slices"
)

// access is what a rule grants below a path.
type access uint8

const (
	accessRead     access = iota // read files, list directories, execute
	accessList                   // list directories only
	accessWrite                  // everything but device nodes
	accessDevice                 // read and write an existing device file
	accessTerminal               // the same, and speak to its driver
)

// terminals are a sandbox's own pseudo-terminals, in a devpts of its own.
var terminals = []string{"/dev/ptmx", "/dev/pts", "/dev/tty"}

// rule grants access to one existing path and everything beneath it.
type rule struct {
	path   string
	access access
}

// systemDirs are readable in every sandbox: programs, libraries and their
// configuration. None holds a user's data.
var systemDirs = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store",
	"/proc", "/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm",
}

// devices are the files of /dev a command gets. No terminals: a write to the
// user's own pty is typing into their shell.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// ownDirs are the private file systems of a sandbox with a mount namespace.
var ownDirs = []string{"/tmp", "/var/tmp", "/run", "/dev/shm", "/dev/mqueue"}

// rules is the whole file policy as grants, in a fixed order; etc are the
// readable parts of /etc.
func (c conf) rules(etc []rule) []rule {
	var rs []rule
	p := c.policy
	if p.Reads == ReadsAll {
		rs = append(rs, rule{"/", accessRead})
	}
	for _, d := range systemDirs {
		rs = append(rs, rule{d, accessRead})
	}
	rs = append(rs, etc...)
	for _, d := range devices {
		rs = append(rs, rule{d, accessDevice})
	}
	if p.Network == NetworkAllow {
		rs = append(rs, rule{"/etc/resolv.conf", accessRead}) // often a link into /run
	}
	for _, d := range p.Readable {
		rs = append(rs, rule{d, accessRead})
	}
	for _, d := range p.Writable {
		a := accessRead
		if p.Mode == WorkspaceWrite {
			a = accessWrite
		}
		rs = append(rs, rule{d, a})
	}
	rs = append(rs, rule{"/proc/self/exe", accessRead}) // a runner executes itself in the domain
	if c.namespaced() {
		rs = append(rs, rule{"/", accessList}) // there is nothing in it that was not put there
		for _, d := range ownDirs {
			rs = append(rs, rule{d, accessWrite})
		}
		for _, d := range terminals {
			rs = append(rs, rule{d, accessTerminal})
		}
	}
	for _, d := range p.Caches {
		rs = append(rs, rule{d, accessWrite})
	}
	if d := c.outputs(); d != "" {
		rs = append(rs, rule{d, accessRead})
	}
	return append(rs, rule{c.home, accessWrite}, rule{c.tmp, accessWrite})
}

// validate refuses a policy whose paths are not what the rules assume.
func (p Policy) validate() *Missing {
	for _, d := range slices.Concat(p.Writable, p.Readable, p.Caches, p.outputs()) {
		if d == outputsInside {
			continue // ours, and no path of every platform
		}
		if !filepath.IsAbs(d) || filepath.Clean(d) != d {
			return &Missing{Feature: "policy", Reason: d + " is not an absolute, clean path"}
		}
	}
	if m := p.validateSockets(); m != nil {
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
