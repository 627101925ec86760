package mounts

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// planRule is one rule of planning: a policy on a host, and which lines must and
// must not come of it.
type planRule struct {
	name   string
	policy policy.Policy
	host   []string // besides debian's
	change func(*Layout)
	want   []string
	never  []string // beginnings of lines
}

var planRules = []planRule{
	{
		name:   "a writable root in a writable root adds nothing",
		policy: policy.Policy{Writable: []string{"/srv/p/sub", "/srv/p"}},
		want:   []string{"write /srv/p"}, never: []string{"write /srv/p/sub", "dir /srv/p/sub"},
	},
	{
		name:   "a readable part of a writable root stays writable",
		policy: policy.Policy{Writable: []string{"/srv/p"}, Readable: []string{"/srv/p", "/srv/p/sub"}},
		want:   []string{"write /srv/p"}, never: []string{"read /srv"},
	},
	{
		name:   "a writable root in a readable one is writable",
		policy: policy.Policy{Writable: []string{"/srv/p/sub"}, Readable: []string{"/srv/p"}},
		want:   []string{"read /srv/p", "write /srv/p/sub"}, never: []string{"dir /srv/p/sub"},
	},
	{
		name:   "three nested roots, the outer and the inner writable",
		policy: policy.Policy{Writable: []string{"/srv/p/sub/deep", "/srv/p"}, Readable: []string{"/srv/p/sub"}},
		want:   []string{"write /srv/p"}, never: []string{"read /srv/p/sub", "write /srv/p/sub/deep"},
	},
	{
		name:   "what a system directory shows needs no mount",
		policy: policy.Policy{Readable: []string{"/usr/local/go", "/etc/ssl"}},
		host:   []string{"/usr/local/go/", "/etc/ssl/"}, never: []string{"read /usr/local", "read /etc/ssl"},
	},
	{
		name:   "a folder that is gone grants nothing",
		policy: policy.Policy{Writable: []string{"/srv/gone"}, Readable: []string{"/srv/lost"}},
		never:  []string{"write /srv", "read /srv", "dir /srv"},
	},
	{
		name:   "a file can be granted",
		policy: policy.Policy{Readable: []string{"/srv/tool"}, Writable: []string{"/home/u/notes"}},
		host:   []string{"/srv/tool", "/home/u/notes"},
		want:   []string{"file /srv/tool", "read /srv/tool file", "file /home/u/notes", "write /home/u/notes file"},
	},
	{
		name:   "a grant below the private home lands in it",
		policy: policy.Policy{Readable: []string{"/home/u/go/pkg/mod"}}, host: []string{"/home/u/go/pkg/mod/"},
		want: []string{"dir /home/u/go 0755", "dir /home/u/go/pkg 0755", "dir /home/u/go/pkg/mod 0755", "read /home/u/go/pkg/mod"},
	},
	{
		name:   "a grant of /tmp is the host's",
		policy: policy.Policy{Writable: []string{"/tmp"}}, want: []string{"write /tmp"}, never: []string{"scratch /tmp"},
	},
	{
		name:   "a workspace below /tmp is mounted into the private one",
		policy: policy.Policy{Writable: []string{"/tmp/x/p"}}, host: []string{"/tmp/x/p/"},
		want: []string{"scratch /tmp < tmp", "dir /tmp/x 0755", "dir /tmp/x/p 0755", "write /tmp/x/p"},
	},
	{
		name:   "a workspace below /dev/shm is mounted into the private one",
		policy: policy.Policy{Writable: []string{"/dev/shm/p"}}, host: []string{"/dev/shm/p/"},
		want: []string{"scratch /dev/shm < shm", "write /dev/shm/p"},
	},
	{
		name:   "a home that is a workspace is the real one, without its secrets",
		policy: policy.Policy{Writable: []string{"/home/u"}},
		want:   []string{"write /home/u", "blank /home/u/.ssh", "blank /home/u/.netrc file", "closed /home/u/.local/state/pillion"},
		never:  []string{"write /home/u <"},
	},
	{
		name:   "a grant above the home leaves the home private",
		policy: policy.Policy{Readable: []string{"/home"}}, host: []string{"/home/"},
		want: []string{"read /home", "write /home/u < /home/u/.local/state/pillion/sandboxes/1/home"}, never: []string{"blank", "dir /home/u"},
	},
	{
		name:   "a grant of / is the host's root, read-only",
		policy: policy.Policy{Readable: []string{"/"}},
		want:   []string{"read /", "tmpfs /run 0755", "proc /proc"}, never: []string{"tmpfs / ", "seal /\n", "read /usr"},
	},
	{
		name:   "read-only mode makes a writable / readable",
		policy: policy.Policy{Mode: policy.ReadOnly, Writable: []string{"/"}}, want: []string{"read /"}, never: []string{"write / "},
	},
	{
		name:   "a secret that a grant names is shown",
		policy: policy.Policy{Readable: []string{"/home/u", "/home/u/.netrc"}},
		want:   []string{"read /home/u", "blank /home/u/.ssh"}, never: []string{"blank /home/u/.netrc", "closed /home/u/.netrc"},
	},
	{
		name:   "what a grant names in a secret directory is shown, and nothing beside it",
		policy: policy.Policy{Readable: []string{"/home/u", "/home/u/.ssh/known_hosts"}}, host: []string{"/home/u/.ssh/known_hosts"},
		want: []string{"tmpfs /home/u/.ssh 0755", "file /home/u/.ssh/known_hosts", "read /home/u/.ssh/known_hosts file", "seal /home/u/.ssh"},
	},
	{
		name:   "a toolchain that is a link is shown here and there",
		policy: policy.Policy{Readable: []string{"/home/u/.nvm"}}, host: []string{"/home/u/.nvm@/data/nvm=/data/nvm", "/data/nvm/"},
		want: []string{"link /home/u/.nvm -> /data/nvm", "read /data/nvm"}, never: []string{"dir /home/u/.nvm", "read /home/u/.nvm"},
	},
	{
		name:   "a workspace opened through two links is found by its name",
		policy: policy.Policy{Writable: []string{"/data/p"}, Readable: []string{"/homes/u/go"}, Links: []string{"/homes/u/p"}},
		host:   []string{"/homes@home=/home", "/home/u/p@/data/p=/data/p", "/data/p/", "/homes/u/go@=/home/u/go", "/home/u/go/"},
		want:   []string{"link /homes -> /home", "link /home/u/p -> /data/p", "write /data/p", "read /home/u/go"},
		never:  []string{"dir /homes", "link /homes/u"},
	},
	{
		name:   "secrets of a home that is reached through a link are hidden where they are",
		policy: policy.Policy{Reads: policy.ReadsAll}, host: []string{"/home/u/.ssh@=/var/home/u/.ssh", "/var/home/u/.ssh/", "/home/u/.local/state/pillion@=/var/home/state", "/var/home/state/"},
		want: []string{"blank /var/home/u/.ssh", "closed /var/home/state"}, never: []string{"blank /home/u/.ssh"},
	},
	{
		name:   "a secret that is a link is hidden where it ends",
		policy: policy.Policy{Readable: []string{"/home/u"}},
		want:   []string{"blank /home/u/dotfiles/npmrc file"}, never: []string{"blank /home/u/.npmrc"},
	},
	{
		name:   "a secret that is a link to nowhere is none",
		policy: policy.Policy{Readable: []string{"/home/u"}}, host: []string{"/home/u/.pgpass@nowhere="}, never: []string{"blank /home/u/.pgpass"},
	},
	{
		name:   "our own state is hidden whatever was granted",
		policy: policy.Policy{Writable: []string{"/home/u/.local/state", "/home/u/.local/state/pillion"}}, host: []string{"/home/u/.local/state/"},
		want: []string{"write /home/u/.local/state", "closed /home/u/.local/state/pillion"}, never: []string{"write /home/u/.local/state/pillion"},
	},
	{
		name:   "a workspace of ours below our state is shown",
		policy: policy.Policy{Reads: policy.ReadsAll, Writable: []string{"/home/u/.local/state/pillion/sandboxes/2/workspace"}},
		host:   []string{"/home/u/.local/state/pillion/sandboxes/2/workspace/"},
		want:   []string{"tmpfs /home/u/.local/state/pillion 0755", "write /home/u/.local/state/pillion/sandboxes/2/workspace", "seal /home/u/.local/state/pillion"},
		never:  []string{"closed /home/u"},
	},
	{
		name:   "kernel views below a grant are hidden, named or not",
		policy: policy.Policy{Writable: []string{"/srv/p", "/srv/p/sys"}}, host: []string{"/srv/p/proc/", "/srv/p/sys/"},
		change: func(l *Layout) { l.kernel = []string{"/srv/p/proc", "/srv/p/sys", "/elsewhere/proc"} },
		want:   []string{"closed /srv/p/proc", "closed /srv/p/sys"}, never: []string{"closed /elsewhere", "write /srv/p/sys"},
	},
	{
		name:   "temporary files on disk are in the private directory",
		change: func(l *Layout) { l.tmpDisk = true },
		want:   []string{"write /tmp < /home/u/.local/state/pillion/sandboxes/1/tmp", "write /var/tmp < /home/u/.local/state/pillion/sandboxes/1/tmp", "scratch /dev/shm < shm"},
		never:  []string{"scratch /tmp"},
	},
	{
		name: "a store's programs are found through /run",
		host: []string{
			"/nix/store/", "/run/current-system@/nix/store/x-system=/nix/store/x-system",
			"/run/current-system/sw/bin@x=/nix/store/x-path/bin", "/run/wrappers/bin/", "/run/user/1000/bin/", "/run/alias@x=/srv/alias", "/srv/alias/",
		},
		change: func(l *Layout) {
			l.search = []string{"/run/wrappers/bin", "/run/current-system/sw/bin", "/run/user/1000/bin", "/run/alias", "/run/absent"}
		},
		want: []string{
			"read /nix/store", "link /run/current-system -> /nix/store/x-system", "dir /run/user/1000 0700", "read /run/user/1000/bin",
			"read /run/alias < /srv/alias",
		},
		never: []string{"read /run/current-system", "read /run/wrappers", "read /nix/store/x", "read /run/absent", "dir /run/absent"},
	},
	{
		name: "certificates and programs kept elsewhere are shown where they are",
		host: []string{
			"/etc/ssl/certs@/var/lib/ca=/var/lib/ca", "/var/lib/ca/", "/opt@data/opt=/data/opt", "/data/opt/",
			"/lib32@nowhere=", "/etc/pki/tls/certs/ca-bundle.crt@x=/etc/pki/x", "/etc/pki/x",
		},
		want:  []string{"read /var/lib/ca", "link /opt -> data/opt", "read /data/opt", "link /lib32 -> nowhere"},
		never: []string{"read /etc/pki", "read /opt"},
	},
	{
		name:  "names of hosts are resolved where the network is allowed only; else the sidecar is asked",
		want:  []string{"read /run/systemd/resolve/stub-resolv.conf file < /home/u/.local/state/pillion/sandboxes/1/resolv.conf"},
		never: []string{"read /run/systemd/resolve/stub-resolv.conf file\n"},
	},
	{
		name:   "where the root is the host's, what is a link is mounted where it ends",
		policy: policy.Policy{Reads: policy.ReadsAll}, host: []string{"/var/tmp@/tmp=/tmp"},
		want: []string{"scratch /tmp < tmp"}, never: []string{"scratch /var/tmp", "link /var/run"},
	},
	{
		name: "devices that a machine lacks are left out", host: []string{"/dev/tty@x="},
		want: []string{"device /dev/null"}, never: []string{"device /dev/tty", "device /dev/kvm", "file /dev/tty"},
	},
	{
		name:   "as an ordinary user permissions hide what is root's",
		policy: policy.Policy{Reads: policy.ReadsAll}, never: []string{"closed /etc", "closed /var"},
	},
	{
		name:   "as root what only root may read is hidden, unless named",
		policy: policy.Policy{Reads: policy.ReadsAll, Readable: []string{"/etc/ssl/private"}},
		change: func(l *Layout) { l.uid, l.closed = 0, []string{"/etc/shadow", "/etc/ssl/private"} },
		want:   []string{"closed /etc/shadow file", "closed /var/backups"}, never: []string{"closed /etc/ssl", "closed /boot"},
	},
}

