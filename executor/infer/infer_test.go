package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox"
)

func aScene() Scene {
	return Scene{
		Policy: sandbox.Policy{
			Mode: sandbox.WorkspaceWrite, Network: sandbox.NetworkDeny, Reads: sandbox.ReadsPrivate,
			Writable: []string{"/ws"}, Readable: []string{"/ws", "/toolchain"},
		},
		Dir: "/ws/sub", Private: []string{"/state/home", "/state/tmp"}, Home: "/home/you",
		Proxies: true,
	}
}

// The whole network is the grant only where no smaller one would do.
func TestNetworkGrantIsTheSmallest(t *testing.T) {
	for _, tc := range []struct {
		network sandbox.Network
		proxies bool
		host    string
		want    string
	}{
		{sandbox.NetworkDeny, true, "example.org", `policy.network.allow "example.org"`},
		{sandbox.NetworkDeny, false, "example.org", `sandbox.network "allow"`}, // no network namespace for a proxy
		{sandbox.NetworkProxy, true, "example.org", `sandbox.network "allow"`}, // the program does not know the proxy
		{sandbox.NetworkDeny, true, "exa_mple..org", `sandbox.network "allow"`},
		{sandbox.NetworkDeny, true, "", `sandbox.network "allow"`},
	} {
		s := aScene()
		s.Policy.Network, s.Proxies = tc.network, tc.proxies
		if got := s.Read("curl: (6) Could not resolve host: " + tc.host); len(got) != 1 || got[0].Grant != tc.want {
			t.Errorf("%+v: %+v", tc, got)
		}
	}
}

// A program that does not know the proxy finds no network.
func TestRefusalsBesideTheProxyAreReadOffErrorLines(t *testing.T) {
	s := aScene()
	for network, want := range map[sandbox.Network]int{sandbox.NetworkDeny: 1, sandbox.NetworkProxy: 1, sandbox.NetworkAllow: 0} {
		s.Policy.Network = network
		if got := s.Read("java.net.SocketException: Network is unreachable"); len(got) != want {
			t.Errorf("%s: %+v", network, got)
		}
	}
}

