package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// Bounds of what a file of the workspace may make us compile.
const (
	maxPatterns    = 64
	maxPatternSize = 1024 // bytes
	maxPaths       = 256
)

var (
	modes     = slices.Concat([]sandbox.Mode{""}, sandbox.Modes)
	networks  = slices.Concat([]sandbox.Network{""}, sandbox.Networks)
	reads     = []sandbox.Reads{"", sandbox.ReadsPrivate, sandbox.ReadsAll}
	requires  = []sandbox.Require{"", sandbox.RequireEnforced, sandbox.RequireBestEffort}
	decisions = []guard.Decision{"", guard.Allow, guard.Ask, guard.Deny}
)

// sofar in roots and programs stands for what they held before.
const sofar = "..."

// checker collects what is wrong with any policy, as pointers into it.
type checker struct{ bad []*executor.ParamError }

func (c *checker) add(path, expected, got string) {
	c.bad = append(c.bad, &executor.ParamError{Path: path, Expected: expected, Got: got})
}

func (c *checker) take(err error) {
	var wrong *executor.ParamError
	switch {
	case errors.As(err, &wrong):
		c.bad = append(c.bad, wrong)
	case err != nil:
		c.add("", fits, err.Error())
	}
}

// check is what can be said about a policy by itself.
func (o PolicyOptions) check() []*executor.ParamError {
	c := &checker{}
	c.take(new(Config).profile(o.Profile))
	for member, list := range map[string][]string{"allowRoots": o.AllowRoots, "readable": o.Readable, "writable": o.Writable, "path": o.Path} {
		c.paths(member, list, filepath.IsAbs, "an absolute path")
	}
	c.paths("roots", o.Roots, func(p string) bool { return p == sofar || filepath.IsAbs(p) }, `an absolute path or "..."`)
	c.paths("programs", o.Programs, func(p string) bool {
		return p == sofar || filepath.IsAbs(p) || strings.HasPrefix(p, "~/")
	}, `an absolute path, one below "~/", or "..."`)
	c.variables(o.Env)
	c.patterns(o.AllowPatterns)
	c.decisions(o.Rules)
	c.rules(o.Rule)
	c.network(o.Network)
	c.ssh(o.SSH)
	c.granted(o.Grant)
	c.take(oneOf("/sandbox/mode", o.Sandbox.Mode, modes...))
	c.take(oneOf("/sandbox/network", o.Sandbox.Network, networks...))
	c.take(oneOf("/sandbox/reads", o.Sandbox.Reads, reads...))
	c.take(oneOf("/sandbox/require", o.Sandbox.Require, requires...))
	return append(c.bad, checkLimits(o.Limits)...)
}

func (c *checker) paths(member string, list []string, ok func(string) bool, expected string) {
	if len(list) > maxPaths {
		c.add("/"+member, fmt.Sprintf("at most %d paths", maxPaths), fmt.Sprint(len(list)))
		return
	}
	for i, p := range list {
		if !ok(p) {
			c.add(fmt.Sprintf("/%s/%d", member, i), expected, quoted(p))
		}
	}
}

// variables are checked by name. What the sandbox itself sets would be lost.
func (c *checker) variables(env map[string]string) {
	for name := range env {
		instead := ""
		switch {
		case !variableName(name):
			instead = "the name of a variable: letters, digits and _"
		case name == "PATH":
			instead = "path for directories in front of PATH"
		case slices.Contains([]string{"HOME", "TMPDIR", "PWD", "PILLION_OUTPUTS"}, name):
			instead = "another variable; the sandbox sets this one"
		}
		if instead != "" && len(c.bad) < maxProblems {
			c.add("/env/"+escape(name), instead, quoted(name))
		}
	}
}

func (c *checker) patterns(list []string) {
	if len(list) > maxPatterns {
		c.add("/allowPatterns", fmt.Sprintf("at most %d patterns; join some with |", maxPatterns), fmt.Sprint(len(list)))
		return
	}
	for i, p := range list {
		at := fmt.Sprintf("/allowPatterns/%d", i)
		if len(p) > maxPatternSize {
			c.add(at, fmt.Sprintf("at most %d bytes", maxPatternSize), fmt.Sprint(len(p)))
			continue
		}
		if err := guard.CheckPattern(p); err != nil {
			c.add(at, "a regular expression (RE2)", fmt.Sprintf("%.200q: %v", p, err))
		}
	}
}

