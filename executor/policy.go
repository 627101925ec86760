package executor

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/executor/caches"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/egress"
	"github.com/pillion-sidecar/pillion/workspace"
)

// check refuses what a request can't mean, before it is registered.
func (e *Engine) check(r Request) error {
	size, limit := len(r.Command), e.conf.Limits.MaxCommandBytes
	for _, a := range slices.Concat(r.Argv, r.Commands) {
		size += len(a) + 1
	}
	switch {
	case r.Command == "" && len(r.Argv) == 0 && r.Commands == nil && e.conf.Guard.Rules == guard.DenylistRules:
		// Clients of this profile know the guard's own sentence for it.
		return &DeniedError{Verdict: guard.Check(guard.Input{}, e.conf.Guard, &workspace.Set{}, e.conf.Home)}
	case r.text().Forms() != 1:
		return &ParamError{Path: r.member(), Expected: "exactly one of command, argv and commands, not empty", Got: fmt.Sprintf("%d of them", r.text().Forms())}
	case size > limit:
		return &ParamError{Path: r.member(), Expected: fmt.Sprintf("at most %d bytes", limit), Got: fmt.Sprintf("%d bytes", size)}
	case len(r.Argv) > 0 && r.Argv[0] == "":
		return &ParamError{Path: "/argv/0", Expected: "a program", Got: `""`}
	case r.Timeout < 0 && !e.conf.Grants.NoTimeout:
		return &ParamError{Path: "/timeoutMs", Expected: "a number (null needs the grant policy.allowNoTimeout)", Got: "null"}
	case r.EnvInherit == "all" && !e.conf.Grants.EnvAll:
		return &ParamError{Path: "/envInherit", Expected: `"core" or "none" ("all" needs the grant policy.allowEnvAll)`, Got: `"all"`}
	}
	if r.Approval != nil && (e.conf.Approver != nil || !e.conf.Retry || r.Bridged) {
		return &ParamError{Path: "/approval", Expected: "none (it is for clients that announced exec.approvalRetry and are asked in no other way)", Got: "one"}
	}
	if err := checkSequence(r); err != nil {
		return err
	}
	if err := checkTerminal(r); err != nil {
		return err
	}
	if err := e.checkNamed(r); err != nil {
		return err
	}
	if err := e.checkSaved(r.Output); err != nil {
		return err
	}
	if _, ok := e.shell(r.Shell); !ok {
		return &ParamError{Path: "/shell", Expected: "one of " + shellNames(e.shells), Got: fmt.Sprintf("%q", r.Shell)}
	}
	return e.granted(r.Sandbox)
}

// member is where a request has its command: the last one that it gives.
func (r Request) member() string {
	switch {
	case r.Commands != nil:
		return "/commands"
	case r.Argv != nil:
		return "/argv"
	}
	return "/command"
}

// checkSequence refuses what several commands can't have: an input would be the
// first one's, and a terminal ends with it.
func checkSequence(r Request) error {
	switch {
	case r.Commands == nil && r.IgnoreErrors:
		return &ParamError{Path: "/ignoreErrors", Expected: "commands to ignore the errors of", Got: "none"}
	case r.Commands == nil:
		return nil
	case len(r.Commands) == 0 || len(r.Commands) > MaxCommands:
		return &ParamError{Path: "/commands", Expected: fmt.Sprintf("1 to %d commands", MaxCommands), Got: fmt.Sprint(len(r.Commands))}
	case r.Stdin != nil || r.StdinOpen:
		return &ParamError{Path: "/stdin", Expected: "none with commands: each of them has an empty input", Got: "one"}
	case r.Terminal != nil:
		return &ParamError{Path: "/pty", Expected: "none with commands: run one command that starts the others", Got: "one"}
	}
	if i := slices.Index(r.Commands, ""); i >= 0 {
		return &ParamError{Path: fmt.Sprintf("/commands/%d", i), Expected: "a command", Got: `""`}
	}
	return nil
}

