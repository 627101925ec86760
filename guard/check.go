package guard

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/panics"
	"mvdan.cc/sh/v3/syntax"
)

// Check judges one command. home is the user's home directory, absolute; "" is
// unknown. It never panics and always answers; what it cannot read is never
// allowed.
func Check(in Input, p Policy, f Facts, home string) Verdict {
	if in.Commands != nil {
		return checkSequence(in, p, f, home)
	}
	v, _ := check(in, p, f, home, nil)
	return v
}

// check judges one text or argv, and returns what was walked for that. made is
// what commands before it have written to files.
func check(in Input, p Policy, f Facts, home string, made written) (Verdict, []*walker) {
	v := newVerdict(in, p)
	var walked []*walker
	limit, looked, ready := maxSteps, 0, p.patterns()
	for _, lang := range passes(in) {
		w := newWalker(in, p, f, home, lang)
		w.rows, w.patterns, w.made = p.table(), ready, made.before(lang)
		w.limit, w.looked = limit, looked
		if r := panics.Try(w.judgeAll); r != nil {
			// A bug must not open the door, nor tell an attacker more.
			w.emit(effect{kind: kindProblem, name: problemInternal, source: Source{Field: w.field()}, span: w.whole()})
		}
		v.add(w)
		looked = w.looked
		walked = append(walked, w)
		if w.stopped { // asked about whatever the other reading finds
			limit = maxSteps / 8
		}
	}
	v.settle()
	if panics.Try(func() { v.run(in, walked) }) != nil {
		v.RunAs, v.Canonical = runAsWritten, ""
	}
	return v, walked
}

func newVerdict(in Input, p Policy) Verdict {
	return Verdict{
		Decision: Allow, PolicyID: p.ID, PolicyVersion: p.Version, PolicyHash: p.Hash(),
		RunAs: runAsWritten, Parse: Parse{Dialect: dialect(in), Complete: true},
	}
}

func dialect(in Input) string {
	switch {
	case len(in.Argv) > 0:
		return "argv"
	case in.Dialect == "bash", in.Dialect == "powershell", in.Dialect == "cmd":
		return in.Dialect
	}
	return "posix"
}

// passes are the ways the text may be read. /bin/sh is dash on one host and
// bash on the next, and `[[ a > f ]]` truncates f in one of them: a command for
// it must be harmless in both. On a third it is busybox, where braces are read as
// dash does and the rest nearly as bash.
func passes(in Input) []syntax.LangVariant {
	switch {
	case dialect(in) != "posix":
		return []syntax.LangVariant{syntax.LangBash}
	case strings.Contains(in.Command, "$") && mayBrace(in.Command):
		return []syntax.LangVariant{syntax.LangBash, langAsh, syntax.LangPOSIX}
	}
	return []syntax.LangVariant{syntax.LangBash, syntax.LangPOSIX}
}

// langAsh is bash without brace expansion; the parser has no name for it.
const langAsh = syntax.LangVariant(1 << 30)

func newWalker(in Input, p Policy, f Facts, home string, lang syntax.LangVariant) *walker {
	in.Cwd, f, home = onDrives(in.Cwd, f, home)
	tables()
	w := &walker{in: in, policy: p, facts: f, home: home, lang: lang, limit: maxSteps, pipes: map[string]stream{}, sinks: map[string]func(stream){}}
	for _, root := range p.Roots {
		if resolved, _ := f.Resolve(root, "/"); p.bounds(resolved, f) {
			w.roots = append(w.roots, root, resolved)
		}
	}
	w.at = origin{field: w.field(), mapped: true, whole: w.whole()}
	return w
}

func (w *walker) field() string {
	if len(w.in.Argv) > 0 {
		return "argv"
	}
	return "command"
}

func (w *walker) whole() Span {
	if len(w.in.Argv) > 0 {
		return Span{0, len(w.in.Argv[0])}
	}
	return Span{0, len(w.in.Command)}
}

