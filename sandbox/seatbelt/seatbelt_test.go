package seatbelt

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// macSandbox is how a sandbox of a policy is laid out on macOS.
func macSandbox(p policy.Policy) Profile {
	const dir = "/Users/you/.local/state/pillion/sandboxes/1"
	return Profile{
		Policy: p, Home: dir + "/home", Tmp: dir + "/tmp", User: "/Users/you", State: "/Users/you/.local/state/pillion",
		Self: "/usr/local/bin/pillion", Box: dir + "/box", Mark: dir + "/marks/1",
	}
}

// policyShapes are one of every kind; each has its golden profile.
var policyShapes = map[string]Profile{
	"read-only":       macSandbox(policy.Policy{Mode: policy.ReadOnly, Network: policy.NetworkDeny, Reads: policy.ReadsPrivate, Writable: []string{"/Users/you/ws"}}),
	"workspace-write": macSandbox(policy.Policy{Mode: policy.WorkspaceWrite, Network: policy.NetworkDeny, Reads: policy.ReadsPrivate, Writable: []string{"/Users/you/ws"}, Readable: []string{"/Users/you/ws", "/Users/you/go/pkg/mod"}}),
	"reads-all":       macSandbox(policy.Policy{Mode: policy.WorkspaceWrite, Network: policy.NetworkDeny, Reads: policy.ReadsAll, Writable: []string{"/Users/you/ws"}}),
	"network-allow":   macSandbox(policy.Policy{Mode: policy.ReadOnly, Network: policy.NetworkAllow, Reads: policy.ReadsPrivate}),
	"several-roots": macSandbox(policy.Policy{
		Mode: policy.WorkspaceWrite, Network: policy.NetworkDeny, Reads: policy.ReadsPrivate, Writable: []string{"/Users/you/ws", "/Volumes/big/a/b"},
		Caches: []string{"/Users/you/.local/state/pillion/caches/1"}, Outputs: "/Users/you/.local/state/pillion/outputs/1",
	}),
	"sockets": macSandbox(policy.Policy{Mode: policy.ReadOnly, Network: policy.NetworkDeny, Reads: policy.ReadsPrivate, Sockets: []string{"/private/tmp/com.apple.launchd.x/Listeners"}}),
	"a-secret-granted": macSandbox(policy.Policy{
		Mode: policy.WorkspaceWrite, Network: policy.NetworkDeny, Reads: policy.ReadsPrivate, Readable: []string{"/Users/you", "/Users/you/.aws/config"}, Writable: []string{"/Users/you/.config/gh/ws"},
	}),
	"self-test": macSandbox(policy.Policy{
		Mode: policy.WorkspaceWrite, Network: policy.NetworkDeny, Reads: policy.ReadsPrivate,
		Writable: []string{"/Users/you/.local/state/pillion/sandboxes/2/workspace"}, Readable: []string{"/Users/you/.local/state/pillion/sandboxes/2/readable"},
	}),
	"proxy": func() Profile {
		s := macSandbox(policy.Policy{Mode: policy.ReadOnly, Network: policy.NetworkProxy, Reads: policy.ReadsPrivate})
		s.Port = 49152
		return s
	}(),
}

