package config

import (
	"errors"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

func TestAWrongHostOrSocketIsNamedWithItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"[network]\nallow = [\"ok.example\", \"https://example.org/x\"]":              "policy.toml:2:24: network.allow[1]: ",
		"[network]\ndeny = [\"a b\"]":                                                 "policy.toml:2:9: network.deny[0]: ",
		"[network]\nallow = [\"ok.example:0\"]":                                       "policy.toml:2:10: network.allow[0]: ",
		"[network]\nsockets = [\"agent.sock\"]":                                       "policy.toml:2:12: network.sockets[0]: expected an absolute path",
		"[network]\nsockets = [\"$9\"]":                                               "policy.toml:2:12: network.sockets[0]: expected an absolute path",
		"[network]\nalow = []":                                                        "policy.toml:2:1: network.alow: there is no such key; did you mean allow?",
		"[network]\nallow = [\"ok.example\"" + strings.Repeat(",\"a.b\"", 1024) + "]": "policy.toml:2:1: network.allow: expected at most 1024 hosts, got 1025",
	} {
		_, err := parse(UserFile, "policy.toml", []byte(text))
		var wrong *FileError
		if !errors.As(err, &wrong) || !strings.HasPrefix(wrong.First(), want) {
			t.Errorf("%.60q: %v, want %s…", text, err, want)
		}
	}
}

// The order of trust: the user's hosts and the editor's add up, a workspace takes
// some of them away.
func TestHostsAddUpAndAWorkspaceTakesSomeAway(t *testing.T) {
	c := base()
	user, err := parse(UserFile, "policy.toml", []byte("[sandbox]\nnetwork = \"proxy\"\n[network]\nallow = [\"a.example\", \"b.example:*\"]\ndeny = [\"x.example\"]"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.layer(user); err != nil {
		t.Fatal(err)
	}
	c, err = c.With(InitOptions{Policy: PolicyOptions{Network: NetworkOptions{Allow: []string{"c.example"}, Deny: []string{"y.example"}}}})
	if err != nil || !slices.Equal(c.Hosts.Allow, []string{"a.example", "b.example:*", "c.example"}) || !slices.Equal(c.Hosts.Deny, []string{"x.example", "y.example"}) {
		t.Errorf("%v %v", c.Hosts, err)
	}
	c = c.Tighten([]*WorkspaceFile{workspaceFile(t, `network = {allow = ["c.example", "a.example"]}`), workspaceFile(t, `network = {allow = ["c.example"], deny = ["z.example"]}`)})
	if !slices.Equal(c.Hosts.Allow, []string{"c.example"}) || !slices.Equal(c.Hosts.Deny, []string{"x.example", "y.example", "z.example"}) {
		t.Errorf("%v", c.Hosts)
	}
}

func TestPortsOfTheHostAreGivenByTheUserAlone(t *testing.T) {
	with := func(ports ...int) InitOptions {
		return InitOptions{Policy: PolicyOptions{Network: NetworkOptions{Ports: ports}}}
	}
	balanced := base()
	balanced.Guard = guard.DefaultPolicy()
	c, err := balanced.With(with(5432, 6379))
	if err != nil || c.Sandbox.Network != sandbox.NetworkProxy || !c.NetworkImplied {
		t.Errorf("%+v, %v", c.Sandbox, err)
	}
	fewer := c.Tighten([]*WorkspaceFile{workspaceFile(t, "network = {ports = [6379, 22]}")})
	if !slices.Equal(fewer.Sandbox.HostPorts, []int{6379}) {
		t.Errorf("a file of the workspace leaves %v", fewer.Sandbox.HostPorts)
	}
	for port, refused := range map[int]bool{5432: false, 22: true} {
		if _, bad := base().Change(with(5432, 6379), with(port)); (len(bad) > 0) != refused {
			t.Errorf("settings that come later, with %d: %v", port, bad)
		}
	}
}

func TestCredentialsAreLentWhereTheUserSaysAndNowhereElse(t *testing.T) {
	with := func(hosts ...string) InitOptions {
		return InitOptions{Policy: PolicyOptions{Network: NetworkOptions{Credentials: hosts}}}
	}
	balanced := base()
	balanced.Guard = guard.DefaultPolicy()
	c, err := balanced.With(with("a.example", "b.example:8443"))
	if err != nil || c.Sandbox.Network != sandbox.NetworkProxy || len(c.Sandbox.Logins) != 2 {
		t.Errorf("%+v, %v", c.Sandbox, err)
	}
	fewer := c.Tighten([]*WorkspaceFile{workspaceFile(t, `network = {credentials = ["a.example", "evil.example"]}`)})
	if !slices.Equal(fewer.Sandbox.Logins, []string{"a.example"}) {
		t.Errorf("a file of the workspace leaves %v", fewer.Sandbox.Logins)
	}
	for host, refused := range map[string]bool{"a.example": false, "evil.example": true} {
		if _, bad := base().Change(with("a.example"), with(host)); (len(bad) > 0) != refused {
			t.Errorf("settings that come later, with %s: %v", host, bad)
		}
	}
	for _, bad := range []string{"*.example", "https://a.example", "a.example:0", "10.0.0.0/8", "", "a.example/x"} {
		if _, err := base().With(with(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestSocketsAreFoundWhereTheirVariableSays(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	agent, plain, link := filepath.Join(dir, "agent"), filepath.Join(dir, "plain"), filepath.Join(dir, "link")
	l, err := net.Listen("unix", agent)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	if err := errors.Join(os.WriteFile(plain, nil, 0o600), os.Symlink(agent, link)); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"AGENT": link, "FILE": plain, "GONE": filepath.Join(dir, "gone"), "RELATIVE": "agent"}
	paths, vars := Config{Sockets: []string{"$AGENT", agent, "$FILE", "$GONE", "$RELATIVE", "$UNSET", plain}}.hostSockets(func(n string) string { return env[n] }, func(path string) string {
		at, _ := filepath.EvalSymlinks(path)
		return at
	})
	if !slices.Equal(paths, []string{agent}) || !maps.Equal(vars, map[string]string{"AGENT": agent}) {
		t.Errorf("%v %v", paths, vars)
	}
}
