package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// layer lays a trusted policy, which has been checked, over c: what it says
// replaces what was there, grants and rules are added. Slices and maps are
// copied, since sessions that start from one Config must not share them.
func (c *Config) layer(o PolicyOptions) error {
	c.grant(o)
	if err := c.judging(o); err != nil {
		return err
	}
	c.remember(o.Grant)
	if err := c.confine(o.Sandbox); err != nil {
		return err
	}
	c.reach(c.asks || len(o.Network.Allow)+len(o.Network.Ports)+len(o.Network.Credentials) > 0 || slices.ContainsFunc(o.Grant, GrantOptions.reaches))
	if err := c.limit(o.Limits); err != nil {
		return err
	}
	c.unboxed(o.Shell)
	if o.Undo.Enabled != nil {
		c.Undo = *o.Undo.Enabled
	}
	if o.Audit.Enabled != nil {
		c.Audit = *o.Audit.Enabled
	}
	c.Path = joined(cleaned(o.Path), c.Path)
	c.Sandbox.Readable = joined(c.Sandbox.Readable, cleaned(o.Path))
	if len(o.Env) > 0 {
		env := map[string]string{}
		maps.Copy(env, c.OwnEnv)
		maps.Copy(env, o.Env)
		c.OwnEnv = env
	}
	return nil
}

func (c *Config) grant(o PolicyOptions) {
	g := &c.Grants
	g.Off = g.Off || o.AllowOff
	g.Network = g.Network || o.AllowNetwork
	g.ReadsAll = g.ReadsAll || o.AllowReadsAll
	g.NoTimeout = g.NoTimeout || o.AllowNoTimeout
	g.EnvAll = g.EnvAll || o.AllowEnvAll
	g.Write = g.Write || o.AllowWrite
	c.Loosen = c.Loosen || o.Loosen
	g.Writable = joined(g.Writable, cleaned(o.Writable))
	c.Hosts.Allow = joined(c.Hosts.Allow, o.Network.Allow)
	c.Hosts.Deny = joined(c.Hosts.Deny, o.Network.Deny)
	c.Sockets = joined(c.Sockets, o.Network.Sockets)
	c.Sandbox.HostPorts = joined(c.Sandbox.HostPorts, o.Network.Ports)
	c.Sandbox.Logins = joined(c.Sandbox.Logins, o.Network.Credentials)
	c.lend(o.SSH)
	c.RootGrants = joined(c.RootGrants, cleaned(o.AllowRoots))
	c.Sandbox.Readable = joined(c.Sandbox.Readable, cleaned(o.Readable))
}

// joined is a and what of b it lacks.
func joined[T comparable](a, b []T) []T {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// judging sets what the guard goes by.
func (c *Config) judging(o PolicyOptions) error {
	p := &c.Guard
	p.Roots = replaced(p.Roots, o.Roots)
	p.Programs = replaced(p.Programs, o.Programs)
	if o.RestrictToWorkspace != nil {
		p.Restrict = *o.RestrictToWorkspace
	}
	if o.AllowPatterns != nil {
		p.AllowPatterns = slices.Clone(o.AllowPatterns)
	}
	if len(o.Rules) > 0 {
		set := maps.Clone(p.Decisions)
		if set == nil {
			set = map[string]guard.Decision{}
		}
		eachDecision(o.Rules, func(id string, d guard.Decision) { set[id] = d })
		p.Decisions = set
	}
	custom, err := customRules(o.Rule)
	p.Custom = slices.Concat(p.Custom, custom)
	return err
}

// eachDecision gives a rule's own key the last word over its family's.
func eachDecision(rules map[string]guard.Decision, f func(id string, d guard.Decision)) {
	for _, exact := range []bool{false, true} {
		for key, d := range rules {
			if strings.HasSuffix(key, "*") == exact {
				continue
			}
			for _, id := range family(key) {
				f(id, d)
			}
		}
	}
}

// replaced is the new list, with "..." for what was there; nil if it isn't set.
func replaced(old, said []string) []string {
	if said == nil {
		return old
	}
	out := []string{}
	for _, s := range said {
		if s == sofar {
			out = joined(out, old)
			continue
		}
		out = joined(out, []string{s})
	}
	return out
}

// unboxed is [shell] sandbox = false: reading commands lose the sandbox that kept
// them from writing, so none may run unless writing was granted. The sandbox
// itself goes only with its own grant.
func (c *Config) unboxed(o ShellOptions) {
	switch {
	case o.Sandbox == nil:
	case *o.Sandbox:
		c.Guard.Closed = ""
	case c.Grants.Off:
		c.Sandbox.Mode = sandbox.Off
	case c.Grants.Write:
		c.Sandbox.Mode = sandbox.WorkspaceWrite
	default:
		c.Guard.Closed = guard.ClosedByReadMode
	}
}
