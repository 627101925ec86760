package landlock

import "github.com/pillion-sidecar/pillion/sandbox/policy"

// access is what a rule grants below a path.
type access uint8

const (
	Read     access = iota // read files, list directories, execute
	List                   // list directories only
	Write                  // everything but device nodes
	Device                 // read and write an existing device file
	Terminal               // the same, and speak to its driver
)

// rule grants access to one existing path and everything beneath it.
type rule struct {
	Path   string
	Access access
}

// Rules is the whole file policy as grants, in a fixed order; etc are the
// readable parts of /etc.
func Rules(c policy.Conf, etc []rule) []rule {
	var rs []rule
	p := c.Policy
	if p.Reads == policy.ReadsAll {
		rs = append(rs, rule{"/", Read})
	}
	for _, d := range policy.SystemDirs {
		rs = append(rs, rule{d, Read})
	}
	rs = append(rs, etc...)
	for _, d := range policy.Devices {
		rs = append(rs, rule{d, Device})
	}
	if p.Network == policy.NetworkAllow {
		rs = append(rs, rule{"/etc/resolv.conf", Read}) // often a link into /run
	}
	for _, d := range p.Readable {
		rs = append(rs, rule{d, Read})
	}
	for _, d := range p.Writable {
		a := Read
		if p.Mode == policy.WorkspaceWrite {
			a = Write
		}
		rs = append(rs, rule{d, a})
	}
	rs = append(rs, rule{"/proc/self/exe", Read}) // a runner executes itself in the domain
	if c.Namespaced() {
		rs = append(rs, rule{"/", List}) // there is nothing in it that was not put there
		for _, d := range policy.OwnDirs {
			rs = append(rs, rule{d, Write})
		}
		for _, d := range policy.Terminals {
			rs = append(rs, rule{d, Terminal})
		}
	} else {
		rs = append(rs, rule{policy.OwnTerminal, Terminal})
	}
	for _, d := range p.Caches {
		rs = append(rs, rule{d, Write})
	}
	if d := c.Outputs(); d != "" {
		rs = append(rs, rule{d, Read})
	}
	return append(rs, rule{c.Home, Write}, rule{c.Tmp, Write})
}
