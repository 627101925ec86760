package executor

import (
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/workspace"
)

// Judge gives the guard's verdict on a request without running it.
func (e *Engine) Judge(r Request, f *workspace.Set) (guard.Verdict, error) {
	dir, err := f.Dir(r.Cwd)
	if err != nil {
		return guard.Verdict{}, err
	}
	defer dir.Close()
	return e.verdict(r, f, dir.Name()), nil
}

func (e *Engine) verdict(r Request, f *workspace.Set, cwd string) guard.Verdict {
	in := guard.Input{Command: r.Command, Argv: r.Argv, Cwd: cwd, Env: r.Env}
	if s, ok := e.shell(r.Shell); ok {
		in.Dialect = s.Dialect
	}
	return guard.Check(in, e.conf.Guard, f, e.conf.Home)
}

// judge turns a verdict into a door that opens or an error.
func (e *Engine) judge(r Request, f *workspace.Set, cwd string) (guard.Verdict, error) {
	v := e.verdict(r, f, cwd)
	e.count(func(s *Stats) {
		s.Checks++
		switch v.Decision {
		case guard.Ask:
			s.Asked++
		case guard.Deny:
			s.Denied++
		}
	})
	switch v.Decision {
	case guard.Allow:
		return v, nil
	case guard.Ask:
		return v, &ApprovalError{Verdict: v}
	}
	return v, &DeniedError{Verdict: v}
}