func TestProfilesOfEveryPolicyShape(t *testing.T) {
	for name, s := range policyShapes {
		text, params := s.Text()
		newProfile(t, text, params)
		for _, p := range params {
			text += "; " + p.name + "=" + p.value + "\n"
		}
		file := filepath.Join("testdata", name+".sb")
		if *update {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || string(want) != text {
			t.Errorf("%s: %v; the profile is not what its golden file says; make generate writes it", name, err)
		}
	}
}

// Each row is asked of the profile as the kernel does, on a file or a name that may
// be absent.
func TestWhatAProfileAllows(t *testing.T) {
	asked := map[string]*sbProfile{}
	for name, s := range policyShapes {
		text, params := s.Text()
		asked[name] = newProfile(t, text, params)
	}
	const write, create, unlink, read = "file-write-data", "file-write-create", "file-write-unlink", "file-read-data"
	for _, tc := range []struct {
		shape, operation, path string
		want                   bool
	}{
		{"workspace-write", write, "/Users/you/ws/a/b.go", true},
		{"workspace-write", create, "/Users/you/ws2/x", false},
		{"workspace-write", create, "/Users/you/.zshrc", false},
		{"workspace-write", create, "/private/tmp/x", false},
		{"workspace-write", create, "/Users/you/go/pkg/mod/x", false},
		{"workspace-write", "file-write-mode", "/etc/hosts", false},
		{"workspace-write", "file-write-xattr", "/Users/you/notes", false},
		{"workspace-write", unlink, "/Users/you/ws", false},
		{"workspace-write", "file-link", "/Users/you/ws/.git/config", false},
		{"workspace-write", read, "/Users/you/go/pkg/mod/x", true},
		{"workspace-write", read, "/Users/you/notes", false},
		{"workspace-write", read, "/Users/you/.ssh/id_ed25519", false},
		{"workspace-write", read, "/private/etc/hosts", true},
		{"workspace-write", read, "/private/etc/master.passwd", false},
		{"workspace-write", read, "/System/Volumes/Data/Users/you/notes", false},
		{"workspace-write", read, "/usr/lib/libSystem.B.dylib", true},
		{"workspace-write", "file-read-metadata", "/Users/you", true},
		{"workspace-write", "network-outbound", "/private/var/run/docker.sock", false},
		{"workspace-write", "lsopen", "/Applications/Calculator.app", false},
		{"read-only", write, "/Users/you/ws/a", false},
		{"read-only", read, "/Users/you/ws/a", true},
		{"read-only", create, "/Users/you/.local/state/pillion/sandboxes/1/tmp/x", true},
		{"read-only", create, "/Users/you/.local/state/pillion/sandboxes/2/tmp/x", false},
		{"read-only", read, "/Users/you/.local/state/pillion/sandboxes/2/home/x", false},
		{"read-only", unlink, "/Users/you/.local/state/pillion/sandboxes/1/home", false},
		{"read-only", read, "/Users/you/.local/state/pillion/sandboxes/1/marks/2", false},
		{"read-only", write, "/Users/you/.local/state/pillion/sandboxes/1/marks/2", false},
		{"read-only", write, "/Users/you/.local/state/pillion/sandboxes/1/marks/1", true},
		{"read-only", create, "/Users/you/.local/state/pillion/sandboxes/1/marks/1", false},
		{"reads-all", read, "/Users/you/notes", true},
		{"reads-all", read, "/Users/you/.ssh/id_ed25519", false},
		{"reads-all", read, "/Users/you/Library/Keychains/login.keychain-db", false},
		{"reads-all", read, "/Users/you/.local/state/pillion/sandboxes/2/home/x", false},
		{"reads-all", read, "/Users/you/.local/state/pillion/sandboxes/1/home/x", true},
		{"reads-all", write, "/Users/you/notes", false},
		{"a-secret-granted", read, "/Users/you/.aws/config", true},
		{"a-secret-granted", read, "/Users/you/.aws/credentials", false},
		{"a-secret-granted", write, "/Users/you/.config/gh/ws/a", true},
		{"a-secret-granted", read, "/Users/you/.config/gh/hosts.yml", false},
		{"self-test", create, "/Users/you/.local/state/pillion/sandboxes/2/workspace/canary", true},
		{"self-test", create, "/Users/you/.local/state/pillion/sandboxes/2/workspace/.git/hooks/x", false},
		{"self-test", read, "/Users/you/.local/state/pillion/sandboxes/2/readable/outside", true},
		{"self-test", write, "/Users/you/.local/state/pillion/sandboxes/2/readable/outside", false},
		{"self-test", read, "/Users/you/.local/state/pillion/sandboxes/2/secret", false},
		{"several-roots", write, "/Volumes/big/a/b/c", true},
		{"several-roots", write, "/Volumes/big/a/c", false},
		{"several-roots", create, "/Volumes/big/a/b/.git/hooks/pre-commit", false},
		{"several-roots", write, "/Users/you/.local/state/pillion/caches/1/.vscode/x", true},
		{"several-roots", read, "/Users/you/.local/state/pillion/outputs/1/x", true},
		{"several-roots", write, "/Users/you/.local/state/pillion/outputs/1/x", false},
		{"sockets", "network-outbound", "/private/tmp/com.apple.launchd.x/Listeners", true},
		{"sockets", "network-outbound", "/private/tmp/com.apple.launchd.x/Other", false},
		{"network-allow", "network-outbound", "/private/var/run/docker.sock", false},
	} {
		if got := asked[tc.shape].allows(tc.operation, tc.path); got != tc.want {
			t.Errorf("%s: %s %s: %v", tc.shape, tc.operation, tc.path, got)
		}
	}
}

// No directory is moved from under saved outputs.
func TestTheWayToOutputsStays(t *testing.T) {
	s := macSandbox(policy.Policy{Mode: policy.WorkspaceWrite, Network: policy.NetworkDeny, Reads: policy.ReadsPrivate, Writable: []string{"/ws"}, Outputs: "/ws/a/b/out"})
	text, params := s.Text()
	p := newProfile(t, text, params)
	for _, path := range []string{"/ws/a", "/ws/a/b", "/ws/a/b/out", "/ws/a/b/out/1"} {
		if p.allows("file-write-unlink", path) {
			t.Errorf("%s can be moved", path)
		}
	}
	if !p.allows("file-write-unlink", "/ws/c") || !p.allows("file-write-create", "/ws/a/c") {
		t.Error("too much is denied")
	}
}

// Whatever a path holds, the text of the profile stays the same, and so does the
// form of the command line.
func FuzzPathsNeverReachTheProfile(f *testing.F) {
	for _, s := range []string{
		`a`, `")(allow default)("`, `#"^/"`, "a\nb", "a\x00b", `a\`, `(param "USER")`, "ünïcode\u202e", "\xff\xfe", ";x", "-D", "=", "'$(x)'", strings.Repeat("x", 5000), "--", ".git/hooks", "a b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		part := strings.ReplaceAll(name, "/", "_")
		build := func(part string) Profile {
			s := macSandbox(policy.Policy{
				Mode: policy.WorkspaceWrite, Network: policy.NetworkDeny, Reads: policy.ReadsPrivate, Writable: []string{"/Users/" + part}, Readable: []string{"/opt/" + part},
				Caches: []string{"/c/" + part}, Outputs: "/o/" + part, Sockets: []string{"/s/" + part},
			})
			s.Home, s.Tmp, s.User, s.Self = "/h/"+part, "/t/"+part, "/u/"+part, "/p/"+part
			return s
		}
		plain, _ := build("plain").Text()
		text, params := build(part).Text()
		if text != plain {
			t.Fatalf("the path %q is in the profile's text", part)
		}
		p := newProfile(t, text, params)
		if part != "" && p.allows("file-write-create", "/Users/"+part+"/.git/hooks/x") {
			t.Errorf("a hook can be made below %q", part)
		}
		argv, err := build(part).Argv("/bin/echo", "-p", part)
		if strings.ContainsRune(part, 0) {
			if err == nil {
				t.Error("a NUL was accepted")
			}
			return
		}
		end := slices.Index(argv, "--")
		if err != nil || argv[0] != sandboxExec || argv[1] != "-p" || argv[2] != plain || !slices.Equal(argv[end+1:], []string{"/bin/echo", "-p", part}) {
			t.Fatalf("%v: %q", err, argv)
		}
		for i, a := range argv[3:end] {
			if i%2 == 0 && a != "-D" || i%2 == 1 && !strings.HasPrefix(a, params[i/2].name+"=") {
				t.Errorf("%q stands among the parameters", a)
			}
		}
	})
}

var update = flag.Bool("update", false, "write testdata")