// judgeAll is one pass over the request.
func (w *walker) judgeAll() {
	if w.policy.Closed != "" {
		w.emit(effect{kind: kindClosed, text: w.policy.Closed, span: w.whole()})
		return
	}
	if (w.in.Command == "") == (len(w.in.Argv) == 0) {
		w.emit(effect{kind: kindProblem, name: problemInput})
		return
	}
	// What $1 holds here is not known: the text may be run as a script.
	st := &state{cwds: []string{cmp.Or(w.in.Cwd, "/")}, loose: true}
	w.dirs = st.cwds
	w.requestEnv()
	w.asWritten()
	if len(w.in.Argv) > 0 {
		w.argv(st)
		return
	}
	if judge := map[string]func(*state, string, stream) stream{"powershell": w.powershell, "cmd": w.cmdline}[dialect(w.in)]; judge != nil {
		w.windows(st, judge)
		return
	}
	w.text(st, w.in.Command, stream{})
	w.exit(st)
}

// windows judges text for a shell that has no grammar here.
func (w *walker) windows(st *state, judge func(*state, string, stream) stream) {
	text := w.in.Command
	if len(text) > maxBytes {
		w.emit(effect{kind: kindProblem, name: problemSize, span: w.within(maxBytes, maxBytes+1)})
		return
	}
	if at := badByte(text); at >= 0 {
		w.emit(effect{kind: kindProblem, name: problemBytes, span: w.within(at, at+1)})
		return
	}
	judge(st, text, stream{})
}

func (w *walker) requestEnv() {
	if len(w.in.Env) > maxSteps {
		w.stop(problemBudget)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(w.in.Env)) {
		if value := w.in.Env[name]; value != nil && w.spend(1+len(*value)/256) {
			w.emit(effect{kind: kindEnv, name: name, text: *value, source: Source{Field: "env", Name: name}, span: Span{0, len(*value)}})
		}
	}
}

// argv judges a program that no shell starts.
func (w *walker) argv(st *state) {
	args := make([]arg, len(w.in.Argv))
	total := 0
	for i, text := range w.in.Argv {
		total += len(text)
		span := Span{0, len(text)}
		if at := badArg(text); at >= 0 {
			w.emitAt(arg{index: i, span: span}, effect{kind: kindProblem, name: problemBytes})
			return
		}
		args[i] = arg{text: text, index: i, span: span, exact: true}
	}
	if total > maxBytes {
		w.emit(effect{kind: kindProblem, name: problemSize, span: w.whole()})
		return
	}
	w.at.mapped = false
	w.run(st, args, stream{})
}

// add turns a pass's effects into findings.
func (v *Verdict) add(w *walker) {
	for i := range w.effects {
		e := &w.effects[i]
		if e.kind == kindProblem {
			v.Parse.Complete = false
		}
		if f, ok := w.judge(e); ok && !v.has(f) {
			v.Findings = append(v.Findings, f)
		}
		for _, f := range w.extras(e) {
			if !v.has(f) {
				v.Findings = append(v.Findings, f)
			}
		}
	}
	for _, s := range w.opaque {
		if !slices.Contains(v.Parse.Opaque, s) {
			v.Parse.Opaque = append(v.Parse.Opaque, s)
		}
	}
}

// maxFindings bounds a verdict; past it only stricter findings are added.
const maxFindings = 64

// has reports a finding that is already there, or one too many to be of use.
func (v *Verdict) has(f Finding) bool {
	if len(v.Findings) >= maxFindings && f.Decision.rank() <= v.strictest().rank() {
		return true
	}
	return slices.ContainsFunc(v.Findings, func(o Finding) bool {
		return o.RuleID == f.RuleID && o.Source == f.Source && o.Span == f.Span && o.Message == f.Message
	})
}

func (v *Verdict) strictest() Decision {
	d := Allow
	for i := range v.Findings {
		if v.Findings[i].Decision.rank() > d.rank() {
			d = v.Findings[i].Decision
		}
	}
	return d
}

// settle sorts the findings and decides: the strictest wins, nothing overrides.
func (v *Verdict) settle() {
	slices.SortStableFunc(v.Findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(b.Decision.rank(), a.Decision.rank()),
			cmp.Compare(a.Severity, b.Severity),
			strings.Compare(a.Source.Name, b.Source.Name),
			cmp.Compare(a.Source.Index, b.Source.Index),
			cmp.Compare(a.Span.Start, b.Span.Start),
		)
	})
	v.Decision = v.strictest()
}
