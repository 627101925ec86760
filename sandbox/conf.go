package sandbox

import "time"

// conf is what a sandbox's own processes need to know. It travels over their
// sockets: argv and environment are readable by every process of the user.
type conf struct {
	rung    string
	policy  Policy
	dir     string // the sandbox's private directory on the host
	home    string // the private home and TMPDIR as commands see them
	tmp     string
	tmpDisk bool     // temporary files on disk, in dir, instead of in memory
	user    string   // the user's own home on the host
	search  []string // the directories of PATH
	hidden  []string // directories of ours that no command may see
}

// confined says that commands are restricted at all.
func (c conf) confined() bool { return c.policy.Mode != Off }

// namespaced says that commands have mount, pid and network namespaces of their
// own.
func (c conf) namespaced() bool {
	return c.confined() && ownNamespaces(c.rung)
}

// landlocked says that commands are in a Landlock domain.
func (c conf) landlocked() bool {
	return c.confined() && (c.rung == RungFull || c.rung == RungNoUserns)
}

// roots are the directories below which a command may change anything, metadata
// included: those it shares with the host, and those that nothing outside uses.
func (c conf) roots() (shared, private []string) {
	if c.policy.Mode == WorkspaceWrite {
		shared = append(shared, c.policy.Writable...)
	}
	private = append(append(private, c.home, c.tmp), c.policy.Caches...)
	if c.namespaced() {
		private = append(private, ownDirs...)
	}
	return shared, private
}

// inner are the private roots that are nowhere on the host.
func (c conf) inner() []string {
	if !c.namespaced() {
		return nil
	}
	return append([]string{c.home, c.tmp}, ownDirs...)
}

func (c conf) encode() *payload {
	p := c.policy
	return new(payload).putString(c.rung).putString(c.dir).putString(c.home).putString(c.tmp).
		putString(string(p.Mode)).putString(string(p.Network)).putString(string(p.Reads)).putString(p.Name).
		putStrings(p.Writable).putStrings(p.Readable).putStrings(p.Caches).putString(p.Outputs).putStrings(p.Sockets).putString(p.Book).
		putBool(c.tmpDisk).putString(c.user).putStrings(c.search).putStrings(c.hidden).
		putString(string(p.Require)).putString(p.Rung).
		putInt(int64(p.Limits.Processes)).putInt(p.Limits.Memory).putInt(p.Limits.FileSize).putInt(int64(p.Limits.OpenFiles)).
		putInt(int64(p.Limits.CPU)).putInt(p.Limits.FreeDisk).putInt(p.Limits.Tmp)
}

func decodeConf(b []byte) (conf, error) {
	p := &payload{b: b}
	c := conf{rung: p.string(), dir: p.string(), home: p.string(), tmp: p.string()}
	c.policy = Policy{Mode: Mode(p.string()), Network: Network(p.string()), Reads: Reads(p.string()), Name: p.string()}
	c.policy.Writable, c.policy.Readable, c.policy.Caches = p.strings(), p.strings(), p.strings()
	c.policy.Outputs, c.policy.Sockets, c.policy.Book = p.string(), p.strings(), p.string()
	c.tmpDisk = p.int() == 1
	c.user, c.search, c.hidden = p.string(), p.strings(), p.strings()
	c.policy.Require, c.policy.Rung = Require(p.string()), p.string()
	c.policy.Limits = Limits{
		Processes: int(p.int()), Memory: p.int(), FileSize: p.int(), OpenFiles: int(p.int()),
		CPU: time.Duration(p.int()), FreeDisk: p.int(), Tmp: p.int(),
	}
	return c, p.err
}

// backendPidMax is the kernel's own count of a pid namespace's processes,
// backendGroup its count of all that a control group takes.
const (
	backendPidMax = "pid_max"
	backendGroup  = "cgroup"
)

// backend names the mechanisms in force where the kernel counts processes by the
// one or the other.
func (c conf) backend(held, grouped bool) []string {
	var b []string
	if c.namespaced() {
		b = append(b, "userns", "mounts", "pidns")
		if held {
			b = append(b, backendPidMax)
		}
		if c.policy.Network != NetworkAllow {
			b = append(b, "netns")
		}
	}
	if c.landlocked() {
		b = append(b, "landlock")
	}
	b = append(b, "seccomp")
	if !c.namespaced() {
		b = append(b, "subreaper")
	}
	if grouped {
		b = append(b, backendGroup)
	}
	return b
}