// One line of each kind of program, and what it tells.
func TestRefusalsAreReadOffErrorLines(t *testing.T) {
	for line, want := range map[string]sandbox.Violation{
		"sh: 1: cannot create /srv/x/f: Permission denied":                                       {Op: "write", Path: "/srv/x/f", Rule: "outside", Grant: `sandbox.writable "/srv/x"`, Errno: "EACCES", Process: "sh"},
		"OSError: [Errno 24] Too many open files: '/dev/null'":                                   {Op: "open", Rule: "limit openFiles", Grant: "limits.maxOpenFiles", Errno: "EMFILE"},
		"OSError: [Errno 27] File too large":                                                     {Op: "write", Rule: "limit fileSize", Grant: "limits.maxFileBytes", Errno: "EFBIG"},
		"bash: line 1: /srv/x/f: Read-only file system":                                          {Op: "write", Path: "/srv/x/f", Rule: "outside", Grant: `sandbox.writable "/srv/x"`, Errno: "EROFS", Process: "bash"},
		"/bin/sh: 3: cannot create ../../srv/f: Permission denied":                               {Op: "write", Path: "/srv/f", Rule: "outside", Grant: `sandbox.writable "/srv"`, Errno: "EACCES", Process: "sh"},
		"touch: cannot touch '/srv/x/a b': Permission denied":                                    {Op: "write", Path: "/srv/x/a b", Rule: "outside", Grant: `sandbox.writable "/srv/x"`, Errno: "EACCES", Process: "touch"},
		"mkdir: cannot create directory ‘/srv/x’: Permission denied":                             {Op: "write", Path: "/srv/x", Rule: "outside", Grant: `sandbox.writable "/srv"`, Errno: "EACCES", Process: "mkdir"},
		"rm: cannot remove '/usr/bin/true': Read-only file system":                               {Op: "write", Path: "/usr/bin/true", Rule: "outside", Grant: `sandbox.writable "/usr/bin"`, Errno: "EROFS", Process: "rm"},
		"chmod: changing permissions of '/srv/x/f': Operation not permitted":                     {Op: "write", Path: "/srv/x/f", Rule: "outside", Grant: `sandbox.writable "/srv/x"`, Errno: "EPERM", Process: "chmod"},
		"cat: /home/other/notes: Permission denied":                                              {Op: "read", Path: "/home/other/notes", Rule: "outside", Grant: `policy.readable "/home/other/notes"`, Errno: "EACCES", Process: "cat"},
		"ls: cannot open directory '/srv': Permission denied":                                    {Op: "read", Path: "/srv", Rule: "outside", Grant: `policy.readable "/srv"`, Errno: "EACCES", Process: "ls"},
		"open /srv/data: permission denied":                                                      {Op: "read", Path: "/srv/data", Rule: "outside", Grant: `policy.readable "/srv/data"`, Errno: "EACCES"},
		"mkdir /srv/cache: permission denied":                                                    {Op: "write", Path: "/srv/cache", Rule: "outside", Grant: `sandbox.writable "/srv"`, Errno: "EACCES"},
		"PermissionError: [Errno 13] Permission denied: '/srv/data'":                             {Op: "read", Path: "/srv/data", Rule: "outside", Grant: `policy.readable "/srv/data"`, Errno: "EACCES"},
		"PermissionError: [Errno 13] Permission denied: '/usr/lib/x.pth'":                        {Op: "write", Path: "/usr/lib/x.pth", Rule: "outside", Grant: `sandbox.writable "/usr/lib"`, Errno: "EACCES"},
		"OSError: [Errno 30] Read-only file system: '/srv/x/f'":                                  {Op: "write", Path: "/srv/x/f", Rule: "outside", Grant: `sandbox.writable "/srv/x"`, Errno: "EROFS"},
		"Error: EACCES: permission denied, mkdir '/srv/node'":                                    {Op: "write", Path: "/srv/node", Rule: "outside", Grant: `sandbox.writable "/srv"`, Errno: "EACCES"},
		"error: could not lock config file /home/you/.gitconfig: Permission denied\r\n":          {Op: "write", Path: "/home/you/.gitconfig", Rule: "outside", Errno: "EACCES"},
		"sh: 1: cannot create /f: Permission denied":                                             {Op: "write", Path: "/f", Rule: "outside", Errno: "EACCES", Process: "sh"},
		"cat: /home/you/.ssh/id_rsa: No such file or directory":                                  {Op: "read", Path: "/home/you/.ssh/id_rsa", Rule: "secret", Grant: `policy.readable "/home/you/.ssh/id_rsa"`, Errno: "ENOENT", Process: "cat"},
		"cat: /state/home/.ssh/id_rsa: No such file or directory":                                {Op: "read", Path: "/home/you/.ssh/id_rsa", Rule: "secret", Grant: `policy.readable "/home/you/.ssh/id_rsa"`, Errno: "ENOENT", Process: "cat"},
		"ls: cannot access '/home/you/.ssh': No such file or directory":                          {Op: "read", Path: "/home/you/.ssh", Rule: "secret", Grant: `policy.readable "/home/you/.ssh"`, Errno: "ENOENT", Process: "ls"},
		"FileNotFoundError: [Errno 2] No such file or directory: '/home/you/.aws/credentials'":   {Op: "read", Path: "/home/you/.aws/credentials", Rule: "secret", Grant: `policy.readable "/home/you/.aws/credentials"`, Errno: "ENOENT"},
		"curl: (6) Could not resolve host: example.org":                                          {Op: "resolve", Path: "example.org", Rule: "network", Grant: `policy.network.allow "example.org"`, Process: "curl"},
		"curl: (7) Failed to connect to 192.0.2.1 port 80: Network is unreachable":               {Op: "connect", Rule: "network", Grant: `sandbox.network "allow"`, Errno: "ENETUNREACH", Process: "curl"},
		"fatal: unable to access 'https://example.org/x/': Could not resolve host: example.org":  {Op: "resolve", Path: "example.org", Rule: "network", Grant: `policy.network.allow "example.org"`},
		"npm error request to https://r.example.org failed: getaddrinfo EAI_AGAIN r.example.org": {Op: "resolve", Path: "r.example.org", Rule: "network", Grant: `policy.network.allow "r.example.org"`},
		"ssh: Could not resolve hostname h.example.org: Temporary failure in name resolution":    {Op: "resolve", Path: "h.example.org", Rule: "network", Grant: `policy.network.allow "h.example.org:22"`, Process: "ssh"},
	} {
		want.Count, want.Attribution = 1, sandbox.AttributionInferred
		got := aScene().Read(line)
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s\n got %+v\nwant %+v", line, got, want)
		}
	}
}

