package executor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/executor/caches"
	"github.com/pillion-sidecar/pillion/executor/environ"
	"github.com/pillion-sidecar/pillion/executor/keys"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/egress"
	"github.com/pillion-sidecar/pillion/workspace"
)

// pipeEnv says to programs that their output is a pipe, unless the request says otherwise.
var pipeEnv = map[string]string{"TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat"}

// env builds a command's environment: inherited, then where toolchains, caches and
// the proxy and the ssh agent are (wayOut says so), then what the user's
// policy sets, what the sandbox needs, and the request's own (a nil value unsets).
func (e *Engine) env(r Request, cwd string, p sandbox.Policy, c, wayOut map[string]string, box *sandbox.Sandbox) []string {
	vars := map[string]string{}
	for _, kv := range e.environ {
		name, value, _ := strings.Cut(kv, "=")
		if name = environ.Name(runtime.GOOS, name); environ.Inherits(r.EnvInherit, name, value) || environ.SystemEnv(runtime.GOOS, r.EnvInherit, name) {
			vars[name] = value
		}
	}
	if path, ok := vars["PATH"]; ok || len(e.conf.Path) > 0 {
		vars["PATH"] = environ.Path(path, e.conf.Path, e.hidden(p))
	}
	if r.Terminal == nil {
		maps.Copy(vars, pipeEnv)
	} else {
		vars["TERM"] = cmp.Or(r.Terminal.Term, defaultTerm)
	}
	maps.Copy(vars, caches.WithTools(e.conf.Env, c))
	maps.Copy(vars, wayOut)
	for name, path := range e.conf.Sockets {
		if slices.Contains(p.Sockets, path) {
			vars[name] = path
		}
	}
	for name, value := range e.conf.OwnEnv {
		vars[environ.Name(runtime.GOOS, name)] = value
	}
	vars["PWD"] = cwd
	if home := box.Home(); home != "" {
		maps.Copy(vars, environ.HomeVars(runtime.GOOS, home, box.Tmp()))
	}
	if dir := box.Outputs(); dir != "" {
		vars["PILLION_OUTPUTS"] = dir
	}
	for name, value := range r.Env {
		name = environ.Name(runtime.GOOS, name)
		if value == nil {
			delete(vars, name)
		} else {
			vars[name] = *value
		}
	}
	env := make([]string, 0, len(vars))
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		env = append(env, name+"="+vars[name])
	}
	return env
}

// cacheEnv makes the caches of a policy ready and names them.
func (e *Engine) cacheEnv(p sandbox.Policy) (map[string]string, error) {
	if len(p.Caches) == 0 {
		return nil, nil
	}
	d, err := e.caches.Use(filepath.Base(p.Caches[0]), caches.Links(e.conf.Env))
	if err != nil {
		return nil, &sandbox.SetupError{Stage: "caches", Err: err}
	}
	return caches.Vars(p.Caches[0], p.Network, e.conf.Env, d.Has), nil
}

// hidden reports the directories of the user's home that a policy's commands
// can't read.
func (e *Engine) hidden(p sandbox.Policy) func(dir string) bool {
	return func(dir string) bool {
		if p.Mode == sandbox.Off || p.Reads == sandbox.ReadsAll || e.conf.Home == "" || !workspace.Within(e.conf.Home, dir) {
			return false
		}
		return !slices.ContainsFunc(slices.Concat(p.Readable, p.Writable), func(root string) bool { return workspace.Within(root, dir) })
	}
}

