package sandbox

import "strings"

// survey is the outcome of a self-test: the rung that serves every sandbox of this
// machine, what the canaries found on it, and why no stronger one does.
type survey struct {
	rung   string
	group  string // the control group that sandboxes divide, "" for none
	facts  map[Mode]facts
	missed []Missing
	scarce error // why there is no outcome: descriptors ran out
}

// rungNeeds names what a rung stands on.
var rungNeeds = map[string]string{
	RungFull: "namespaces", RungNoUserns: "landlock", RungNoLandlock: "namespaces",
	RungWriteRestricted: "restricted token", RungLowIntegrity: "low integrity",
}

// shortfall says why a rung does not serve: its canary failed, or a guarantee that
// a policy requires by default does not hold.
func shortfall(rung string, modes ...facts) *Missing {
	for _, f := range modes {
		if f.failure != nil {
			return f.failure
		}
		e := assess(Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate}, f)
		if m := (Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate}).missing(e); len(m) > 0 {
			m[0].Reason = "on the rung " + rung + " the self-test got through: " + strings.Join(f.open(), ", ")
			return &m[0]
		}
	}
	return nil
}

// fail says of all of these modes why nothing serves them.
func (s *survey) fail(modes []Mode, why *Missing) {
	for _, m := range modes {
		s.facts[m] = facts{failure: why}
	}
}

// noRung joins the reasons of all rungs into the one that people see.
func noRung(missed []Missing) *Missing {
	all := missed[0]
	for _, m := range missed[1:] {
		if !strings.Contains(all.Reason, m.Reason) {
			all.Reason += "; " + m.Reason
		}
		if !strings.Contains(all.Hint, m.Hint) {
			all.Hint += "; or: " + m.Hint
		}
	}
	return &all
}

// serve tells what a policy gets by a self-test's outcome, and why it is refused.
func (s survey) serve(p Policy) (Enforcement, error) {
	if s.scarce != nil {
		return Enforcement{}, &SetupError{Stage: "self-test", Err: s.scarce}
	}
	f, ok := s.facts[p.Mode]
	if !ok {
		f = s.facts[WorkspaceWrite]
	}
	e := assess(p, f)
	missing := p.refusals(s, f, e)
	if len(missing) > 0 {
		return e, &UnavailableError{Requested: p, Effective: e, Missing: missing}
	}
	return e, nil
}

// refusals are the first reasons for which a policy is not served.
func (p Policy) refusals(s survey, f facts, e Enforcement) []Missing {
	if bad := p.validate(); bad != nil {
		return []Missing{*bad}
	}
	if missing := p.below(s.rung); len(missing) > 0 {
		return missing
	}
	if f.failure != nil {
		return []Missing{*f.failure}
	}
	if missing := p.unserved(s.rung); len(missing) > 0 || p.Require == RequireBestEffort {
		return missing
	}
	return p.missing(e)
}
