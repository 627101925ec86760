package sandbox

import (
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
)

// findings is the outcome of a self-test: the rung that serves every sandbox of this
// machine, what the canaries found on it, and why no stronger one does.
type findings struct {
	rung   string
	group  string // the control group that sandboxes divide, "" for none
	facts  map[Mode]assess.Facts
	missed []Missing
	scarce error // why there is no outcome: descriptors ran out
}

// rungNeeds names what a rung needs.
var rungNeeds = map[string]string{
	RungFull: "namespaces", RungNoUserns: "landlock", RungNoLandlock: "namespaces",
	RungWriteRestricted: "restricted token", RungLowIntegrity: "low integrity",
}

// shortfall says why a rung does not serve: its canary failed, or a guarantee that
// a policy requires by default does not hold.
func shortfall(rung string, modes ...assess.Facts) *Missing {
	for _, f := range modes {
		if f.Failure != nil {
			return f.Failure
		}
		e := assess.Of(Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate}, f)
		if m := assess.Lacking(Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate}, e); len(m) > 0 {
			m[0].Reason = "on the rung " + rung + " the self-test got through: " + strings.Join(f.Open(), ", ")
			return &m[0]
		}
	}
	return nil
}

// fail says of all of these modes why nothing serves them.
func (s *findings) fail(modes []Mode, why *Missing) {
	for _, m := range modes {
		s.facts[m] = assess.Facts{Failure: why}
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

// serve says what a policy gets by a self-test's outcome, and why it is refused.
func (s findings) serve(p Policy) (Enforcement, error) {
	if s.scarce != nil {
		return Enforcement{}, &SetupError{Stage: "self-test", Err: s.scarce}
	}
	f, ok := s.facts[p.Mode]
	if !ok {
		f = s.facts[WorkspaceWrite]
	}
	e := assess.Of(p, f)
	missing := refuses(p, s, f, e)
	if len(missing) > 0 {
		return e, &UnavailableError{Requested: p, Effective: e, Missing: missing}
	}
	return e, nil
}

// refuses gives the first reasons for which a policy is not served.
func refuses(p Policy, s findings, f assess.Facts, e Enforcement) []Missing {
	if bad := p.Validate(); bad != nil {
		return []Missing{*bad}
	}
	if missing := p.Below(s.rung); len(missing) > 0 {
		return missing
	}
	if f.Failure != nil {
		return []Missing{*f.Failure}
	}
	if missing := p.Unserved(s.rung); len(missing) > 0 || p.Require == RequireBestEffort {
		return missing
	}
	return assess.Lacking(p, e)
}
