package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/guard"
)

// looser finds what c allows and base doesn't, setting by setting. Settings that have no
// rule here must be the same: one that is added to Config can't loosen unseen.
func (c Config) looser(base Config) []error {
	f := &comparison{}
	f.grants(base, c)
	f.judging(base.Guard, c.Guard)
	f.sandbox(base, c)
	f.network(base, c)
	f.ssh(base.SSH, c.SSH)
	f.remembered(base, c)
	f.limits(base, c)
	f.session(base, c)
	if len(f.bad) == 0 && !reflect.DeepEqual(c.ruled(base), base) {
		f.add("", "settings that tighten", "another session")
	}
	errs := make([]error, len(f.bad))
	for i, b := range f.bad {
		errs[i] = b
	}
	return errs
}

// ruled is c with everything that comparison has a rule for taken from base.
func (c Config) ruled(base Config) Config {
	c.Guard, c.Limits, c.Sandbox.Limits = base.Guard, base.Limits, base.Sandbox.Limits
	c.Grants, c.RootGrants, c.Loosen, c.OwnEnv, c.Path = base.Grants, base.RootGrants, base.Loosen, base.OwnEnv, base.Path
	s := &c.Sandbox
	s.Mode, s.Network, s.Reads, s.Require, s.Readable = base.Sandbox.Mode, base.Sandbox.Network, base.Sandbox.Reads, base.Sandbox.Require, base.Sandbox.Readable
	s.Writable, s.HostPorts, s.Logins, c.Remembered = base.Sandbox.Writable, base.Sandbox.HostPorts, base.Sandbox.Logins, base.Remembered
	c.NetworkImplied, c.networkChosen = base.NetworkImplied, base.networkChosen
	c.Audit, c.Undo, c.Hosts, c.Sockets, c.SSH = base.Audit, base.Undo, base.Hosts, base.Sockets, base.SSH
	c.Leave, c.ShutdownGrace, c.ApprovalTimeout, c.AskByMessage = base.Leave, base.ShutdownGrace, base.ApprovalTimeout, base.AskByMessage
	return c
}

// comparison collects what became looser.
type comparison struct{ checker }

// flag is tightened by false.
func (f *comparison) flag(path string, base, now bool) {
	if now && !base {
		f.add(path, "false", "true")
	}
}

// word is tightened by what comes earlier in order, which has all of them.
func word[T ~string](f *comparison, path string, base, now T, order []T) {
	if i := slices.Index(order, now); now != base && (i < 0 || i > slices.Index(order, base)) {
		f.add(path, quoted(string(base))+" or stricter", quoted(string(now)))
	}
}

// most is tightened by less.
func (f *comparison) most(path string, base, now int64) {
	if now > base {
		f.add(path, fmt.Sprintf("at most %d", base), fmt.Sprint(now))
	}
}

// subset is tightened by leaving out. Not by what lies below an entry: a link
// there could lead anywhere.
func subset[T comparable](f *comparison, path string, base, now []T, spelled func(T) string) {
	for _, entry := range now {
		if !slices.Contains(base, entry) {
			f.add(path, "nothing that was not there", spelled(entry))
			return
		}
	}
}

func (f *comparison) grants(base, now Config) {
	b, n := base.Grants, now.Grants
	f.flag("/policy/allowOff", b.Off, n.Off)
	f.flag("/policy/allowNetwork", b.Network, n.Network)
	f.flag("/policy/allowReadsAll", b.ReadsAll, n.ReadsAll)
	f.flag("/policy/allowNoTimeout", b.NoTimeout, n.NoTimeout)
	f.flag("/policy/allowEnvAll", b.EnvAll, n.EnvAll)
	f.flag("/policy/allowWrite", b.Write, n.Write)
	f.flag("/policy/loosen", base.Loosen, now.Loosen)
	subset(f, "/policy/writable", b.Writable, n.Writable, quoted)
	subset(f, "/policy/allowRoots", base.RootGrants, now.RootGrants, quoted)
	// Either could put a program of the repository in place of a trusted one, by
	// its directory or by LD_PRELOAD.
	if !slices.Equal(base.Path, now.Path) {
		f.add("/policy/path", "no directories", "some")
	}
	if !maps.Equal(base.OwnEnv, now.OwnEnv) {
		f.add("/policy/env", "no variables", "some")
	}
	subset(f, "/policy/readable", base.Sandbox.Readable, now.Sandbox.Readable, quoted)
}

