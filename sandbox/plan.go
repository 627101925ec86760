package sandbox

import (
	"path/filepath"
	"slices"
)

// access is what a rule grants below a path.
type access uint8

const (
	accessRead   access = iota // read files, list directories, execute
	accessList                 // list directories only
	accessWrite                // everything but device nodes
	accessDevice               // read and write an existing device file
)

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

// rules is the whole file policy as grants, in a fixed order. home and tmp are
// the sandbox's private directories; etc are the readable parts of /etc.
func (p Policy) rules(home, tmp string, etc []rule) []rule {
	var rs []rule
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
	return append(rs, rule{home, accessWrite}, rule{tmp, accessWrite})
}

// validate refuses a policy whose paths are not what the rules assume.
func (p Policy) validate() *Missing {
	for _, d := range slices.Concat(p.Writable, p.Readable) {
		if !filepath.IsAbs(d) || filepath.Clean(d) != d {
			return &Missing{Feature: "policy", Reason: d + " is not an absolute, clean path"}
		}
	}
	switch {
	case p.Network == NetworkProxy:
		return &Missing{
			Feature: "network", Reason: "the allow-list proxy is not part of this version",
			Hint: `use network "deny", or "allow" where trusted configuration grants it`,
		}
	case p.Mode != ReadOnly && p.Mode != WorkspaceWrite && p.Mode != Off:
		return &Missing{Feature: "mode", Reason: "unknown mode " + string(p.Mode)}
	case p.Network != NetworkDeny && p.Network != NetworkAllow:
		return &Missing{Feature: "network", Reason: "unknown network mode " + string(p.Network)}
	}
	return nil
}
