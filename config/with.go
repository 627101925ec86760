package config

import (
	"cmp"
	"errors"
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
	if err := o.check(); err != nil {
		return Config{}, err
	}
	if err := c.choose(cmp.Or(o.Profile, o.Policy.Profile)); err != nil {
		return Config{}, err
	}
	if err := c.overlay(o); err != nil {
		return Config{}, err
	}
	c.settle(o.Sandbox)
	return c, nil
}

// check is what can be said about options by themselves.
func (o InitOptions) check() error {
	if o.Profile != "" && o.Policy.Profile != "" && o.Profile != o.Policy.Profile {
		return bad("/policy/profile", "the profile of /profile or none", quoted(o.Policy.Profile))
	}
	if wrong := o.Policy.check(); len(wrong) > 0 {
		return inPolicy(wrong[0])
	}
	return oneOf("/onBackground", o.OnBackground, "", executor.Kill, executor.Leave)
}

// overlay lays all of o but its profile over c. Grants come first: the sandbox
// options are checked against them.
func (c *Config) overlay(o InitOptions) error {
	for _, step := range []func() error{
		func() error { return inPolicy(c.layer(o.Policy)) },
		func() error { return c.confine(o.Sandbox) },
		func() error { return c.limit(o.Limits) },
		func() error { return c.shutdown(o.Shutdown) },
		func() error { return c.approvals(o.Approvals) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	if o.OnBackground != "" {
		c.Leave = o.OnBackground == executor.Leave
	}
	c.closeUnboxed()
	return nil
}

// choose starts from another profile, with the user's policy over it again.
func (c *Config) choose(profile string) error {
	if profile == "" {
		return nil
	}
	if err := c.profile(profile); err != nil {
		return err
	}
	custom := c.Guard.Custom
	err := c.layer(c.user)
	c.Guard.Custom = custom // they were there already
	return err
}

// inPolicy moves an error to where the editor wrote it.
func inPolicy(err error) error {
	var wrong *executor.ParamError
	if errors.As(err, &wrong) {
		return bad("/policy"+wrong.Path, wrong.Expected, wrong.Got)
	}
	return err
}

func (c *Config) confine(s SandboxOptions) error {
	if err := oneOf("/sandbox/mode", s.Mode, modes...); err != nil {
		return err
	}
	if err := oneOf("/sandbox/network", s.Network, networks...); err != nil {
		return err
	}
	if err := oneOf("/sandbox/reads", s.Reads, reads...); err != nil {
		return err
	}
	if err := oneOf("/sandbox/require", s.Require, requires...); err != nil {
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
	timeout, retention := l.DefaultTimeout.Milliseconds(), l.Retention.Milliseconds()
	err := firstError(
		least("maxCommandBytes", &l.MaxCommandBytes, o.MaxCommandBytes),
		most("maxConcurrent", &l.MaxConcurrent, o.MaxConcurrent, ceilingConcurrent),
		most("maxQueued", &l.MaxQueued, o.MaxQueued, ceilingQueued),
		least("maxChunkBytes", &l.MaxChunkBytes, o.MaxChunkBytes),
		most("streamMaxBytes", &l.StreamMaxBytes, o.StreamMaxBytes, ceilingBytes),
		most("spoolMaxBytes", &l.SpoolMaxBytes, o.SpoolMaxBytes, ceilingBytes),
		most("spoolTotalBytes", &l.SpoolTotalBytes, o.SpoolTotalBytes, ceilingBytes),
		mostOrNone("retentionMs", &retention, o.RetentionMs, longest.Milliseconds()),
		mostOrNone("retainedExecs", &l.RetainedExecs, o.RetainedExecs, ceilingRetained),
		least("inlineMaxBytes", &l.InlineMaxBytes, o.InlineMaxBytes),
		most("timeoutMs", &timeout, o.TimeoutMs, longest.Milliseconds()),
	)
	l.DefaultTimeout = time.Duration(timeout) * time.Millisecond
	l.Retention = time.Duration(retention) * time.Millisecond
	// The ring of newest bytes is part of what a stream may keep.
	l.SpoolTailBytes = min(l.SpoolTailBytes, l.SpoolMaxBytes/2)
	return firstError(err, c.limitCommands(o))
}

// limitCommands sets what one command may take of the machine.
func (c *Config) limitCommands(o LimitOptions) error {
	l := &c.Sandbox.Limits
	seconds := int64(l.CPU / time.Second)
	err := firstError(
		most("maxProcesses", &l.Processes, o.MaxProcesses, ceilingProcesses),
		most("maxMemoryBytes", &l.Memory, o.MaxMemoryBytes, ceilingBytes),
		most("maxFileBytes", &l.FileSize, o.MaxFileBytes, ceilingBytes),
		most("maxOpenFiles", &l.OpenFiles, o.MaxOpenFiles, ceilingFiles),
		most("maxCpuSeconds", &seconds, o.MaxCPUSeconds, ceilingSeconds),
		most("minFreeDiskBytes", &l.FreeDisk, o.MinFreeDiskBytes, ceilingBytes),
		most("maxTmpBytes", &l.Tmp, o.MaxTmpBytes, ceilingBytes),
	)
	l.CPU = time.Duration(seconds) * time.Second
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
	ceilingRetained         = 1024
	ceilingBytes      int64 = 1 << 40
	longest                 = 24 * time.Hour

	ceilingProcesses       = 1 << 20
	ceilingFiles           = 1 << 20
	ceilingSeconds   int64 = 1 << 24 // half a year
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

// mostOrNone is most where zero is a value and nil says nothing.
func mostOrNone[T int | int64](name string, limit, want *T, ceiling T) error {
	if want != nil && *want < 0 {
		return bad("/limits/"+name, "0 or a positive number", fmt.Sprint(*want))
	}
	if want != nil {
		*limit = min(*want, ceiling)
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
