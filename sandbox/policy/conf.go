package policy

import "slices"

// Conf is what a sandbox's own processes need to know.
type Conf struct {
	Rung     string
	Policy   Policy
	Dir      string // the sandbox's private directory on the host
	Home     string // the private home and TMPDIR as commands see them
	Tmp      string
	TmpDisk  bool     // temporary files on disk, in dir, instead of in memory
	UserHome string   // the user's own home on the host, as the kernel names it
	Search   []string // the directories of PATH
	Hidden   []string // directories of ours that no command may see
	Views    []View   // those of the policy, as they are to be mounted
}

// View is a copy-on-write view: at At, what Lower holds is seen, the first of a name, and
// what is changed comes to Upper. Work is the kernel's. All are absolute and resolved.
type View struct {
	At          string
	Lower       []string
	Hide        []string // names of files in Lower that are empty at At
	Upper, Work string
	FD          int // the mount, where another sandbox has made it; else 0
}

// Given counts the views that come as descriptors.
func (c Conf) Given() (n int) {
	for _, v := range c.Views {
		if v.FD > 0 {
			n++
		}
	}
	return n
}

// Sandboxed says that commands are restricted at all.
func (c Conf) Sandboxed() bool { return c.Policy.Mode != Off }

// Namespaced says that commands have mount, pid and network namespaces of their
// own.
func (c Conf) Namespaced() bool {
	return c.Sandboxed() && OwnNamespaces(c.Rung)
}

// Landlocked says that commands are in a Landlock domain.
func (c Conf) Landlocked() bool {
	return c.Sandboxed() && (c.Rung == RungFull || c.Rung == RungNoUserns)
}

// Roots are the directories below which a command may change anything, metadata
// included: those it shares with the host, and those that nothing outside uses.
func (c Conf) Roots() (shared, private []string) {
	if c.Policy.Mode == WorkspaceWrite {
		shared = append(shared, c.Policy.Writable...)
	}
	private = append(append(private, c.Home, c.Tmp), c.Policy.Caches...)
	if c.Namespaced() {
		private = append(private, OwnDirs...)
	}
	return shared, slices.DeleteFunc(private, c.granted)
}

// granted says that the host's directory is in the place of the sandbox's own: with
// --readable /tmp a socket there would be taken for one of the command's, and connected to.
func (c Conf) granted(own string) bool {
	return slices.Contains(c.Policy.Readable, own) || slices.Contains(c.Policy.Writable, own)
}

// Inner are the private roots that are nowhere on the host.
func (c Conf) Inner() []string {
	if !c.Namespaced() {
		return nil
	}
	return slices.DeleteFunc(append([]string{c.Home, c.Tmp}, OwnDirs...), c.granted)
}

// Backend names the mechanisms in force where the kernel counts processes by the
// one or the other.
func (c Conf) Backend(held, grouped bool) []string {
	var b []string
	if c.Namespaced() {
		b = append(b, "userns", "mounts", "pidns")
		if held {
			b = append(b, BackendPidMax)
		}
		if c.OwnNetwork() {
			b = append(b, "netns")
		}
	}
	if c.Landlocked() {
		b = append(b, "landlock")
	}
	b = append(b, "seccomp")
	if !c.Namespaced() {
		b = append(b, "subreaper")
	}
	if grouped {
		b = append(b, BackendGroup)
	}
	return b
}

// Outputs is where commands find the policy's Outputs.
func (c Conf) Outputs() string {
	if c.Policy.Outputs != "" && c.Namespaced() {
		return OutputsInside
	}
	return c.Policy.Outputs
}

// OwnNetwork says that the sandbox's network is not the host's.
func (c Conf) OwnNetwork() bool { return c.Namespaced() && c.Policy.Network != NetworkAllow }

// Proxied says that the sandbox's network leads to a proxy and nowhere else.
func (c Conf) Proxied() bool { return c.Namespaced() && c.Policy.Network == NetworkProxy }

// ReadOnly are the directories that only the mode keeps from being written.
func (c Conf) ReadOnly() []string {
	if c.Policy.Mode == ReadOnly {
		return c.Policy.Writable
	}
	return nil
}

// Journaled says that what commands change is kept. The journal's directory and those of
// the workspace come as descriptors, in one message.
func (c Conf) Journaled() bool {
	const most = 62
	return c.Sandboxed() && c.Policy.Journal != "" && c.Policy.Mode == WorkspaceWrite && len(c.Policy.Writable) <= most
}
