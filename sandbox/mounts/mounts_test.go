package mounts

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

var update = flag.Bool("update", false, "write testdata and the tables of docs that these tests make")

// fakeHost is a machine as lstat shows it: a path ends in / when it is a
// directory, in @ and a text when it is a link, in * when it is a device,
// in = when it is a socket.
type fakeHost map[string]node

func hostOf(paths ...string) fakeHost {
	h := fakeHost{}
	for _, p := range paths {
		switch {
		case strings.Contains(p, "@"):
			at, text, _ := strings.Cut(p, "@")
			text, target, _ := strings.Cut(text, "=")
			h[at] = node{kind: nodeLink, text: text, target: target}
		case strings.HasSuffix(p, "="):
			h[strings.TrimSuffix(p, "=")] = node{kind: nodeSocket}
		case strings.HasSuffix(p, "*"):
			h[strings.TrimSuffix(p, "*")] = node{kind: nodeDevice}
		case strings.HasSuffix(p, "/"):
			h[strings.TrimSuffix(p, "/")] = node{kind: nodeDir}
		default:
			h[p] = node{kind: nodeFile}
		}
	}
	return h
}

func (h fakeHost) with(paths ...string) fakeHost {
	for p, n := range hostOf(paths...) {
		h[p] = n
	}
	return h
}

func debian(merged bool) fakeHost {
	h := hostOf("/usr/", "/etc/", "/opt/", "/etc/localtime@/usr/share/zoneinfo/UTC=/usr/share/zoneinfo/UTC", "/etc/shadow", "/etc/ssl/private/",
		"/etc/resolv.conf@../run/systemd/resolve/stub-resolv.conf=/run/systemd/resolve/stub-resolv.conf",
		"/run/systemd/resolve/stub-resolv.conf", "/run/", "/proc/", "/sys/", "/dev/", "/tmp/", "/var/tmp/", "/var/run@/run=/run",
		"/sys/devices/system/", "/sys/fs/cgroup/", "/sys/kernel/mm/",
		"/dev/null*", "/dev/zero*", "/dev/full*", "/dev/random*", "/dev/urandom*", "/dev/tty*", "/dev/kvm*",
		"/home/u/", "/home/u/.ssh/", "/home/u/.netrc", "/home/u/.npmrc@dotfiles/npmrc=/home/u/dotfiles/npmrc", "/home/u/dotfiles/npmrc",
		"/home/u/.local/state/pillion/", "/root/", "/root/.ssh/", "/root/.local/state/pillion/", "/var/backups/",
		"/home/u/src/p/", "/root/src/p/", "/srv/p/")
	if merged {
		return h.with("/bin@usr/bin=/usr/bin", "/sbin@usr/sbin=/usr/sbin", "/lib@usr/lib=/usr/lib", "/lib64@usr/lib64=/usr/lib64")
	}
	return h.with("/bin/", "/sbin/", "/lib/", "/lib64/")
}

func (h fakeHost) layout(home string) Layout {
	uid := 1000
	l := Layout{
		dir: home + "/.local/state/pillion/sandboxes/1", home: home, userHome: home, hidden: []string{home + "/.local/state/pillion"},
		ram: 8 << 30, uid: uid, tty: -1, search: []string{"/usr/local/bin", "/usr/bin", home + "/bin"},
		look: func(p string) node { return h[p] },
	}
	if home == "/root" {
		l.uid, l.tty, l.closed = 0, 5, []string{"/etc/shadow", "/etc/ssl/private"}
	}
	return l
}

func planOf(t *testing.T, l Layout, p policy.Policy) []string {
	t.Helper()
	plan, err := l.Plan(p)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(plan.String()), "\n")
}

// planCase is one point of everything a plan depends on.
type planCase struct {
	reads   policy.Reads
	mode    policy.Mode
	network policy.Network
	home    string
	ws      string
	merged  bool
}

func (c planCase) String() string {
	usr := "split-usr"
	if c.merged {
		usr = "merged-usr"
	}
	return fmt.Sprintf("%s %s %s %s %s %s", c.reads, c.mode, c.network, c.home, c.ws, usr)
}

func (c planCase) plan(t *testing.T) []string {
	t.Helper()
	l := debian(c.merged).layout(c.home)
	l.home = PrivateHome(c.reads, c.home)
	return planOf(t, l, policy.Policy{Mode: c.mode, Reads: c.reads, Network: c.network, Writable: []string{c.ws}, Readable: []string{c.ws}})
}

func planCases() []planCase {
	var all []planCase
	for _, reads := range []policy.Reads{policy.ReadsPrivate, policy.ReadsAll} {
		for _, home := range []string{"/home/u", "/root"} {
			for _, ws := range []string{home + "/src/p", "/srv/p"} {
				for _, merged := range []bool{true, false} {
					for _, mode := range []policy.Mode{policy.WorkspaceWrite, policy.ReadOnly} {
						for _, network := range []policy.Network{policy.NetworkDeny, policy.NetworkAllow} {
							if !merged && (mode != policy.WorkspaceWrite || network != policy.NetworkDeny) {
								continue // what /bin is changes nothing else
							}
							all = append(all, planCase{reads, mode, network, home, ws, merged})
						}
					}
				}
			}
		}
	}
	return all
}

// The golden file holds the first plan of each kind of root wholly, and of every
// other what it has more and less.
func TestPlansAreTheGoldenOnes(t *testing.T) {
	var b strings.Builder
	var base []string
	var reads policy.Reads
	for _, c := range planCases() {
		steps := c.plan(t)
		fmt.Fprintf(&b, "## %s\n", c)
		if c.reads != reads {
			reads, base = c.reads, steps
			fmt.Fprintf(&b, "%s\n", strings.Join(steps, "\n"))
			continue
		}
		for _, s := range base {
			if !slices.Contains(steps, s) {
				fmt.Fprintln(&b, "-", s)
			}
		}
		for _, s := range steps {
			if !slices.Contains(base, s) {
				fmt.Fprintln(&b, "+", s)
			}
		}
	}
	const file = "testdata/mounts.golden"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("the plans changed; if they should, run make generate and read the difference\n%s", got)
	}
}
