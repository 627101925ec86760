package executor

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// checkNamed refuses an invalid name, and to leave processes in a sandbox without a name:
// nobody would know whose they are.
func (e *Engine) checkNamed(r Request) error {
	name := e.name(r)
	switch {
	case !sandbox.ValidName(name):
		return &ParamError{Path: "/sandbox/name", Expected: "1 to 64 of A-Za-z0-9._-", Got: fmt.Sprintf("%.80q", name)}
	case r.OnBackground != "" && r.OnBackground != Kill && r.OnBackground != Leave:
		return &ParamError{Path: "/onBackground", Expected: `"kill" or "leave"`, Got: fmt.Sprintf("%.40q", r.OnBackground)}
	case r.OnBackground == Leave && name == sandbox.DefaultName:
		return &ParamError{Path: "/onBackground", Expected: `"kill", or a sandbox.name to leave processes in`, Got: `"leave"`}
	}
	return nil
}

// name is that of the sandbox a request will get.
func (e *Engine) name(r Request) string {
	p := e.conf.Policy
	override(&p.Name, r.Sandbox.Name)
	return p.SandboxName()
}

// leaves says whether what outlives the main child stays. A command that was to be stopped
// must stop.
func (s *step) leaves() bool {
	want := s.req.OnBackground == Leave || s.req.OnBackground == "" && s.engine.conf.Leave
	return want && s.policy.SandboxName() != sandbox.DefaultName && s.reason == Exited
}

// full turns the refusal of one more sandbox into that of the request.
func (e *Engine) full(err error) error {
	var full *sandbox.FullError
	if !errors.As(err, &full) {
		return err
	}
	st := e.Stats()
	return &BusyError{Running: st.Running, Queued: st.Queued, RetryAfter: time.Second, Full: full}
}

// Sandboxes lists the sandboxes there are and what was left running in them.
func (e *Engine) Sandboxes() []sandbox.Info { return e.conf.Sandbox.List() }

// Reset ends the sandboxes of that name: what was left in them is killed and
// counted, their private files are gone. While commands run in one it is refused,
// *InUseError; with force they are cancelled. A name nobody uses is no error.
func (e *Engine) Reset(name string, force bool) (killed int, err error) {
	if !sandbox.ValidName(name) {
		return 0, &ParamError{Path: "/name", Expected: "the name of a sandbox", Got: fmt.Sprintf("%.80q", name)}
	}
	runs := e.runningIn(name)
	if len(runs) > 0 && !force {
		return 0, inUse(name, runs)
	}
	for _, r := range runs {
		r.Cancel(Cancelled, true)
	}
	killed, err = e.conf.Sandbox.Reset(name, force)
	var busy *sandbox.InUseError
	if errors.As(err, &busy) { // a command has come in between
		err = inUse(name, e.runningIn(name))
	}
	return killed, err
}

func (e *Engine) runningIn(name string) []*Run {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(e.order), func(r *Run) bool { return r.in != name })
}

func inUse(name string, runs []*Run) error {
	e := &InUseError{Name: name, Execs: []string{}}
	for _, r := range runs {
		e.Execs = append(e.Execs, r.ID())
	}
	return e
}
