package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// policyOf writes the user's policy file and answers its path.
func policyOf(t *testing.T, home, text string) string {
	t.Helper()
	path := filepath.Join(home, ".config/pillion/policy.toml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheUsersPolicyLoosensAndTightens(t *testing.T) {
	home := user(t)
	policyOf(t, home, `
allowNetwork = true
readable = ["/opt/data/"]
path = ["/opt/bin/", "/opt/data"]
env = {MAVEN_OPTS = "-Xmx2g"}
roots = ["...", "/srv"]
programs = ["/bin", "...", "~/bin"]
[rules]
"program/*" = "allow"
"program/outside" = "deny"
[sandbox]
network = "allow"
[limits]
maxConcurrent = 40
[[rule]]
id = "x"
decision = "ask"
prefix = ["x"]
`)
	c, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	if !c.Grants.Network || c.Grants.Off || c.Sandbox.Network != sandbox.NetworkAllow || !slices.Contains(c.Sandbox.Readable, "/opt/data") || c.Limits.MaxConcurrent != 40 {
		t.Errorf("%+v %+v", c.Grants, c.Sandbox)
	}
	if !slices.Equal(c.Path, []string{"/opt/bin", "/opt/data"}) || !slices.Contains(c.Sandbox.Readable, "/opt/bin") || c.OwnEnv["MAVEN_OPTS"] != "-Xmx2g" {
		t.Errorf("%q %q %q", c.Path, c.Sandbox.Readable, c.OwnEnv)
	}
	p := c.Guard
	if !slices.Equal(p.Roots, []string{"/tmp", "/var/tmp", "/srv"}) || p.Programs[0] != "/bin" || p.Programs[len(p.Programs)-1] != "~/bin" || len(p.Programs) != len(guard.DefaultPolicy().Programs)+1 {
		t.Errorf("%q %q", p.Roots, p.Programs)
	}
	if p.Decision("program/unknown") != guard.Allow || p.Decision("program/outside") != guard.Deny || len(p.Custom) != 1 {
		t.Errorf("%v", p.Decisions)
	}
}

func TestNoPolicyFileIsNoPolicy(t *testing.T) {
	home := user(t)
	c, err := Default()
	if err != nil || c.Guard.Hash() != guard.DefaultPolicy().Hash() || c.PolicyFile != filepath.Join(home, ".config/pillion/policy.toml") {
		t.Errorf("%v, %s", err, c.PolicyFile)
	}
}

func TestAWrongPolicyFileIsAnError(t *testing.T) {
	home := user(t)
	path := policyOf(t, home, "allowNetwork = true\nallowOf = true\n")
	_, err := Default()
	var mistakes *FileError
	if !errors.As(err, &mistakes) || err.Error() != path+":2:1: allowOf: there is no such key; did you mean allowOff?" {
		t.Error(err)
	}
}

func TestWhereTheUsersPolicyIs(t *testing.T) {
	none := func(string) string { return "" }
	set := func(name, value string) getenv {
		return func(n string) string {
			if n == name {
				return value
			}
			return ""
		}
	}
	abs, err := filepath.Abs("/x")
	if err != nil {
		t.Fatal(err)
	}
	for want, got := range map[string]string{
		"/h/.config/pillion/policy.toml":             policyFile(none, "/h", "linux"),
		"/x/pillion/policy.toml":                     policyFile(set("XDG_CONFIG_HOME", "/x"), "/h", "darwin"),
		"/h/.config/pillion/policy.toml ":            policyFile(set("XDG_CONFIG_HOME", "relative"), "/h", "linux"),
		filepath.Join(abs, "pillion", "policy.toml"): policyFile(set("APPDATA", abs), "/h", "windows"),
	} {
		if filepath.ToSlash(got) != strings.TrimSpace(filepath.ToSlash(want)) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestOnlyTheUserMayWriteThePolicy(t *testing.T) {
	const mine, other = 1000, 1001
	for _, c := range []struct {
		mode  os.FileMode
		owner int
		want  string
	}{
		{0o600, mine, ""},
		{0o644, mine, ""},
		{0o444, 0, ""}, // a file of the Nix store
		{0o600, other, "belongs to user 1001, not to you; chown it"},
		{0o660, mine, "others can write it (0660); run: chmod go-w '/p'"},
		{0o602, mine, "others can write it (0602)"},
		{0o666, 0, "others can write it (0666)"},
	} {
		if got := untrusted("/p", c.mode, c.owner, mine); !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%o of %d: %q", c.mode, c.owner, got)
		}
	}
}

func TestTheEditorComesAfterTheUser(t *testing.T) {
	home := user(t)
	policyOf(t, home, "profile = \"balanced\"\nallowNetwork = true\n[rules]\n\"program/unknown\" = \"deny\"\n\"code/unknown\" = \"deny\"\n[[rule]]\nid = \"mine\"\ndecision = \"ask\"\nprefix = [\"x\"]\n")
	c, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	yes := true
	got, err := c.With(InitOptions{Profile: "balanced", Policy: PolicyOptions{
		Rules: map[string]guard.Decision{"program/unknown": guard.Allow}, RestrictToWorkspace: &yes, AllowPatterns: []string{"a"}, Roots: []string{sofar, "/srv"},
		Rule:    []RuleOptions{{ID: "editor", Decision: guard.Deny, Prefix: []any{"y", []any{"a", "b"}}}},
		Sandbox: SandboxOptions{Network: sandbox.NetworkAllow}, Limits: LimitOptions{MaxQueued: 3},
	}, Limits: LimitOptions{MaxQueued: 4}})
	if err != nil {
		t.Fatal(err)
	}
	p := got.Guard
	if p.Decision("program/unknown") != guard.Allow || p.Decision("code/unknown") != guard.Deny || len(p.Custom) != 2 || p.Custom[1].Prefix[1][1] != "b" || !p.Restrict ||
		!slices.Equal(p.AllowPatterns, []string{"a"}) || got.Sandbox.Network != sandbox.NetworkAllow || got.Limits.MaxQueued != 4 || p.Roots[2] != "/srv" {
		t.Errorf("%+v", got)
	}
	if c.Guard.Decision("program/unknown") != guard.Deny || len(c.Guard.Custom) != 1 {
		t.Error("With changed the user's configuration")
	}
}

func TestTheEditorsPolicyIsCheckedLikeAFile(t *testing.T) {
	for path, o := range map[string]PolicyOptions{
		"/policy/rules/fs~1delete-sistem": {Rules: map[string]guard.Decision{"fs/delete-sistem": guard.Ask}},
		"/policy/rules/program~1unknown":  {Rules: map[string]guard.Decision{"program/unknown": "no"}},
		"/policy/rule/0/decision":         {Rule: []RuleOptions{{ID: "x", Decision: "allow", Prefix: []any{"x"}}}},
		"/policy/rule/0/prefix/0":         {Rule: []RuleOptions{{ID: "x", Decision: "ask", Prefix: []any{1.5}}}},
		"/policy/rule/0/match/0":          {Rule: []RuleOptions{{ID: "x", Decision: "ask", Prefix: []any{"x"}, Match: []string{"y"}}}},
		"/policy/allowPatterns/0":         {AllowPatterns: []string{"("}},
		"/policy/sandbox/network":         {Sandbox: SandboxOptions{Network: sandbox.NetworkAllow}},
		"/policy/sandbox/mode":            {Sandbox: SandboxOptions{Mode: "none"}},
		"/policy/limits/maxQueued":        {Limits: LimitOptions{MaxQueued: -1}},
		"/policy/profile":                 {Profile: "nonsense"},
	} {
		_, err := base().With(InitOptions{Policy: o})
		refused(t, err, path)
	}
	_, err := base().With(InitOptions{Profile: "balanced", Policy: PolicyOptions{Profile: "other"}})
	refused(t, err, "/policy/profile")
}

func TestShellWithoutASandboxNeedsItsGrant(t *testing.T) {
	no := false
	closed, err := base().With(InitOptions{Policy: PolicyOptions{Shell: ShellOptions{Sandbox: &no}}})
	if err != nil || closed.Guard.Closed == "" || closed.Sandbox.Mode == sandbox.Off {
		t.Errorf("%v %+v", err, closed.Guard)
	}
	open, err := base().With(InitOptions{Policy: PolicyOptions{AllowOff: true, Shell: ShellOptions{Sandbox: &no}}})
	if err != nil || open.Guard.Closed != "" || open.Sandbox.Mode != sandbox.Off {
		t.Errorf("%v %+v", err, open.Guard)
	}
}

func TestValidateFileGoesByTheName(t *testing.T) {
	dir := t.TempDir()
	for name, grants := range map[string]bool{"policy.toml": true, ".pillion.toml": false, "x.toml": true} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("allowOff = true\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := ValidateFile(path, ""); (err == nil) != grants {
			t.Errorf("%s: %v", name, err)
		}
		if err := ValidateFile(path, WorkspaceFileKind); err == nil {
			t.Errorf("%s as a workspace file: no error", name)
		}
		if err := ValidateFile(path, UserFile); err != nil {
			t.Error(err)
		}
		if err := ValidateFile(path, "other"); err == nil {
			t.Error("a kind that doesn't exist")
		}
	}
	if err := os.Symlink("policy.toml", dir+"/link"); err != nil {
		t.Fatal(err)
	}
	if err := ValidateFile(dir+"/link", UserFile); err != nil {
		t.Error(err)
	}
	if err := ValidateFile(dir+"/link", WorkspaceFileKind); err == nil || !strings.Contains(err.Error(), "symlink") {
		t.Error(err)
	}
	if err := ValidateFile(dir+"/none", ""); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := ValidateFile(dir, UserFile); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
}
