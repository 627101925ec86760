package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// With applies the editor's options to a copy of c. An option this build can't
// honour is an *executor.ParamError whose Path points into the options: a
// session that silently ignored "network":"proxy" would be another one than the
// editor asked for.
func (c Config) With(o InitOptions) (Config, error) {
	if err := c.profile(o.Profile); err != nil {
		return Config{}, err
	}
	if err := oneOf("/onBackground", o.OnBackground, "", "kill"); err != nil {
		return Config{}, err
	}
	// Grants come first: the sandbox options are checked against them.
	for _, step := range []func() error{
		func() error { return c.grant(o.Policy) },
		func() error { return c.confine(o.Sandbox) },
		func() error { return c.limit(o.Limits) },
		func() error { return c.shutdown(o.Shutdown) },
	} {
		if err := step(); err != nil {
			return Config{}, err
		}
	}
	c.settle(o.Sandbox)
	return c, nil
}

func (c *Config) grant(p PolicyOptions) error {
	if err := firstError(absolute("allowRoots", p.AllowRoots), absolute("readable", p.Readable), absolute("writable", p.Writable)); err != nil {
		return err
	}
	g := &c.Grants
	g.Off = g.Off || p.AllowOff
	g.Network = g.Network || p.AllowNetwork
	g.ReadsAll = g.ReadsAll || p.AllowReadsAll
	g.NoTimeout = g.NoTimeout || p.AllowNoTimeout
	g.EnvAll = g.EnvAll || p.AllowEnvAll
	g.Write = g.Write || p.AllowWrite
	// slices.Concat copies: appending could write into another session's array.
	g.Writable = slices.Concat(g.Writable, cleaned(p.Writable))
	c.RootGrants = slices.Concat(c.RootGrants, cleaned(p.AllowRoots))
	c.Sandbox.Readable = slices.Concat(c.Sandbox.Readable, cleaned(p.Readable))
	return nil
}

func (c *Config) confine(s SandboxOptions) error {
	if err := oneOf("/sandbox/mode", s.Mode, "", sandbox.ReadOnly, sandbox.WorkspaceWrite, sandbox.Off); err != nil {
		return err
	}
	if err := oneOf("/sandbox/network", s.Network, "", sandbox.NetworkDeny, sandbox.NetworkAllow); err != nil {
		return err
	}
	if err := oneOf("/sandbox/reads", s.Reads, "", sandbox.ReadsPrivate, sandbox.ReadsAll); err != nil {
		return err
	}
	if err := oneOf("/sandbox/require", s.Require, "", sandbox.RequireEnforced, sandbox.RequireBestEffort); err != nil {
		return err
	}
	for _, g := range []struct {
		asked, granted         bool
		path, value, allowance string
	}{
		{s.Mode == sandbox.WorkspaceWrite && c.Sandbox.Mode == sandbox.ReadOnly, c.Grants.Write, "/sandbox/mode", "workspace-write", "allowWrite"},
		{s.Mode == sandbox.Off, c.Grants.Off, "/sandbox/mode", "off", "allowOff"},
		{s.Network == sandbox.NetworkAllow, c.Grants.Network, "/sandbox/network", "allow", "allowNetwork"},
		{s.Reads == sandbox.ReadsAll, c.Grants.ReadsAll, "/sandbox/reads", "all", "allowReadsAll"},
	} {
		if g.asked && !g.granted {
			return bad(g.path, "policy."+g.allowance+" to be true with it", quoted(g.value))
		}
	}
	set(&c.Sandbox.Mode, s.Mode)
	set(&c.Sandbox.Network, s.Network)
	set(&c.Sandbox.Reads, s.Reads)
	set(&c.Sandbox.Require, s.Require)
	return nil
}

func (c *Config) limit(o LimitOptions) error {
	l := &c.Limits
	timeout := l.DefaultTimeout.Milliseconds()
	err := firstError(
		least("maxCommandBytes", &l.MaxCommandBytes, o.MaxCommandBytes),
		most("maxConcurrent", &l.MaxConcurrent, o.MaxConcurrent, ceilingConcurrent),
		most("maxQueued", &l.MaxQueued, o.MaxQueued, ceilingQueued),
		least("maxChunkBytes", &l.MaxChunkBytes, o.MaxChunkBytes),
		most("streamMaxBytes", &l.StreamMaxBytes, o.StreamMaxBytes, ceilingBytes),
		most("spoolMaxBytes", &l.SpoolMaxBytes, o.SpoolMaxBytes, ceilingBytes),
		most("spoolTotalBytes", &l.SpoolTotalBytes, o.SpoolTotalBytes, ceilingBytes),
		least("inlineMaxBytes", &l.InlineMaxBytes, o.InlineMaxBytes),
		most("timeoutMs", &timeout, o.TimeoutMs, (24*time.Hour).Milliseconds()),
	)
	l.DefaultTimeout = time.Duration(timeout) * time.Millisecond
	// The ring of newest bytes is part of what a stream may keep.
	l.SpoolTailBytes = min(l.SpoolTailBytes, l.SpoolMaxBytes/2)
	return err
}

func (c *Config) shutdown(o ShutdownOptions) error {
	// A minute is longer than any editor waits; the bound keeps the
	// multiplication below from wrapping around.
	if o.GraceMs < 0 || o.GraceMs > time.Minute.Milliseconds() {
		return bad("/shutdown/graceMs", "0 to 60000", fmt.Sprint(o.GraceMs))
	}
	set(&c.ShutdownGrace, time.Duration(o.GraceMs)*time.Millisecond)
	return nil
}

// least lowers *limit to want. Zero says nothing; below zero is refused, since
// it would be read as "no limit" somewhere.
func least[T int | int64](name string, limit *T, want T) error {
	if want < 0 {
		return bad("/limits/"+name, "a positive number", fmt.Sprint(want))
	}
	if want > 0 {
		*limit = min(*limit, want)
	}
	return nil
}

// Ceilings of what an editor may raise. Each command that runs costs a process
// of ours, each that waits a goroutine, each byte kept a byte of disk.
const (
	ceilingConcurrent       = 1024
	ceilingQueued           = 4096
	ceilingBytes      int64 = 1 << 40
)

// most sets *limit to want, up to a ceiling: the editor is trusted with the
// machine's resources, within what the sidecar can carry.
func most[T int | int64](name string, limit *T, want, ceiling T) error {
	if want < 0 {
		return bad("/limits/"+name, "a positive number", fmt.Sprint(want))
	}
	if want > 0 {
		*limit = min(want, ceiling)
	}
	return nil
}

func set[T comparable](field *T, want T) {
	var zero T
	if want != zero {
		*field = want
	}
}

// oneOf refuses a value outside the list. The lists start with "", which is
// "not said" and so is left out of the message.
func oneOf[T ~string](path string, got T, allowed ...T) error {
	if slices.Contains(allowed, got) {
		return nil
	}
	return bad(path, fmt.Sprintf("one of %q", allowed[1:]), quoted(string(got)))
}

func absolute(member string, paths []string) error {
	for i, p := range paths {
		if !filepath.IsAbs(p) {
			return bad(fmt.Sprintf("/policy/%s/%d", member, i), "an absolute path", quoted(p))
		}
	}
	return nil
}

func cleaned(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = filepath.Clean(p)
	}
	return out
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func quoted(s string) string { return fmt.Sprintf("%q", s) }

func bad(path, expected, got string) error {
	return &executor.ParamError{Path: path, Expected: expected, Got: got}
}
