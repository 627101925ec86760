package config

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// Tighten applies the policy files of the workspace folders to a copy of c, all
// of them together. Whatever they say, the result allows nothing that c doesn't.
func (c Config) Tighten(files []*WorkspaceFile) Config {
	for _, f := range files {
		c.tighten(f.policy)
	}
	if ready, err := c.Guard.Compiled(); err == nil {
		c.Guard = ready
	}
	return c
}

func (c *Config) tighten(o PolicyOptions) {
	p := &c.Guard
	if p.Bound == nil {
		p.Bound = p.Roots
	}
	p.Roots = narrowed(p.Roots, o.Roots)
	p.Programs = narrowed(p.Programs, o.Programs)
	p.Restrict = p.Restrict || o.RestrictToWorkspace != nil && *o.RestrictToWorkspace
	if o.AllowPatterns != nil {
		p.Filters = append(slices.Clone(p.Filters), o.AllowPatterns)
	}
	c.stricter(o.Rules)
	custom, _ := customRules(o.Rule) // they were checked
	p.Custom = slices.Concat(p.Custom, custom)
	c.bound(o.Sandbox)
	c.fewer(o.Network)
	c.lower(o.Limits)
}

// stricter takes the stricter of two decisions. A family doesn't give way to a
// rule's own key here: "git/*" = "deny" means every one.
func (c *Config) stricter(rules map[string]guard.Decision) {
	if len(rules) == 0 {
		return
	}
	set := maps.Clone(c.Guard.Decisions)
	if set == nil {
		set = map[string]guard.Decision{}
	}
	now := guard.Policy{Rules: c.Guard.Rules, Decisions: set}
	eachDecision(rules, func(id string, d guard.Decision) {
		if strictness(d) > strictness(now.Decision(id)) {
			set[id] = d
		}
	})
	c.Guard.Decisions = set
}

func strictness(d guard.Decision) int { return slices.Index(decisions, d) }

// bound makes the stricter sandbox the default and the loosest one a request
// can have.
func (c *Config) bound(s SandboxOptions) {
	atMost(&c.Sandbox.Mode, &c.Bounds.Mode, s.Mode, modes)
	atMost(&c.Sandbox.Network, &c.Bounds.Network, s.Network, networks)
	atMost(&c.Sandbox.Reads, &c.Bounds.Reads, s.Reads, reads)
	atMost(&c.Sandbox.Require, &c.Bounds.Require, s.Require, requires)
}

// atMost lists values from the strictest to the loosest, "" first.
func atMost[T ~string](now, bound *T, want T, order []T) {
	if want == "" {
		return
	}
	if slices.Index(order, want) < slices.Index(order, *now) {
		*now = want
	}
	if *bound == "" || slices.Index(order, want) < slices.Index(order, *bound) {
		*bound = want
	}
}

// narrowed is what is in both lists of directories; nil is unset.
func narrowed(have, want []string) []string {
	if want == nil {
		return have
	}
	out := []string{}
	for _, h := range have {
		for _, w := range want {
			switch h, w := filepath.Clean(h), filepath.Clean(w); {
			case h == w || strings.HasPrefix(h, strings.TrimSuffix(w, "/")+"/"):
				out = joined(out, []string{h})
			case strings.HasPrefix(w, strings.TrimSuffix(h, "/")+"/"):
				out = joined(out, []string{w})
			}
		}
	}
	return out
}

// grants are the keys that only loosen.
var grants = []string{
	"allowOff", "allowNetwork", "allowReadsAll", "allowNoTimeout", "allowEnvAll", "allowWrite", "loosen",
	"allowRoots", "readable", "writable", "path", "env", "grant", "ssh",
}

// loosening finds what a workspace file must not say, key by key. A value that is merely
// looser than the user's is not a mistake: the file is for everybody.
func (o PolicyOptions) loosening(x *index) []*executor.ParamError {
	c := &checker{}
	deny := func(path, instead string) {
		if x.has(path) {
			c.add(path, fits, "a file of the workspace can only tighten; "+instead)
		}
	}
	for _, grant := range grants {
		deny("/"+grant, "grant it in your own policy.toml or through the editor")
	}
	deny("/profile", "choose the profile in your own policy.toml or through the editor")
	deny("/undo", "set it in your own policy.toml or through the editor")
	deny("/audit", "set it in your own policy.toml or through the editor")
	deny("/shell", "set it in your own policy.toml or through the editor")
	for i := range o.Rule {
		for _, text := range []string{"message", "why", "safer"} {
			deny(ruleAt(i)+"/"+text, "leave the text out: it would be shown as if it were pillion's")
		}
	}
	if o.RestrictToWorkspace != nil && !*o.RestrictToWorkspace {
		deny("/restrictToWorkspace", "write true or leave the key out")
	}
	for id, d := range o.Rules {
		if d == guard.Allow {
			deny("/rules/"+escape(id), `write "ask" or "deny"`)
		}
	}
	for path, loosest := range map[string]bool{
		"/sandbox/mode": o.Sandbox.Mode == sandbox.Off, "/sandbox/network": o.Sandbox.Network == sandbox.NetworkAllow,
		"/sandbox/reads": o.Sandbox.Reads == sandbox.ReadsAll, "/sandbox/require": o.Sandbox.Require == sandbox.RequireBestEffort,
	} {
		if loosest {
			deny(path, "write a stricter value or leave the key out")
		}
	}
	for member, list := range map[string][]string{"roots": o.Roots, "programs": o.Programs} {
		if i := slices.Index(list, sofar); i >= 0 {
			deny("/"+member, `list directories, without "..."`)
		}
	}
	return c.bad
}
