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
			return &UngrantedError{&executor.ParamError{Path: g.path, Expected: "policy." + g.allowance + " to be true with it", Got: quoted(g.value)}}
		}
	}
	if s.Network != "" {
		c.networkChosen, c.NetworkImplied = true, false
	}
	set(&c.Sandbox.Mode, s.Mode)
	set(&c.Sandbox.Network, s.Network)
	set(&c.Sandbox.Reads, s.Reads)
	set(&c.Sandbox.Require, s.Require)
	return nil
}

// UngrantedError is a choice of sandbox that needs a grant which nobody has given. What holds
// without it is stricter.
type UngrantedError struct{ *executor.ParamError }

func (e *UngrantedError) Unwrap() error { return e.ParamError }

// Without leaves that choice out.
func (e *UngrantedError) Without(o InitOptions) InitOptions {
	switch e.Path {
	case "/sandbox/mode":
		o.Sandbox.Mode = ""
	case "/sandbox/network":
		o.Sandbox.Network = ""
	case "/sandbox/reads":
		o.Sandbox.Reads = ""
	}
	return o
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
	return bad(path, OneOf(string(got), allowed[1:]), quoted(string(got)))
}

func cleaned(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = AtHome(filepath.Clean(p))
	}
	return out
}

func quoted(s string) string { return fmt.Sprintf("%q", s) }

func bad(path, expected, got string) error {
	return &executor.ParamError{Path: path, Expected: expected, Got: got}
}
