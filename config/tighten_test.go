package config

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/egress"
)

// loose is a user who granted everything.
func loose() Config {
	c := base()
	c.Guard = guard.DefaultPolicy()
	c.Guard.Decisions = map[string]guard.Decision{"program/unknown": guard.Allow, "code/unknown": guard.Deny}
	c.Sandbox.Mode, c.Sandbox.Network, c.Sandbox.Reads, c.Sandbox.Require = sandbox.Off, sandbox.NetworkAllow, sandbox.ReadsAll, sandbox.RequireBestEffort
	c.Hosts, c.Sockets = egress.Rules{Allow: []string{"a.example", "*.b.example"}, Deny: []string{"c.example"}}, []string{"$SSH_AUTH_SOCK"}
	c.Grants = executor.Grants{Off: true, Network: true, ReadsAll: true, NoTimeout: true, EnvAll: true, Writable: []string{"/srv"}}
	return c
}

func workspaceFile(t *testing.T, text string) *WorkspaceFile {
	t.Helper()
	f, err := ParseWorkspace(WorkspaceFileName, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// stricterOnly is the promise: key by key nothing is looser than before.
func stricterOnly(t *testing.T, o PolicyOptions) {
	t.Helper()
	for _, before := range []Config{loose(), base()} {
		after := before.Tighten([]*WorkspaceFile{{policy: o}})
		for _, r := range guard.Rules() {
			if strictness(after.Guard.Decision(r.ID)) < strictness(before.Guard.Decision(r.ID)) {
				t.Errorf("%s became looser", r.ID)
			}
		}
		b, a := before.Sandbox, after.Sandbox
		if slices.Index(modes, a.Mode) > slices.Index(modes, b.Mode) || slices.Index(networks, a.Network) > slices.Index(networks, b.Network) ||
			slices.Index(reads, a.Reads) > slices.Index(reads, b.Reads) || slices.Index(requires, a.Require) > slices.Index(requires, b.Require) {
			t.Errorf("the sandbox became looser: %+v", a)
		}
		if !cmp.Equal(a.Readable, b.Readable) || !cmp.Equal(a.Writable, b.Writable) || !cmp.Equal(before.Grants, after.Grants) || !cmp.Equal(before.RootGrants, after.RootGrants) ||
			!cmp.Equal(after.Path, before.Path) || !cmp.Equal(after.OwnEnv, before.OwnEnv) || !cmp.Equal(a.HomeFiles, b.HomeFiles) {
			t.Error("grants changed")
		}
		f := &comparison{}
		if f.network(before, after); len(f.bad) > 0 {
			t.Errorf("the network became looser: %v", f.bad)
		}
		if y, x := after.Limits, before.Limits; y.MaxCommandBytes > x.MaxCommandBytes || y.MaxConcurrent > x.MaxConcurrent || y.MaxQueued > x.MaxQueued || y.MaxChunkBytes > x.MaxChunkBytes ||
			y.StreamMaxBytes > x.StreamMaxBytes || y.SpoolMaxBytes > x.SpoolMaxBytes || y.SpoolTailBytes > x.SpoolTailBytes || y.SpoolTotalBytes > x.SpoolTotalBytes ||
			y.Retention > x.Retention || y.RetainedExecs > x.RetainedExecs || y.InlineMaxBytes > x.InlineMaxBytes || y.DefaultTimeout > x.DefaultTimeout {
			t.Errorf("limits became looser: %+v", y)
		}
		if len(after.Guard.Custom) < len(before.Guard.Custom) || len(after.Guard.Filters) < len(before.Guard.Filters) || before.Guard.Restrict && !after.Guard.Restrict ||
			after.Guard.Closed != before.Guard.Closed || !cmp.Equal(after.Guard.AllowPatterns, before.Guard.AllowPatterns) || after.Guard.ID != before.Guard.ID {
			t.Errorf("the guard became looser: %+v", after.Guard)
		}
		for _, root := range after.Guard.Roots {
			if narrowed(before.Guard.Roots, []string{root}) == nil || !slices.Contains(narrowed(before.Guard.Roots, []string{root}), root) {
				t.Errorf("the root %s was added", root)
			}
		}
	}
}

func TestTighteningKeyByKey(t *testing.T) {
	for text, check := range map[string]func(c Config) bool{
		`rules = {"program/unknown" = "ask"}`:                 func(c Config) bool { return c.Guard.Decision("program/unknown") == guard.Ask },
		`rules = {"code/unknown" = "ask"}`:                    func(c Config) bool { return c.Guard.Decision("code/unknown") == guard.Deny },
		`rules = {"code/*" = "deny"}`:                         func(c Config) bool { return c.Guard.Decision("code/unknown") == guard.Deny },
		`roots = ["/tmp/x", "/etc"]`:                          func(c Config) bool { return slices.Equal(c.Guard.Roots, []string{"/tmp/x"}) },
		`roots = ["/"]`:                                       func(c Config) bool { return slices.Equal(c.Guard.Roots, []string{"/tmp", "/var/tmp"}) },
		`roots = ["/tm"]`:                                     func(c Config) bool { return len(c.Guard.Roots) == 0 },
		`roots = []`:                                          func(c Config) bool { return len(c.Guard.Roots) == 0 },
		`programs = ["/usr/bin", "/opt/evil"]`:                func(c Config) bool { return slices.Equal(c.Guard.Programs, []string{"/usr/bin"}) },
		`programs = ["~/go/bin/x"]`:                           func(c Config) bool { return slices.Equal(c.Guard.Programs, []string{"~/go/bin/x"}) },
		`restrictToWorkspace = true`:                          func(c Config) bool { return c.Guard.Restrict },
		`allowPatterns = ["a"]`:                               func(c Config) bool { return cmp.Equal(c.Guard.Filters, [][]string{{"a"}}) },
		`sandbox = {mode = "workspace-write"}`:                func(c Config) bool { return c.Sandbox.Mode == "workspace-write" && c.Bounds.Mode == "workspace-write" },
		`sandbox = {network = "deny"}`:                        func(c Config) bool { return c.Sandbox.Network == "deny" && c.Bounds.Network == "deny" },
		`sandbox = {network = "proxy"}`:                       func(c Config) bool { return c.Sandbox.Network == "proxy" && c.Bounds.Network == "proxy" },
		`network = {allow = ["a.example"]}`:                   func(c Config) bool { return slices.Equal(c.Hosts.Allow, []string{"a.example"}) },
		`network = {allow = ["evil.example", "x.b.example"]}`: func(c Config) bool { return len(c.Hosts.Allow) == 0 },
		`network = {deny = ["x.b.example"]}`: func(c Config) bool {
			return len(c.Hosts.Allow) == 2 && slices.Equal(c.Hosts.Deny, []string{"c.example", "x.b.example"})
		},
		`network = {sockets = ["/run/evil.sock"]}`:   func(c Config) bool { return len(c.Sockets) == 0 },
		`sandbox = {reads = "private"}`:              func(c Config) bool { return c.Sandbox.Reads == "private" && c.Bounds.Reads == "private" },
		`sandbox = {require = "enforced"}`:           func(c Config) bool { return c.Sandbox.Require == "enforced" && c.Bounds.Require == "enforced" },
		`limits = {timeoutMs = 1000}`:                func(c Config) bool { return c.Limits.DefaultTimeout == time.Second },
		`limits = {inputWaitMs = 1000}`:              func(c Config) bool { return c.Limits.InputWait == time.Second },
		`limits = {timeoutMs = 9223372036854775807}`: func(c Config) bool { return c.Limits.DefaultTimeout == 120*time.Second },
		`limits = {spoolMaxBytes = 1000}`:            func(c Config) bool { return c.Limits.SpoolMaxBytes == 1000 && c.Limits.SpoolTailBytes == 500 },
		`limits = {retentionMs = 0}`:                 func(c Config) bool { return c.Limits.Retention == 0 && c.Limits.RetainedExecs == 64 },
		`limits = {retainedExecs = 1000}`:            func(c Config) bool { return c.Limits.RetainedExecs == 64 },
		`limits = {retentionMs = 9000000}`:           func(c Config) bool { return c.Limits.Retention == 10*time.Minute },
		`limits = {maxConcurrent = 1000}`:            func(c Config) bool { return c.Limits.MaxConcurrent == 16 },
		`limits = {maxCommandBytes = 1, maxConcurrent = 1, maxQueued = 1, maxChunkBytes = 1, streamMaxBytes = 1, spoolTotalBytes = 1, inlineMaxBytes = 1}`: func(c Config) bool {
			l := c.Limits
			return l.MaxCommandBytes+l.MaxConcurrent+l.MaxQueued+l.MaxChunkBytes+l.InlineMaxBytes == 5 && l.StreamMaxBytes+l.SpoolTotalBytes == 2
		},
		"[[rule]]\nid = \"x\"\ndecision = \"ask\"\nprefix = [\"x\"]": func(c Config) bool { return len(c.Guard.Custom) == 1 && c.Guard.Custom[0].ID == "x" },
	} {
		f := workspaceFile(t, text)
		if !check(loose().Tighten([]*WorkspaceFile{f})) {
			t.Errorf("%s: %+v", text, loose().Tighten([]*WorkspaceFile{f}))
		}
		stricterOnly(t, f.policy)
	}
}

func TestAStricterUserStaysStricter(t *testing.T) {
	c := base()
	c.Sandbox.Mode = sandbox.ReadOnly
	got := c.Tighten([]*WorkspaceFile{workspaceFile(t, "sandbox = {mode = \"workspace-write\"}")})
	if got.Sandbox.Mode != sandbox.ReadOnly || got.Bounds.Mode != sandbox.WorkspaceWrite {
		t.Errorf("%+v %+v", got.Sandbox, got.Bounds)
	}
}

func TestTwoFoldersTightenTogether(t *testing.T) {
	one := workspaceFile(t, "roots = [\"/tmp\"]\nallowPatterns = [\"a\"]\n[sandbox]\nmode = \"read-only\"\n[rules]\n\"program/unknown\" = \"ask\"\n[limits]\nmaxQueued = 5\n[[rule]]\nid = \"x\"\ndecision = \"ask\"\nprefix = [\"x\"]")
	two := workspaceFile(t, "roots = [\"/tmp/a\", \"/var/tmp\"]\nallowPatterns = [\"b\"]\n[sandbox]\nmode = \"workspace-write\"\nnetwork = \"deny\"\n[rules]\n\"program/unknown\" = \"deny\"\n[limits]\nmaxQueued = 7\n[[rule]]\nid = \"x\"\ndecision = \"deny\"\nprefix = [\"x\"]")
	for _, files := range [][]*WorkspaceFile{{one, two}, {two, one}} {
		c := loose().Tighten(files)
		if !slices.Equal(c.Guard.Roots, []string{"/tmp/a"}) || c.Sandbox.Mode != sandbox.ReadOnly || c.Bounds.Mode != sandbox.ReadOnly || c.Sandbox.Network != sandbox.NetworkDeny ||
			c.Guard.Decision("program/unknown") != guard.Deny || c.Limits.MaxQueued != 5 || len(c.Guard.Filters) != 2 || len(c.Guard.Custom) != 2 {
			t.Errorf("%+v", c)
		}
	}
}

func TestTightenLeavesTheOriginalAlone(t *testing.T) {
	c := loose()
	c.Guard.Filters = make([][]string, 0, 4)
	c.Guard.Custom = make([]guard.CustomRule, 0, 4)
	want := loose().Guard.Hash()
	a := c.Tighten([]*WorkspaceFile{workspaceFile(t, "allowPatterns = [\"a\"]\nrules = {\"program/unknown\" = \"deny\"}")})
	b := c.Tighten([]*WorkspaceFile{workspaceFile(t, "allowPatterns = [\"b\"]")})
	if a.Guard.Filters[0][0] != "a" || b.Guard.Filters[0][0] != "b" || c.Guard.Decision("program/unknown") != guard.Allow || c.Guard.Hash() != want {
		t.Errorf("%v %v", a.Guard.Filters, b.Guard.Filters)
	}
}