func TestPlanRules(t *testing.T) {
	for _, r := range planRules {
		t.Run(r.name, func(t *testing.T) {
			h := debian(true).with(r.host...).with("/srv/p/sub/", "/srv/p/sub/deep/")
			p := r.policy
			if p.Mode == "" {
				p.Mode = policy.WorkspaceWrite
			}
			if p.Reads == "" {
				p.Reads = policy.ReadsPrivate
			}
			p.Network = policy.NetworkDeny
			l := h.layout("/home/u")
			l.home = PrivateHome(p.Reads, l.userHome)
			if r.change != nil {
				r.change(&l)
			}
			steps := planOf(t, l, p)
			for _, w := range r.want {
				if !slices.Contains(steps, w) {
					t.Errorf("%q is missing", w)
				}
			}
			for _, n := range r.never {
				for _, s := range steps {
					if strings.HasPrefix(s+"\n", n) {
						t.Errorf("%q is there", s)
					}
				}
			}
			if t.Failed() {
				t.Log("\n" + strings.Join(steps, "\n"))
			}
		})
	}
}

func TestPlansThatAreRefused(t *testing.T) {
	base := policy.Policy{Mode: policy.WorkspaceWrite, Reads: policy.ReadsPrivate, Network: policy.NetworkDeny}
	with := func(grants ...string) policy.Policy { p := base; p.Writable = grants; return p }
	all := base
	all.Reads = policy.ReadsAll
	for name, c := range map[string]struct {
		policy policy.Policy
		home   string
		want   string
	}{
		"a link": {with("/srv/link"), "/home/u", "/srv/link leads through a symbolic link to /home/u/.ssh; grant that"},
		"a link in a root": {
			policy.Policy{Mode: policy.ReadOnly, Writable: []string{"/srv/p"}, Readable: []string{"/srv/p/l/x"}},
			"/home/u",
			"/srv/p/l/x leads through a symbolic link to /home/u/.ssh/x; grant that",
		},
		"/proc":              {with("/proc"), "/home/u", "/proc can't be granted"},
		"a process":          {with("/proc/1/root"), "/home/u", "/proc/1/root can't be granted"},
		"/dev":               {with("/dev"), "/home/u", "/dev can't be granted"},
		"a disk":             {with("/dev/sda"), "/home/u", "/dev/sda can't be granted"},
		"shared memory":      {with("/dev/shm"), "/home/u", "/dev/shm can't be granted"},
		"every socket":       {with("/run"), "/home/u", "/run can't be granted"},
		"home is /":          {base, "/", "the private home can't be at"},
		"home is relative":   {base, "home", "the private home can't be at"},
		"home is not clean":  {base, "/home/../etc", "the private home can't be at"},
		"home is in /proc":   {base, "/proc/self", "/proc/self can't be granted"},
		"home has no place":  {all, "/home/nobody", "the private home's place /home/nobody does not exist"},
		"below another name": {policy.Policy{Mode: policy.ReadOnly, Readable: []string{"/run/alias/x"}}, "/home/u", "/run/alias/x can't be shown below /run/alias"},
	} {
		t.Run(name, func(t *testing.T) {
			l := debian(true).with("/srv/link@/home/u/.ssh=/home/u/.ssh", "/srv/p/l/x@=/home/u/.ssh/x", "/run/alias@x=/srv/alias", "/srv/alias/", "/run/alias/x/").layout("/home/u")
			l.home, l.search = c.home, []string{"/run/alias"}
			if _, err := l.Plan(c.policy); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// A home on a network file system may hang every stat for half a minute: planning
// a private root touches nothing in it but what is granted.
func TestPlanningTouchesNothingInAPrivateHome(t *testing.T) {
	l := debian(true).layout("/home/u")
	look := l.look
	l.look = func(p string) node {
		if policy.Beneath("/home", p) && p != "/home/u/src/p" {
			t.Errorf("looked at %s", p)
		}
		return look(p)
	}
	planOf(t, l, policy.Policy{Mode: policy.WorkspaceWrite, Reads: policy.ReadsPrivate, Network: policy.NetworkDeny, Writable: []string{"/home/u/src/p"}})
}

// However a plan comes about: parents come first, nothing is mounted twice, and
// what is sealed is sealed when all is there.
func TestPlansAreInOrder(t *testing.T) {
	for _, c := range planCases() {
		l := debian(c.merged).layout(c.home)
		l.home = PrivateHome(c.reads, c.home)
		plan, err := l.Plan(policy.Policy{Mode: c.mode, Reads: c.reads, Network: c.network, Writable: []string{c.ws}})
		if err != nil {
			t.Fatal(err)
		}
		mounted, made, sealed := map[string]bool{}, map[string]bool{"/": true}, false
		for _, s := range plan.steps {
			if made[path.Dir(s.Path)] {
				made[s.Path] = true
			} else if c.reads == policy.ReadsPrivate && s.op != opClosed {
				t.Errorf("%s: %s before its parent", c, s)
			}
			switch s.op {
			case opSeal:
				sealed = true
				if !mounted[s.Path] {
					t.Errorf("%s: %s before it is mounted", c, s)
				}
			case opDir, opFile, opLink:
				if mounted[s.Path] || sealed {
					t.Errorf("%s: %s too late", c, s)
				}
			default:
				if mounted[s.Path] || sealed {
					t.Errorf("%s: %s twice or too late", c, s)
				}
				mounted[s.Path] = true
			}
		}
	}
}

func TestScratchSizeIsAQuarterOfMemoryAndBounded(t *testing.T) {
	for ram, want := range map[int64]int64{8 << 30: 2 << 30, 64 << 30: 4 << 30, 1 << 30: 256 << 20} {
		if got := scratchSize(ram); got != want {
			t.Errorf("%d: %d, want %d", ram, got, want)
		}
	}
	l := debian(true).layout("/home/u")
	for size, want := range map[int64]int64{0: 2 << 30, 5 << 20: 5 << 20} {
		l.tmpSize = size
		if p, err := l.Plan(policy.Policy{Mode: policy.ReadOnly}); err != nil || p.scratch != want {
			t.Errorf("%d: %d, %v", size, p.scratch, err)
		}
	}
}

func TestEnclosesAndBetween(t *testing.T) {
	for _, c := range []struct {
		dir, p string
		want   bool
		up     string
	}{
		{"/", "/a", true, ""},
		{"/", "/a/b/c", true, "/a /a/b"},
		{"/a", "/a", true, ""},
		{"/a", "/a/b/c", true, "/a/b"},
		{"/a", "/ab", false, ""},
		{"/a/b", "/a", false, ""},
	} {
		if got := policy.Beneath(c.dir, c.p); got != c.want {
			t.Errorf("%s encloses %s: %v", c.dir, c.p, got)
		}
		if got := strings.Join(Between(c.dir, c.p), " "); got != c.up {
			t.Errorf("between %s and %s: %q", c.dir, c.p, got)
		}
	}
	paths := []string{"/a-b", "/a/c", "/a", "/", "/a.b/c", "/a/b"}
	slices.SortFunc(paths, byPath)
	if got := strings.Join(paths, " "); got != "/ /a /a/b /a/c /a-b /a.b/c" {
		t.Error(got)
	}
}
