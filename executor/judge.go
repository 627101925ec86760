package executor

import (
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/workspace"
)

// judge turns a verdict into a door that opens or an error.
func (e *Engine) judge(r Request, f *workspace.Set, cwd string) (guard.Verdict, error) {
	in := guard.Input{Command: r.Command, Argv: r.Argv, Cwd: cwd, Env: r.Env}
	if s, ok := e.shell(r.Shell); ok {
		in.Dialect = s.Dialect
	}
	v := guard.Check(in, e.conf.Guard, f, e.conf.Home)
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