// Where a sandbox has mounts of its own, what is not granted looks like nothing.
func TestPlacesThatAreNotShownAreReadOffErrorLines(t *testing.T) {
	s := aScene()
	s.Mounts, s.Private = true, []string{"/home/you", "/tmp"}
	for line, want := range map[string]string{
		"cat: /srv/data: No such file or directory":                  `read /srv/data outside policy.readable "/srv/data"`,
		"cat: /home/other/x: No such file or directory":              `read /home/other/x outside policy.readable "/home/other/x"`,
		"touch: cannot touch '/srv/x/f': No such file or directory":  `write /srv/x/f outside sandbox.writable "/srv/x"`,
		"cat: /home/you/.ssh/id_rsa: No such file or directory":      `read /home/you/.ssh/id_rsa secret policy.readable "/home/you/.ssh/id_rsa"`,
		"cat: /home/you/notes: No such file or directory":            "",
		"cat: nothing: No such file or directory":                    "",
		"cat: /ws/nothing: No such file or directory":                "",
		"cat: /usr/nothing: No such file or directory":               "",
		"cat: /tmp/nothing: No such file or directory":               "",
		"touch: cannot touch '/tmp/no/f': No such file or directory": "",
		"cat: /proc/4711/status: No such file or directory":          "",
	} {
		got := ""
		for _, v := range s.Read(line) {
			got = strings.Join([]string{v.Op, v.Path, v.Rule, v.Grant}, " ")
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
}

// dash and Node have words of their own for a program that is not there.
func TestProgramsThatAreNotShownAreReadOffErrorLines(t *testing.T) {
	s := aScene()
	s.Mounts, s.Private = true, []string{"/home/you", "/tmp"}
	s.Unseen = func(name string) (string, bool) { return "/home/you/bin/mine", name == "mine" }
	for line, want := range map[string]string{
		"sh: 1: /srv/tool: not found":                     "sh /srv/tool",
		"/bin/sh: 12: /srv/a b/tool: not found":           "sh /srv/a b/tool",
		"build.sh: 3: /home/other/bin/x: not found\r\n":   "build.sh /home/other/bin/x",
		"sh: /srv/tool: not found":                        "sh /srv/tool", // busybox
		"dash: 1: /srv/../srv/tool: not found":            "dash /srv/tool",
		"/ws/scripts/build: 4: /srv/tool: not found":      "build /srv/tool",
		"make: /srv/tool: not found":                      "",
		"Error: spawn /srv/tool ENOENT":                   " /srv/tool",
		"    Error: spawnSync /srv/a b/tool ENOENT":       " /srv/a b/tool",
		"npm error enoent spawn /srv/tool ENOENT":         " /srv/tool",
		"  syscall: 'spawn /srv/tool',":                   "",
		"sh: 1: tool: not found":                          "",
		"sh: 1: mine: not found":                          "sh /home/you/bin/mine",
		"bash: line 1: mine: command not found":           "bash /home/you/bin/mine",
		"bash: mine: command not found":                   "bash /home/you/bin/mine",
		"mine: command not found":                         "",
		"bash: tool: command not found":                   "",
		"Error: spawn mine ENOENT":                        " /home/you/bin/mine",
		"sh: 1: ./mine: not found":                        "",
		"sh: 1: ./tool: not found":                        "",
		"sh: 1: /ws/tool: not found":                      "", // nobody has it
		"sh: 1: /usr/bin/tool: not found":                 "",
		"sh: 1: /toolchain/tool: not found":               "",
		"sh: 1: /tmp/tool: not found":                     "",
		"sh: 1: /home/you/bin/tool: not found":            "",
		"sh: 1: /proc/1/exe: not found":                   "",
		"sh: 1: /: not found":                             "",
		"Error: spawn tool ENOENT":                        "",
		"Error: spawn /ws/node_modules/.bin/tool ENOENT":  "",
		"respawn /srv/tool ENOENT":                        "",
		"404: /api/users: not found":                      "",
		"sh: 1: GET /api/users: not found":                "",
		"Error: /api/users: not found":                    "",
		"sh: 1: /srv/tool: not found in the registry":     "",
		"go: 1: https://example.org/srv/tool: not found":  "",
		"the step sh: 1: /srv/tool: not found was quoted": "",
	} {
		got := ""
		for _, v := range s.Read(line) {
			got = v.Process + " " + v.Path
			if v.Op != "read" || v.Rule != "outside" || v.Errno != "ENOENT" || v.Grant != fmt.Sprintf("policy.readable %q", strings.TrimSuffix(v.Path, "/mine")) || v.Attribution != sandbox.AttributionInferred {
				t.Errorf("%s: %+v", line, v)
			}
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
	s.Mounts = false // then it would be a permission that is missing
	if got := s.Read("sh: 1: /srv/tool: not found"); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestSocketsThatAreNotReachedAreReadOffErrorLines(t *testing.T) {
	s := aScene()
	s.Mounts, s.Private = true, []string{"/home/you", "/tmp"}
	s.Policy.Sockets = []string{"/run/listed.sock"}
	for line, want := range map[string]string{
		"dial unix /run/app/x.sock: connect: no such file or directory":                                                       `/run/app/x.sock policy.network.sockets "/run/app/x.sock"`,
		"psql: error: connection to server on socket \"/var/run/postgresql/.s.PGSQL.5432\" failed: No such file or directory": `/run/postgresql/.s.PGSQL.5432 policy.network.sockets "/run/postgresql/.s.PGSQL.5432"`,
		"ERROR 2002 (HY000): Can't connect to local MySQL server through socket '/run/mysqld/mysqld.sock' (2)":                `/run/mysqld/mysqld.sock policy.network.sockets "/run/mysqld/mysqld.sock"`,
		"Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?":                   "/run/docker.sock none: a program that reaches a container engine is root on this machine",
		"dial unix /run/listed.sock: connect: no such file or directory":                                                      "",
		"dial unix /tmp/own.sock: connect: no such file or directory":                                                         "",
		"dial unix /ws/own.sock: connect: no such file or directory":                                                          "",
		"listening on /run/app/x.sock": "",
	} {
		got := ""
		for _, v := range s.Read(line) {
			got = v.Path + " " + v.Grant
			if v.Op != "connect" || v.Rule != "socket" || v.Attribution != sandbox.AttributionInferred {
				t.Errorf("%s: %+v", line, v)
			}
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
	s.Mounts = false // where no socket can be given
	if got := s.Read("dial unix /run/app/x.sock: connect: permission denied"); len(got) != 1 || got[0].Grant != "" {
		t.Errorf("%+v", got)
	}
}

// What the policy allows was refused by the file's own permissions, and what names
// nothing tells nothing.
func TestOrdinaryErrorsAreNoRefusals(t *testing.T) {
	for _, line := range []string{
		"sh: 1: ./run.sh: Permission denied",
		"cat: secret: Permission denied",
		"cat: /ws/secret: Permission denied",
		"cat: /toolchain/x: Read only",
		"touch: cannot touch '/ws/dir/x': Permission denied",
		"cat: /etc/shadow: Permission denied",
		"sh: 1: cannot create /state/tmp/x: Permission denied",
		"sh: 1: cannot create /dev/null: Permission denied",
		"git@example.org: Permission denied (publickey).",
		"mount: only root can do that: Operation not permitted",
		"kill: (1) - Operation not permitted",
		"Permission denied",
		"No such file or directory: /srv",
		"cat: /home/you/notes: No such file or directory",
		"cat: /home/you/.sshd/x: No such file or directory",
		"cat: .ssh/id_rsa: No such file or directory",
		"",
	} {
		if got := aScene().Read(line); len(got) != 0 {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

func TestInReadOnlyModeWritingTheWorkspaceNeedsTheMode(t *testing.T) {
	s := aScene()
	s.Policy.Mode = sandbox.ReadOnly
	for _, line := range []string{"sh: 1: cannot create out: Permission denied", "touch: cannot touch 'out': Read-only file system"} {
		got := s.Read(line)
		if len(got) != 1 || got[0].Path != "/ws/sub/out" || got[0].Grant != `sandbox.mode "workspace-write"` {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

// At rungs with mounts the private TMPDIR is /tmp, where a workspace may lie.
func TestAWorkspaceBelowTheOwnDirectoriesIsNotTheirs(t *testing.T) {
	s := aScene()
	s.Policy.Mode, s.Private = sandbox.ReadOnly, []string{"/"}
	if got := s.Read("sh: 1: cannot create out: Read-only file system"); len(got) != 1 {
		t.Errorf("%+v", got)
	}
	if got := s.Read("sh: 1: cannot create /tmp/out: Permission denied"); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestAnAllowedNetworkRefusesNothing(t *testing.T) {
	s := aScene()
	s.Policy.Network = sandbox.NetworkAllow
	if got := s.Read("curl: (6) Could not resolve host: example.org"); got != nil {
		t.Errorf("%+v", got)
	}
	if got := aScene().Read("npm error code EAI_AGAIN\nnpm error errno EAI_AGAIN"); got != nil {
		t.Errorf("no host is named: %+v", got)
	}
}

func TestEqualLinesAreCountedAndTheRowsBounded(t *testing.T) {
	line := "cat: /srv/a: Permission denied\n"
	got := aScene().Read(strings.Repeat(line, 3))
	if len(got) != 1 || got[0].Count != 3 {
		t.Errorf("%+v", got)
	}
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, "cat: /srv/%d: Permission denied\n", i)
	}
	if got := aScene().Read(many.String()); len(got) != inferMost {
		t.Errorf("%d rows", len(got))
	}
}

// Whatever a program prints, nothing panics and no path is relative.
func FuzzInfer(f *testing.F) {
	f.Add("a: 'x: Permission denied: '")
	f.Add("‘: permission denied, '")
	f.Add("\xff/\x00: Read-only file system")
	f.Fuzz(func(t *testing.T, text string) {
		for _, v := range aScene().Read(text) {
			if v.Rule == "outside" && !strings.HasPrefix(v.Path, "/") || v.Attribution != sandbox.AttributionInferred {
				t.Errorf("%+v", v)
			}
		}
	})
}

// On Windows everything can be read: what is denied was to be written.
func TestWhatWindowsDeniesIsAWrite(t *testing.T) {
	s := aScene()
	s.Written = true
	for line, path := range map[string]string{
		"Access to the path '/srv/x/f' is denied.":                  "/srv/x/f",
		"open /srv/x/f: Access is denied.":                          "/srv/x/f",
		"PermissionError: [Errno 13] Permission denied: '/srv/x/f'": "/srv/x/f",
	} {
		got := s.Read(line)
		if len(got) != 1 || got[0].Op != "write" || got[0].Path != path || got[0].Grant != `sandbox.writable "/srv/x"` {
			t.Errorf("%s: %+v", line, got)
		}
	}
	if got := aScene().Read("open /srv/x/f: Access is denied."); len(got) != 0 {
		t.Errorf("no word of this platform's: %+v", got)
	}
	if got := s.Read("Access is denied."); len(got) != 0 {
		t.Errorf("nothing is named: %+v", got)
	}
}
