package config

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

func TestEveryProfileHasItsRow(t *testing.T) {
	names := guard.ProfileNames()
	if len(names) != 6 || len(profiles) != len(names) {
		t.Fatalf("%d rows for %v", len(profiles), names)
	}
	for _, tc := range []struct {
		name    string
		timeout time.Duration
		mode    sandbox.Mode
		reads   sandbox.Reads
		network sandbox.Network
		summary executor.Summary
	}{
		{"balanced", 120 * time.Second, sandbox.WorkspaceWrite, sandbox.ReadsPrivate, sandbox.NetworkDeny, executor.Summary{}},
		{"denylist", 60 * time.Second, sandbox.WorkspaceWrite, sandbox.ReadsAll, sandbox.NetworkAllow, executor.Summary{Form: "denylist", MaxChars: 10_000, Keep: "head"}},
		{"isolated", 30 * time.Second, sandbox.WorkspaceWrite, sandbox.ReadsPrivate, sandbox.NetworkDeny, executor.Summary{}},
		{"readonly", 30 * time.Second, sandbox.ReadOnly, sandbox.ReadsAll, sandbox.NetworkDeny, executor.Summary{Form: "plain"}},
		{"layered", 120 * time.Second, sandbox.WorkspaceWrite, sandbox.ReadsAll, sandbox.NetworkAllow, executor.Summary{Form: "layered", MaxChars: 50_000, Keep: "headTail"}},
		{"inspect", 900 * time.Second, sandbox.ReadOnly, sandbox.ReadsAll, sandbox.NetworkDeny, executor.Summary{}},
	} {
		c, err := base().With(InitOptions{Profile: tc.name})
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		s := c.Sandbox
		if c.Guard.ID != tc.name || c.Limits.DefaultTimeout != tc.timeout || s.Mode != tc.mode || s.Reads != tc.reads || s.Network != tc.network || c.Summary != tc.summary {
			t.Errorf("%s: %s %v %+v %+v", tc.name, c.Guard.ID, c.Limits.DefaultTimeout, s, c.Summary)
		}
		if (s.Rung == sandbox.RungFull) != (tc.name == "isolated") || s.Require != sandbox.RequireEnforced {
			t.Errorf("%s: rung %q, require %q", tc.name, s.Rung, s.Require)
		}
	}
}

// The table of docs/profiles.md is the one that holds.
func TestThePageOfProfilesIsTrue(t *testing.T) {
	text := string(read(t, "../docs/profiles.md"))
	for name, p := range profiles {
		form := "none"
		if p.Summary.Form != "" {
			form = "`" + string(p.Summary.Form) + "`"
		}
		network := cmp.Or(string(p.Network), "as granted")
		found := false
		for line := range strings.Lines(text) {
			cells := strings.Split(line, " | ")
			if len(cells) != 7 || cells[0] != "| `"+name+"`" {
				continue
			}
			found = true
			if cells[2] != fmt.Sprintf("%d s", int(p.Timeout.Seconds())) || !strings.HasPrefix(cells[3], form) ||
				!strings.HasPrefix(cells[4], string(p.Mode)) || cells[5] != string(p.Reads) || strings.TrimSuffix(cells[6], " |\n") != network {
				t.Errorf("docs/profiles.md: %s is %+v", line, p)
			}
		}
		if !found {
			t.Errorf("docs/profiles.md has no row for %s", name)
		}
	}
}

// A profile is a start: the editor's other options are laid over it.
func TestOptionsAreLaidOverTheProfile(t *testing.T) {
	c, err := base().With(InitOptions{Profile: "layered", Sandbox: SandboxOptions{Mode: sandbox.ReadOnly, Network: sandbox.NetworkDeny}, Limits: LimitOptions{TimeoutMs: 5000}})
	if err != nil || c.Sandbox.Mode != sandbox.ReadOnly || c.Sandbox.Network != sandbox.NetworkDeny || c.Limits.DefaultTimeout != 5*time.Second {
		t.Errorf("%+v, %v", c.Sandbox, err)
	}
}

func TestReadonlyWritesOnlyByGrant(t *testing.T) {
	write := SandboxOptions{Mode: sandbox.WorkspaceWrite}
	_, err := base().With(InitOptions{Profile: "readonly", Sandbox: write})
	refused(t, err, "/sandbox/mode")
	c, err := base().With(InitOptions{Profile: "readonly", Sandbox: write, Policy: PolicyOptions{AllowWrite: true}})
	if err != nil || c.Sandbox.Mode != sandbox.WorkspaceWrite {
		t.Errorf("granted: %+v, %v", c.Sandbox, err)
	}
	c, err = base().With(InitOptions{Profile: "readonly", Policy: PolicyOptions{AllowNetwork: true}})
	if err != nil || c.Sandbox.Network != sandbox.NetworkAllow {
		t.Errorf("the network is as granted: %+v, %v", c.Sandbox, err)
	}
}

func TestReadonlyWithoutItsSandboxNeedsTheWriteGrant(t *testing.T) {
	off := SandboxOptions{Mode: sandbox.Off}
	for _, write := range []bool{false, true} {
		c, err := base().With(InitOptions{Profile: "readonly", Sandbox: off, Policy: PolicyOptions{AllowOff: true, AllowWrite: write}})
		if err != nil || (c.Guard.Closed == "") != write {
			t.Errorf("write %v: closed %q, %v", write, c.Guard.Closed, err)
		}
	}
	c, err := base().With(InitOptions{Profile: "layered", Sandbox: off, Policy: PolicyOptions{AllowOff: true}})
	if err != nil || c.Guard.Closed != "" {
		t.Errorf("another profile is closed: %q, %v", c.Guard.Closed, err)
	}
}

func TestAnAllowListOutlivesAChangeOfProfile(t *testing.T) {
	b := base()
	b.Guard = guard.DefaultPolicy()
	b.Guard.AllowPatterns, b.Guard.Roots = []string{"^git "}, []string{"/data"}
	c, err := b.With(InitOptions{Profile: "layered"})
	if err != nil || len(c.Guard.AllowPatterns) != 1 || len(c.Guard.Roots) == 0 || c.Guard.Roots[0] == "/data" {
		t.Errorf("%+v, %v", c.Guard, err)
	}
	c, err = b.With(InitOptions{Profile: "balanced"})
	if err != nil || len(c.Guard.Roots) != 1 {
		t.Errorf("the same profile loses what was configured: %+v, %v", c.Guard, err)
	}
	b.Guard.AllowPatterns = []string{"("}
	_, err = b.With(InitOptions{Profile: "layered"})
	refused(t, err, "/policy/allowPatterns")
}