// granted refuses a loosening without a grant.
func (e *Engine) granted(s SandboxRequest) error {
	if err := e.bounded(s); err != nil {
		return err
	}
	g := e.conf.Grants
	switch {
	case s.Mode == sandbox.WorkspaceWrite && e.conf.Policy.Mode == sandbox.ReadOnly && !g.Write:
		return &ParamError{Path: "/sandbox/mode", Expected: `"read-only" ("workspace-write" needs the grant policy.allowWrite)`, Got: `"workspace-write"`}
	case s.Mode == sandbox.Off && e.conf.Policy.Mode != sandbox.Off && !g.Off:
		return &ParamError{Path: "/sandbox/mode", Expected: `"read-only" or "workspace-write" ("off" needs the grant policy.allowOff)`, Got: `"off"`}
	case s.Network == sandbox.NetworkAllow && e.conf.Policy.Network != sandbox.NetworkAllow && !g.Network:
		return &ParamError{Path: "/sandbox/network", Expected: fmt.Sprintf(`%q ("allow" needs the grant policy.allowNetwork)`, e.conf.Policy.Network), Got: `"allow"`}
	case s.Network == sandbox.NetworkProxy && e.conf.Policy.Network != sandbox.NetworkProxy && e.conf.Policy.Network != sandbox.NetworkAllow && !g.Network:
		return &ParamError{Path: "/sandbox/network", Expected: `"deny" ("proxy" needs it in the policy: sandbox.network "proxy", or the grant allowNetwork)`, Got: `"proxy"`}
	case s.Reads == sandbox.ReadsAll && e.conf.Policy.Reads != sandbox.ReadsAll && !g.ReadsAll:
		return &ParamError{Path: "/sandbox/reads", Expected: `"private" ("all" needs the grant policy.allowReadsAll)`, Got: `"all"`}
	}
	return nil
}

// bounded refuses what a policy file of the workspace has ruled out.
func (e *Engine) bounded(s SandboxRequest) error {
	b := e.conf.Bounds
	for _, m := range []struct {
		member, asked, bound string
		strictest            []string
	}{
		{"mode", string(s.Mode), string(b.Mode), []string{string(sandbox.ReadOnly), string(sandbox.WorkspaceWrite), string(sandbox.Off)}},
		{"network", string(s.Network), string(b.Network), []string{string(sandbox.NetworkDeny), string(sandbox.NetworkProxy), string(sandbox.NetworkAllow)}},
		{"reads", string(s.Reads), string(b.Reads), []string{string(sandbox.ReadsPrivate), string(sandbox.ReadsAll)}},
		{"require", string(s.Require), string(b.Require), []string{string(sandbox.RequireEnforced), string(sandbox.RequireBestEffort)}},
	} {
		if m.asked != "" && m.bound != "" && slices.Index(m.strictest, m.asked) > slices.Index(m.strictest, m.bound) {
			return &ParamError{
				Path: "/sandbox/" + m.member, Got: fmt.Sprintf("%q", m.asked),
				Expected: fmt.Sprintf("%q or stricter, as .pillion.toml of the workspace says", m.bound),
			}
		}
	}
	return nil
}

// policy is the whole sandbox policy of one request: the configured default,
// what the request asks, and the workspace's folders.
func (e *Engine) policy(s SandboxRequest, f *workspace.Set, cwd string) (sandbox.Policy, error) {
	p := e.conf.Policy
	override(&p.Mode, s.Mode)
	override(&p.Network, s.Network)
	if p.Mode == sandbox.Off && p.Network == sandbox.NetworkProxy && s.Network == "" {
		p.Network = sandbox.NetworkDeny // it holds nothing back, whatever it is called, and has no place for a proxy
	}
	override(&p.Reads, s.Reads)
	override(&p.Require, s.Require)
	override(&p.Name, s.Name)
	p.Readable, p.Links = slices.Concat(f.Folders(), p.Readable), f.Others()
	var err error
	if p.Writable, err = e.standing(p.Writable, f); err != nil {
		return p, err
	}
	if s.Writable != nil {
		if p.Writable, err = e.writable(s.Writable, f, cwd); err != nil {
			return p, err
		}
	}
	if e.conf.CacheDir != "" && p.Mode != sandbox.Off {
		p.Caches = []string{e.caches.Path(caches.Key(p, f.Folders()))}
		p.Views, p.ViewsIn = caches.Views(p.Caches[0], e.conf.Env)
	}
	if proxied(p) {
		p.Book = book(e.conf.Hosts)
	}
	if p.Network == sandbox.NetworkDeny {
		p.Sockets, p.HostPorts, p.Logins = nil, nil, nil // its server may have a network
	}
	if e.conf.Keys.Socket != "" && p.Mode != sandbox.Off {
		p.Keys = e.conf.Keys.Rules.Hash()
	}
	for _, a := range e.lasting() {
		if next := p; p.Mode != sandbox.Off && e.give(&next, []Access{a}, f) == nil { // it may be gone
			p = next
		}
	}
	if err := e.give(&p, s.Given, f); err != nil {
		return p, err
	}
	p.Limits = s.Limits.Or(p.Limits)
	p.Outputs = e.outputs.dir
	e.journaled(&p, f.Folders())
	return p, nil
}

// standing are the folders and what the user's policy lets every command write in. A
// directory that isn't there is left out: a policy is written for several machines.
func (e *Engine) standing(grants []string, f *workspace.Set) ([]string, error) {
	all := slices.Clone(f.Folders())
	for _, g := range grants {
		resolved, inside := f.Resolve(g, "/")
		if inside {
			continue
		}
		if err := e.ownable("/sandbox/writable", g, resolved); err != nil {
			return nil, err
		}
		if st, err := os.Stat(resolved); err == nil && st.IsDir() {
			all = append(all, resolved)
		}
	}
	return all, nil
}