func (c *checker) decisions(rules map[string]guard.Decision) {
	for id, d := range rules {
		if len(c.bad) >= maxProblems {
			return
		}
		at := "/rules/" + escape(id)
		if !slices.Contains(decisions[1:], d) {
			c.add(at, OneOf(string(d), decisions[1:]), quoted(string(d)))
		}
		if len(family(id)) == 0 {
			expected := "the id of a built-in rule, or of a family such as \"git/*\""
			if near := ruleAlike(id); near != "" {
				expected = "the id of a built-in rule; did you mean " + quoted(near) + "?"
			}
			c.add(at, expected, quoted(id))
		}
	}
}

// family are the built-in rules that a key of [rules] means.
func family(key string) []string {
	prefix, isFamily := strings.CutSuffix(key, "*")
	return slices.DeleteFunc(guard.RuleIDs(), func(id string) bool {
		if isFamily {
			return !strings.HasSuffix(prefix, "/") || !strings.HasPrefix(id, prefix)
		}
		return id != key
	})
}

// ruleAlike is the key of [rules] that id is a slip of, "" when there is none.
func ruleAlike(id string) string { return Nearest(id, append(guard.RuleIDs(), families()...)) }

// families are the keys of [rules] that mean several rules.
func families() (keys []string) {
	for _, id := range guard.RuleIDs() {
		if head, _, ok := strings.Cut(id, "/"); ok {
			keys = append(keys, head+"/*")
		}
	}
	return slices.Compact(keys)
}

func (c *checker) rules(list []RuleOptions) {
	custom, err := customRules(list)
	if err != nil {
		c.take(err)
		return
	}
	for _, e := range (guard.Policy{Custom: custom}).Validate() {
		at := ruleAt(e.Rule)
		if e.Member != "" {
			at += "/" + e.Member
		}
		if e.Index >= 0 {
			at += fmt.Sprintf("/%d", e.Index)
		}
		c.bad = append(c.bad, &executor.ParamError{Path: at, Expected: fits, Got: e.Problem})
	}
}

// fits is what the guard expects of a rule; it says itself what is wrong.
const fits = "a rule whose parts and examples fit"

func ruleAt(i int) string { return fmt.Sprintf("/rule/%d", i) }

// customRules are the guard's form of [[rule]].
func customRules(list []RuleOptions) ([]guard.CustomRule, error) {
	out := make([]guard.CustomRule, len(list))
	for i, r := range list {
		at := ruleAt(i)
		prefix, err := alternatives(at+"/prefix", r.Prefix)
		if err != nil {
			return nil, err
		}
		contains, err := alternatives(at+"/contains", r.Contains)
		if err != nil {
			return nil, err
		}
		out[i] = guard.CustomRule{
			ID: r.ID, Decision: r.Decision, Prefix: prefix, Contains: contains,
			Message: r.Message, Why: r.Why, Safer: r.Safer, Match: r.Match, NotMatch: r.NotMatch,
		}
	}
	return out, nil
}

// alternatives reads ["kubectl", ["delete", "drain"]].
func alternatives(at string, words []any) ([][]string, error) {
	var out [][]string
	for i, w := range words {
		list, ok := w.([]any)
		if !ok {
			list = []any{w}
		}
		element := []string{}
		for _, alternative := range list {
			s, ok := alternative.(string)
			if !ok {
				return nil, bad(fmt.Sprintf("%s/%d", at, i), "a word or a list of words", shown(alternative))
			}
			element = append(element, s)
		}
		out = append(out, element)
	}
	return out, nil
}

// shown is a value of any type, shortened.
func shown(v any) string {
	s := fmt.Sprint(v)
	return strings.ToValidUTF8(s[:min(len(s), 80)], "")
}
