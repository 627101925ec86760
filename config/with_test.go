package config

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/sandbox"
)

func base() Config {
	return Config{
		Sandbox: sandbox.Policy{Mode: sandbox.WorkspaceWrite, Network: sandbox.NetworkDeny, Reads: sandbox.ReadsPrivate, Require: sandbox.RequireEnforced},
		Limits:  DefaultLimits(), ShutdownGrace: shutdownGrace,
	}
}

func TestNothingSaidChangesNothing(t *testing.T) {
	got, err := base().With(InitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := base()
	if got.Sandbox.Key() != want.Sandbox.Key() || got.Limits != want.Limits || got.ShutdownGrace != want.ShutdownGrace {
		t.Errorf("got %+v", got)
	}
}

func TestTighteningNeedsNoGrant(t *testing.T) {
	c, err := base().With(InitOptions{Sandbox: SandboxOptions{Mode: sandbox.ReadOnly}})
	if err != nil || c.Sandbox.Mode != sandbox.ReadOnly || c.Sandbox.Network != sandbox.NetworkDeny {
		t.Errorf("%+v, %v", c.Sandbox, err)
	}
}

func TestLooseningNeedsItsOwnGrant(t *testing.T) {
	for name, tc := range map[string]struct {
		ask   SandboxOptions
		grant PolicyOptions
		path  string
	}{
		"off":     {SandboxOptions{Mode: sandbox.Off}, PolicyOptions{AllowOff: true}, "/sandbox/mode"},
		"network": {SandboxOptions{Network: sandbox.NetworkAllow}, PolicyOptions{AllowNetwork: true}, "/sandbox/network"},
		"reads":   {SandboxOptions{Reads: sandbox.ReadsAll}, PolicyOptions{AllowReadsAll: true}, "/sandbox/reads"},
	} {
		t.Run(name, func(t *testing.T) {
			others := PolicyOptions{AllowOff: true, AllowNetwork: true, AllowReadsAll: true}
			switch name {
			case "off":
				others.AllowOff = false
			case "network":
				others.AllowNetwork = false
			case "reads":
				others.AllowReadsAll = false
			}
			_, err := base().With(InitOptions{Sandbox: tc.ask, Policy: others})
			refused(t, err, tc.path)
			if _, err := base().With(InitOptions{Sandbox: tc.ask, Policy: tc.grant}); err != nil {
				t.Error(err)
			}
		})
	}
}

func refused(t *testing.T, err error, path string) {
	t.Helper()
	var p *executor.ParamError
	if !errors.As(err, &p) || p.Path != path {
		t.Errorf("got %v, want a refusal of %s", err, path)
	}
}

func TestWhatThisBuildCantHonourIsRefused(t *testing.T) {
	for path, o := range map[string]InitOptions{
		"/profile":                {Profile: "strict"},
		"/onBackground":           {OnBackground: "stay"},
		"/sandbox/network":        {Sandbox: SandboxOptions{Network: "vpn"}},
		"/sandbox/mode":           {Sandbox: SandboxOptions{Mode: "Off"}},
		"/sandbox/reads":          {Sandbox: SandboxOptions{Reads: "some"}},
		"/sandbox/require":        {Sandbox: SandboxOptions{Require: "besteffort"}},
		"/limits/maxConcurrent":   {Limits: LimitOptions{MaxConcurrent: -1}},
		"/limits/spoolTotalBytes": {Limits: LimitOptions{SpoolTotalBytes: -1}},
		"/limits/retentionMs":     {Limits: LimitOptions{RetentionMs: new(int64(-1))}},
		"/limits/retainedExecs":   {Limits: LimitOptions{RetainedExecs: new(-1)}},
		"/limits/timeoutMs":       {Limits: LimitOptions{TimeoutMs: -1}},
		"/shutdown/graceMs":       {Shutdown: ShutdownOptions{GraceMs: 1 << 62}},
		"/policy/writable/1":      {Policy: PolicyOptions{Writable: []string{"/ok", "not/absolute"}}},
		"/policy/allowRoots/0":    {Policy: PolicyOptions{AllowRoots: []string{""}}},
	} {
		_, err := base().With(o)
		refused(t, err, path)
	}
}

func TestLimitsAreRaisedToTheCeilingAndOthersOnlyLowered(t *testing.T) {
	c, err := base().With(InitOptions{Limits: LimitOptions{
		MaxCommandBytes: 100, MaxConcurrent: 1 << 20, MaxQueued: 8, SpoolMaxBytes: 1 << 20, TimeoutMs: 600_000, InlineMaxBytes: 1 << 30,
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultLimits()
	want.MaxCommandBytes, want.SpoolMaxBytes, want.DefaultTimeout = 100, 1<<20, 10*time.Minute
	want.MaxConcurrent, want.MaxQueued = 1024, 8
	want.SpoolTailBytes = 1 << 19 // the ring is a part of the spool
	if d := cmp.Diff(want, c.Limits); d != "" {
		t.Error(d)
	}
}

func TestRetentionOfZeroIsAValue(t *testing.T) {
	c, err := base().With(InitOptions{
		Policy: PolicyOptions{Limits: LimitOptions{RetainedExecs: new(0)}},
		Limits: LimitOptions{RetentionMs: new(int64(0))},
	})
	if err != nil || c.Limits.Retention != 0 || c.Limits.RetainedExecs != 0 {
		t.Errorf("%+v %v", c.Limits, err)
	}
	c, err = base().With(InitOptions{Limits: LimitOptions{RetentionMs: new(int64(1) << 62), RetainedExecs: new(1 << 20)}})
	if err != nil || c.Limits.Retention != 24*time.Hour || c.Limits.RetainedExecs != 1024 {
		t.Errorf("%+v %v", c.Limits, err)
	}
}

// Two windows may start from one base; neither may see the other's grants.
func TestSessionsShareNoSlices(t *testing.T) {
	b := base()
	b.Grants.Writable = make([]string, 0, 8)
	b.RootGrants = make([]string, 0, 8)
	one, err1 := b.With(InitOptions{Policy: PolicyOptions{Writable: []string{"/one/"}, AllowRoots: []string{"/one"}}})
	two, err2 := b.With(InitOptions{Policy: PolicyOptions{Writable: []string{"/two/"}, AllowRoots: []string{"/two"}}})
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if one.Grants.Writable[0] != "/one" || two.Grants.Writable[0] != "/two" || one.RootGrants[0] != "/one" || len(b.Grants.Writable) != 0 {
		t.Errorf("one %v, two %v", one.Grants, two.Grants)
	}
}
