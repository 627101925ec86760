package guard

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/panics"
	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Check judges one command. home is the user's home directory, absolute; "" is
// unknown. It never panics and always answers; what it cannot read is never
// allowed.
func Check(in shell.Input, p Policy, f place.Facts, home string) Verdict {
	if in.Commands != nil {
		return checkSequence(in, p, f, home)
	}
	v, _ := check(in, p, f, home, nil)
	return v
}

// check judges one text or argv, and returns what was walked for that. made is
// what commands before it have written to files.
func check(in shell.Input, p Policy, f place.Facts, home string, made written) (Verdict, []*shell.Walker) {
	v := newVerdict(in, p)
	var walked []*shell.Walker
	limit, looked := shell.MaxSteps, 0
	p.compiled = p.patterns()
	for _, lang := range shell.Passes(in) {
		w := newWalker(in, p, f, home, lang)
		w.Made, w.Limit = made.before(lang), limit
		j := p.judging(in, w)
		if r := panics.Try(w.Walk); r != nil {
			// A bug must not open the door, nor tell an attacker more.
			w.Emit(effect.Effect{
				Kind: effect.Problem, Name: effect.ProblemInternal, Source: effect.Source{Field: w.Field()},
				Span: w.Whole(),
			})
		}
		j.looked = looked
		v.add(w, j)
		looked = j.looked
		walked = append(walked, w)
		if w.Stopped { // asked about whatever the other reading finds
			limit = shell.MaxSteps / 8
		}
	}
	v.settle()
	if panics.Try(func() { v.run(in, walked) }) != nil {
		v.RunAs, v.Canonical, v.Meaning = runAsWritten, "", ""
	}
	return v, walked
}

func newVerdict(in shell.Input, p Policy) Verdict {
	return Verdict{
		Decision: rule.Allow, PolicyID: p.ID, PolicyVersion: p.Version, PolicyHash: p.Hash(),
		RunAs: runAsWritten, Parse: Parse{Dialect: shell.Dialect(in), Complete: true},
	}
}

func newWalker(in shell.Input, p Policy, f place.Facts, home string, lang syntax.LangVariant) *shell.Walker {
	in.Cwd, f, home = place.OnDrives(in.Cwd, f, home)
	w := shell.New(in, place.World{Facts: f, Home: home, Programs: p.Programs, Restrict: p.Restrict}, lang, programs())
	for _, root := range p.Roots {
		if resolved, _ := f.Resolve(root, "/"); p.bounds(resolved, f) {
			w.Roots = append(w.Roots, root, resolved)
		}
	}
	if len(p.Roots) > 0 {
		w.Temp = p.Roots[0]
	}
	w.Closed, w.Commands = p.Closed, len(p.AllowPatterns) > 0 || p.Rules == InspectRules
	return w
}

// add turns a pass's effects into findings.
func (v *Verdict) add(w *shell.Walker, j *judging) {
	for i := range w.Effects {
		e := &w.Effects[i]
		if e.Kind == effect.Problem {
			v.Parse.Complete = false
		}
		for _, f := range j.findings(e) {
			if !v.has(f) {
				v.Findings = append(v.Findings, f)
			}
		}
	}
	for _, s := range w.Opaque {
		if !slices.Contains(v.Parse.Opaque, s) {
			v.Parse.Opaque = append(v.Parse.Opaque, s)
		}
	}
}

// maxFindings bounds a verdict; past it only stricter findings are added.
const maxFindings = 64

// has reports a finding that is already there, or one too many to be of use.
func (v *Verdict) has(f rule.Finding) bool {
	if len(v.Findings) >= maxFindings && f.Decision.Rank() <= v.strictest().Rank() {
		return true
	}
	return slices.ContainsFunc(v.Findings, func(o rule.Finding) bool {
		return o.RuleID == f.RuleID && o.Source == f.Source && o.Span == f.Span && o.Message == f.Message
	})
}

func (v *Verdict) strictest() rule.Decision {
	d := rule.Allow
	for i := range v.Findings {
		if v.Findings[i].Decision.Rank() > d.Rank() {
			d = v.Findings[i].Decision
		}
	}
	return d
}

// settle sorts the findings and decides: the strictest wins, nothing overrides.
func (v *Verdict) settle() {
	slices.SortStableFunc(v.Findings, func(a, b rule.Finding) int {
		return cmp.Or(
			cmp.Compare(b.Decision.Rank(), a.Decision.Rank()),
			cmp.Compare(a.Severity, b.Severity),
			strings.Compare(a.Source.Name, b.Source.Name),
			cmp.Compare(a.Source.Index, b.Source.Index),
			cmp.Compare(a.Span.Start, b.Span.Start),
		)
	})
	v.Decision = v.strictest()
}

// written is what commands have left in files, for each way of reading them.
type written map[syntax.LangVariant]map[string][]effect.Stream

// before is what a command finds. A way that the texts before it gave no reason
// to try has seen what the first one has.
func (m written) before(lang syntax.LangVariant) map[string][]effect.Stream {
	made, ok := m[lang]
	if !ok {
		made = m[syntax.LangBash]
	}
	return maps.Clone(made)
}

// checkSequence judges commands that run one after the other. Each has a shell of
// its own, so no variable, function or cd of one reaches the next; files do, or
// what is denied as "curl x.io > a; sh a" would pass as two commands.
func checkSequence(in shell.Input, p Policy, f place.Facts, home string) Verdict {
	v := newVerdict(in, p)
	v.RunAs = ""
	if in.Command != "" || len(in.Argv) > 0 || len(in.Commands) == 0 {
		in.Command, in.Argv, in.Commands = "", nil, nil // an input that can't be meant
		return Check(in, p, f, home)
	}
	made := written{}
	for i, one := range each(in) {
		c, walked := check(one, p, f, home, made)
		v.join(i, c)
		for _, w := range walked {
			made[w.Lang] = w.Made
		}
	}
	v.settle()
	return v
}

// each are the inputs that one with several commands stands for; of any other it
// is the only one.
func each(in shell.Input) []shell.Input {
	if len(in.Commands) == 0 {
		return []shell.Input{in}
	}
	out := make([]shell.Input, len(in.Commands))
	for i, text := range in.Commands {
		out[i] = in
		out[i].Command, out[i].Commands = text, nil
	}
	return out
}

// join adds the verdict on the command of that index.
func (v *Verdict) join(index int, c Verdict) {
	for _, f := range c.Findings {
		if f.Source.Field == "command" {
			f.Source.Field, f.Source.Index = "commands", index
		}
		if !v.has(f) { // a variable of the request is found with every command
			v.Findings = append(v.Findings, f)
		}
	}
	v.Parse.Complete = v.Parse.Complete && c.Parse.Complete
	v.Commands = append(v.Commands, CommandVerdict{
		Decision: c.Decision, Parse: c.Parse, RunAs: c.RunAs,
		Canonical: c.Canonical,
	})
}