func (f *comparison) judging(base, now guard.Policy) {
	for _, id := range guard.RuleIDs() {
		word(f, "/policy/rules/"+escape(id), base.Decision(id), now.Decision(id), []guard.Decision{guard.Deny, guard.Ask, guard.Allow})
	}
	f.custom(base.Custom, now.Custom)
	subset(f, "/policy/roots", base.Roots, now.Roots, quoted)
	subset(f, "/policy/programs", base.Programs, now.Programs, quoted)
	if base.Restrict && !now.Restrict {
		f.add("/policy/restrictToWorkspace", "true", "false")
	}
	f.patterns(base.AllowPatterns, now.AllowPatterns)
	if base.Closed != "" && now.Closed != base.Closed {
		f.add("/policy/shell/sandbox", "false", "true")
	}
	now.Decisions, now.Custom, now.Roots, now.Programs = base.Decisions, base.Custom, base.Roots, base.Programs
	now.Restrict, now.AllowPatterns, now.Closed = base.Restrict, base.AllowPatterns, base.Closed
	if now.Hash() != base.Hash() {
		f.add("/policy", "settings that tighten", "another guard")
	}
}

// custom rules are tightened by more of them, whose texts would be shown to a
// person as if they were pillion's.
func (f *comparison) custom(base, now []guard.CustomRule) {
	if len(now) < len(base) || !reflect.DeepEqual(now[:len(base)], base) {
		f.add("/policy/rule", "the rules that were there, and more", "others")
		return
	}
	for i, r := range now[len(base):] {
		if r.Message != "" || r.Why != "" || r.Safer != "" {
			f.add("/policy"+ruleAt(i), "no message, why and safer", "some")
		}
	}
}

// patterns are tightened by leaving some out, but not all: none would filter nothing.
func (f *comparison) patterns(base, now []string) {
	switch {
	case len(base) == 0:
	case len(now) == 0:
		f.add("/policy/allowPatterns", "some of the patterns that were there", "none")
	default:
		subset(f, "/policy/allowPatterns", base, now, quoted)
	}
}

func (f *comparison) sandbox(base, now Config) {
	b, n := base.Sandbox, now.Sandbox
	word(f, "/sandbox/mode", b.Mode, n.Mode, modes)
	word(f, "/sandbox/network", b.Network, n.Network, networks)
	if b.Network == n.Network && base.NetworkImplied && !now.NetworkImplied {
		f.add("/sandbox/network", "none", quoted(string(n.Network)))
	}
	word(f, "/sandbox/reads", b.Reads, n.Reads, reads)
	word(f, "/sandbox/require", b.Require, n.Require, requires)
}

func (f *comparison) session(base, now Config) {
	f.most("/shutdown/graceMs", base.ShutdownGrace.Milliseconds(), now.ShutdownGrace.Milliseconds())
	f.most("/approvals/timeoutMs", base.ApprovalTimeout.Milliseconds(), now.ApprovalTimeout.Milliseconds())
	if base.Undo && !now.Undo { // what is kept of a repository is not its own to give up
		f.add("/policy/undo/enabled", "true", "false")
	}
	if now.Audit != base.Audit { // what a repository's settings start must not hide what they do
		f.add("/policy/audit/enabled", fmt.Sprint(base.Audit)+", as the session began", fmt.Sprint(now.Audit))
	}
	if now.Leave && !base.Leave {
		f.add("/onBackground", quoted(executor.Kill), quoted(executor.Leave))
	}
	if now.AskByMessage && !base.AskByMessage {
		f.add("/approvals/fallback", quoted(string(FallbackDeny)), quoted(string(FallbackMessage)))
	}
}
