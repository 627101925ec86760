package executor

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/egress"
	"github.com/pillion-sidecar/pillion/workspace"
)

// prepared is a command that may start.
type prepared struct {
	dir     *os.File
	verdict guard.Verdict
	box     *sandbox.Sandbox
	policy  sandbox.Policy
	env     []string
	gate    *gateway       // nil where the network is not a proxy's
	token   string         // names the command to it
	lender  *egress.Lender // nil where git logs in nowhere

	asksLogins bool // git may ask to be logged in elsewhere, too

	launches []launch // one, or that of each command of a sequence
}

func (p *prepared) close() { _ = p.dir.Close() }

// prepare resolves, judges and plans; nothing has been started when it fails.
func (r *Run) prepare() (*prepared, error) {
	if err := r.stopped("guard"); err != nil {
		return nil, err
	}
	dir, err := r.engine.directory(r.req, r.folders)
	if err != nil {
		return nil, err
	}
	p := &prepared{dir: dir}
	if err := r.plan(p); err != nil {
		p.close()
		if next, yes := r.engine.unproxied(r.req.Sandbox, err); yes {
			r.engine.mu.Lock()
			r.req.Sandbox = next
			r.engine.mu.Unlock()
			return r.prepare()
		}
		return nil, err
	}
	return p, nil
}

// unproxied is the same sandbox without a network, where this machine has no proxy to
// offer and none was asked for by name: commands run all the same.
func (e *Engine) unproxied(s SandboxRequest, err error) (SandboxRequest, bool) {
	var no *sandbox.UnavailableError
	if !e.conf.NetworkImplied || s.Network != "" || !errors.As(err, &no) {
		return s, false
	}
	s.Network = sandbox.NetworkDeny
	return s, true
}

// directory opens the cwd. A directory that is missing, or may not be entered, is the
// request's fault; a machine without a free descriptor is neither that nor a bug. On a
// kernel that can't open it safely the sandbox most likely isn't to be had, and says in
// more words why.
func (e *Engine) directory(r Request, f *workspace.Set) (*os.File, error) {
	dir, err := f.Dir(r.Cwd)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		if _, why := e.assess(r.Sandbox, f, f.Folders()[0]); why != nil {
			return nil, why
		}
		return nil, &sandbox.SetupError{Stage: "working directory", Err: err}
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.ELOOP):
		return nil, &ParamError{Path: "/cwd", Expected: "a directory that exists and may be entered", Got: err.Error()}
	case sandbox.Exhausted(err):
		return nil, &sandbox.SetupError{Stage: "working directory", Err: err}
	}
	return dir, err
}

// plan judges, asks if it must, and finds the sandbox and what to start in it.
func (r *Run) plan(p *prepared) (err error) {
	e := r.engine
	var ask *ApprovalError
	p.verdict, err = e.judge(r.req, r.folders, p.dir.Name())
	given, verdict := e.missing(r.req, p.verdict, r.folders, p.dir.Name())
	r.record(p.dir.Name(), verdict)
	if given != nil {
		err = &ApprovalError{Verdict: verdict, given: given}
	}
	// Where nobody can be asked, what was said yes to for good still holds.
	refusal, asks := err, e.asks(r.req)
	if err != nil && (!errors.As(err, &ask) || !asks && len(e.remembered()) == 0) {
		return err
	}
	next := r.req.Sandbox
	next.Given = slices.Concat(next.Given, given)
	if p.policy, err = e.policy(next, r.folders, p.dir.Name()); err != nil {
		return err
	}
	if ask != nil {
		if err := r.consent(ask, p); err != nil && !asks {
			ask.proposal = nil
			return refusal
		} else if err != nil {
			return err
		}
	}
	if given != nil { // with it the command is judged like any other
		e.mu.Lock()
		r.req.Sandbox = next
		e.mu.Unlock()
		return r.plan(p)
	}
	caches, err := e.cacheEnv(p.policy)
	if err != nil {
		return err
	}
	if err := e.outputs.open(); err != nil {
		return &sandbox.SetupError{Stage: "saved outputs", Err: err}
	}
	if err := e.place(p, r.folders.Folders()); err != nil {
		return err
	}
	p.env = e.env(r.req, p.dir.Name(), p.policy, caches, p.wayOut(), p.box)
	p.launches, err = e.launches(r.req, p.verdict, p.dir.Name(), p.env)
	err = e.notSeen(err, p.policy)
	e.mu.Lock()
	r.cwd, r.mode = p.dir.Name(), p.policy.Mode
	e.mu.Unlock()
	return err
}