func override[T ~string](to *T, from T) {
	if from != "" {
		*to = from
	}
}

// maxWritable bounds what one request has looked up and mounted: nothing ends that.
const maxWritable = 1024

// writable narrows what may be written to the entries of a request. Each must
// lie inside the workspace or a granted root: a model-chosen directory that
// became a writable root was CVE-2025-59532.
func (e *Engine) writable(entries []string, f *workspace.Set, cwd string) ([]string, error) {
	if n := len(entries); n > maxWritable {
		return nil, &ParamError{Path: "/sandbox/writable", Expected: fmt.Sprintf("at most %d directories", maxWritable), Got: strconv.Itoa(n)}
	}
	out := []string{}
	for i, w := range entries {
		at := fmt.Sprintf("/sandbox/writable/%d", i)
		resolved, inside := f.Resolve(w, cwd)
		if !inside && !slices.ContainsFunc(slices.Concat(e.conf.Grants.Writable, e.conf.Policy.Writable), func(g string) bool { return workspace.Within(g, resolved) }) {
			return nil, &workspace.OutsideError{Path: w, Resolved: resolved, Folders: f.Folders()}
		}
		if !inside {
			if err := e.ownable(at, w, resolved); err != nil {
				return nil, err
			}
		}
		if st, err := os.Stat(resolved); err != nil || !st.IsDir() {
			return nil, &ParamError{Path: at, Expected: "a directory that exists", Got: fmt.Sprintf("%q", w)}
		}
		out = append(out, resolved)
	}
	return out, nil
}

// ownable refuses to make a directory writable that holds the user's home or pillion's own
// files, however it was granted: with ~/.config a command writes the policy that judges
// the next one.
func (e *Engine) ownable(at, name, resolved string) error {
	var refused *workspace.RefusedRootError
	if err := workspace.Refuse(resolved, e.conf.Places); errors.As(err, &refused) {
		return &ParamError{
			Path: at, Expected: "a directory that commands may own",
			Got: fmt.Sprintf("%q: %s", name, refused.Reason),
		}
	}
	return nil
}

func shellNames(shells []Shell) string {
	var names []string
	for _, s := range shells {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// give widens a policy by exactly what a person has given for one run. Hidden secrets,
// what no command may own, and the bound of a workspace's file stay.
func (e *Engine) give(p *sandbox.Policy, given []Access, f *workspace.Set) error {
	for _, a := range given {
		path, _ := f.Resolve(a.Value, "/")
		switch {
		case (a.Kind == GrantHost || a.Kind == GrantSocket || a.Kind == GrantCredentials) && !e.opened(p):
			return unfit(a)
		case a.Kind == GrantCredentials && egress.CheckLogin(a.Value) == nil:
			p.Logins = append(slices.Clip(p.Logins), a.Value)
		case a.Kind == GrantHost, a.Kind == GrantLimit: // limits are the request's
		case a.Kind == GrantSocket && isSocket(path):
			p.Sockets = append(slices.Clip(p.Sockets), path)
		case a.Kind == GrantRead && !p.Hides(e.conf.Home, path):
			p.Readable = append(slices.Clip(p.Readable), path)
		case a.Kind == GrantWrite && p.Mode == sandbox.WorkspaceWrite && !p.Hides(e.conf.Home, path):
			if err := e.ownable("/grants", a.Value, path); err != nil {
				return err
			}
			p.Writable = append(slices.Clip(p.Writable), path)
		default:
			return unfit(a)
		}
	}
	return nil
}

func unfit(a Access) error {
	return &ParamError{Path: "/grants", Expected: "what a person can give here", Got: fmt.Sprintf("%s %q", a.Kind, a.Value)}
}

// opened gives a policy the address book, if it may have more than no network: a socket's
// server may have one, too.
func (e *Engine) opened(p *sandbox.Policy) bool {
	switch {
	case p.Network != sandbox.NetworkDeny:
		return true
	case e.conf.Bounds.Network == sandbox.NetworkDeny:
		return false
	}
	p.Network, p.Book = sandbox.NetworkProxy, book(e.conf.Hosts)
	return true
}

func isSocket(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Type() == os.ModeSocket
}

// lasting are the accesses that a person has given in this session for good.
func (e *Engine) lasting() []Access {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.lent)
}

// has says that a person has given a host for this run.
func (s SandboxRequest) has(host string, port int) bool {
	web := port == 80 || port == 443 // what a pattern without a port is for
	return slices.ContainsFunc(s.Given, func(a Access) bool {
		return a.Kind == GrantHost && (a.Value == net.JoinHostPort(host, strconv.Itoa(port)) || web && a.Value == host)
	})
}