// lend gives a command that may start its ssh agent. The socket is one of its policy's: no other
// sandbox is shown it, and no broker connects another one's command to it.
func (e *Engine) lend(p *prepared) (err error) {
	if p.policy.Keys == "" {
		return nil
	}
	p.policy.Keys, err = e.agents.Socket(p.policy.Key(), func(socket string) keys.Config {
		c := e.lendable(p.policy)
		c.Told = func(u keys.Use) bool { return e.keyUsed(e.lentTo(socket), u) }
		c.Lent = func() []keys.Loan { return lentBy(e.lentTo(socket)) }
		if e.conf.Approver != nil {
			c.Ask = func(ctx context.Context, l keys.Loan) bool { return askLoan(ctx, e.lentTo(socket), l) }
		}
		return c
	})
	if err != nil {
		return &sandbox.SetupError{Stage: "ssh agent", Err: err}
	}
	p.policy.Sockets = append(slices.Clone(p.policy.Sockets), p.policy.Keys)
	return nil
}

// lendable is the configured agent for a policy's commands, without the files that these can
// write: in them they would say themselves whose a host's key is, or which key is meant.
func (e *Engine) lendable(p sandbox.Policy) keys.Config {
	safe := func(names []string) (out []string) {
		for _, name := range names {
			if filepath.IsAbs(name) { // and no fingerprint
				name, _ = workspace.Resolve(nil, name, "/") // a link on the way may be a command's
				if p.Covers(name, true) {
					e.conf.Log.Warn("commands can write what says which ssh keys or hosts are granted; it is not read", "file", name)
					continue
				}
			}
			out = append(out, name)
		}
		return out
	}
	c := e.conf.Keys
	c.KnownHosts, c.Rules.Keys = safe(c.KnownHosts), safe(c.Rules.Keys)
	return c
}

// borrow says that the command has its ssh agent, until it is nil.
func (r *Run) borrow(l *life) {
	r.engine.mu.Lock()
	defer r.engine.mu.Unlock()
	r.borrower = l
}

// lentTo are the commands that an ssh agent may be asked by: those of its sandbox.
func (e *Engine) lentTo(socket string) (runs []*life) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range e.order {
		if r.borrower != nil && r.borrower.policy.Keys == socket {
			runs = append(runs, r.borrower)
		}
	}
	return runs
}

// vouch is the file in the private home by which git trusts the proxy with the hosts that it is
// logged in to.
const vouch = ".config/git/pillion.pem"

// lendLogins gives a command that may start the hosts to which its git is logged in, or may be
// when somebody is asked.
func (e *Engine) lendLogins(p *prepared) (err error) {
	if !proxied(p.policy) {
		p.policy.Logins = nil
		return nil
	}
	file := sandbox.HomeFile{Path: vouch}
	if e.conf.Approver != nil && sandbox.LendsLogins {
		file.After = egress.RootsFile() // git goes on to trust whom it trusts
		p.asksLogins = file.After != ""
	}
	if len(p.policy.Logins) == 0 && !p.asksLogins {
		return nil
	}
	if p.lender, err = e.lenders.For(p.policy.Logins); err != nil {
		return &sandbox.SetupError{Stage: "credentials", Err: err}
	}
	file.Text = p.lender.PEM
	p.policy.HomeFiles = append(slices.Clip(p.policy.HomeFiles), file)
	return nil
}

// Login is a request of git's that is made as the user.
type Login = egress.Login

// maxFills bounds how many times at once the user's git is asked for a sandbox.
const maxFills = 4

// login is an egress.Config's: as whom the user's own git logs in. Commands that were left
// running log in to nothing, because its use could not be reported.
func (g *gateway) login(ctx context.Context, l Login) (*url.Userinfo, error) {
	runs, _ := g.of(l.Peer)
	if len(runs) == 0 {
		return nil, errors.New("no command is there whose it could be")
	}
	select {
	case g.fills <- struct{}{}:
		defer func() { <-g.fills }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	user, err := sandbox.Credential(ctx, l.Host, l.Path, g.theirs)
	if err != nil {
		return nil, fmt.Errorf("your own git could not be asked for the credentials: %w", err)
	}
	if user != nil {
		var ids []string
		for _, r := range runs {
			ids = append(ids, r.req.ID)
		}
		runs[0].engine.tell(func(to Recorder) { to.LoggedIn(ids, l, user.Username()) })
	}
	return user, nil
}
