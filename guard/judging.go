package guard

import (
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/profile"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/cloud"
	"github.com/pillion-sidecar/pillion/guard/program/container"
	"github.com/pillion-sidecar/pillion/guard/program/files"
	"github.com/pillion-sidecar/pillion/guard/program/git"
	"github.com/pillion-sidecar/pillion/guard/program/machine"
	"github.com/pillion-sidecar/pillion/guard/program/net"
	"github.com/pillion-sidecar/pillion/guard/program/node"
	"github.com/pillion-sidecar/pillion/guard/program/project"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/program/secret"
	"github.com/pillion-sidecar/pillion/guard/program/sql"
	"github.com/pillion-sidecar/pillion/guard/program/text"
	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
	"github.com/pillion-sidecar/pillion/guard/windows"
)

// judging turns what one pass has found into findings.
type judging struct {
	*rule.Book
	walk     *shell.Walker
	context  rule.Context
	policy   Policy
	patterns compiled
	looked   int  // what the policy's own rules have looked at
	spent    *int // steps used for code in interpreters, of the whole request
}

func (p Policy) judging(in shell.Input, w *shell.Walker) *judging {
	j := &judging{Book: p.book(), walk: w, policy: p, patterns: p.patterns(), spent: new(int)}
	j.context = rule.Context{World: &w.World, Cwd: in.Cwd, Empty: in.Command == "" && len(in.Argv) == 0, Denied: j.denied}
	w.Refuses = func(e *effect.Effect) bool {
		f, ok := j.Judge(&j.context, e)
		return ok && f.Decision == rule.Deny
	}
	return j
}

// findings are what the rows, and the policy itself, say of one effect.
func (j *judging) findings(e *effect.Effect) (out []rule.Finding) {
	if f, ok := j.judgePolicy(e); ok {
		out = append(out, f)
	} else if f, ok := j.Judge(&j.context, e); ok {
		out = append(out, pointed(f, e))
	}
	return append(out, j.extras(e)...)
}

// denied judges text inside of code by the same rows, in a walk of its own. Text that does
// not parse is not shell text, so problems count only where the budget ends; the budget is
// one for all texts of a request.
func (j *judging) denied(text string) bool {
	if strings.TrimSpace(text) == "" {
		return false
	}
	p := j.policy
	p.AllowPatterns = nil // they are about the command, which was matched
	in := shell.Input{Command: text, Cwd: j.context.Cwd}
	w := newWalker(in, p, j.walk.Facts, j.walk.Home, j.walk.Lang)
	w.Steps, w.Limit = *j.spent, j.walk.Limit
	if !w.Spend(1 + len(text)/32) {
		return true
	}
	inner := p.judging(in, w)
	w.Walk()
	*j.spent = w.Steps
	inner.spent, inner.context.Depth = j.spent, j.context.Depth+1
	return slices.ContainsFunc(w.Effects, func(e effect.Effect) bool {
		if e.Kind == effect.Problem {
			return e.Name == effect.ProblemBudget || e.Name == effect.ProblemDepth || e.Name == effect.ProblemSize
		}
		f, ok := inner.Judge(&inner.context, &e)
		return ok && f.Decision == rule.Deny
	})
}

// Rules is the built-in table, in the order the rows are tried: for one effect the first
// row that matches decides, so stricter rows come first.
func Rules() []Rule { return withExamples(rule.Balanced()) }

func withExamples(rows []Rule) []Rule { return rule.WithExamples(rows, profile.Examples()) }

// programs is all that is known of programs, made when the first command is judged:
// at init it would be a part of every start.
var programs = sync.OnceValue(func() *run.Table {
	return run.New(
		run.Common(), lang.Family(), text.Family(), files.Family(), net.Family(), git.Family(), sql.Family(), node.Family(),
		container.Family(), project.Family(), secret.Family(), machine.Family(), cloud.Family(), windows.Family(),
	)
})

// CarriesCode reports whether a variable's value can name code that some program
// then runs or loads, or a place that it gets code from. An end such as _CMD or _URL alone
// doesn't say so: scripts call their own settings like that.
func CarriesCode(name string) bool {
	kind := run.VariableKind(name)
	return kind != "" && kind != "open" && kind != "through"
}

// suggested is the command to run instead, nil without a clear answer: what is
// known only at run time, or runs inside something else, can't be rewritten.
func suggested(e *effect.Effect, rule string) []string {
	if e.Kind != effect.Exec || len(e.Via) > 0 || len(e.Args) > 64 || argv.AnyText(e.Args, func(s string) bool {
		return strings.Contains(s, effect.Unknown)
	}) {
		return nil
	}
	verb := ""
	if words := program.Words(e); e.Name == "git" {
		verb = git.Verb(e)
	} else if len(words) > 0 {
		verb = words[0]
	}
	if m := program.Of(e.Name); m != nil {
		for _, in := range m.Instead {
			if in.Rule == rule && (in.Verb == "." || in.Verb == verb) {
				return rewritten(append([]string{e.Name}, effect.Texts(e.Args)...), in.Does)
			}
		}
	}
	return nil
}

func rewritten(words []string, does string) []string {
	if command, whole := strings.CutPrefix(does, "="); whole {
		return strings.Fields(command)
	}
	if option, added := strings.CutPrefix(does, "+"); added {
		return append(words, option)
	}
	changed := false
	for row := range strings.FieldsSeq(does) {
		from, to, _ := strings.Cut(row, ">")
		for i, word := range words {
			if word == from {
				words[i], changed = to, true
			}
		}
	}
	if !changed {
		return nil
	}
	return slices.Compact(words)
}

// suggest fills in what can be run instead, in the form that was asked in.
func suggest(f *rule.Finding, e *effect.Effect) {
	if f.Suggestion == nil {
		return
	}
	words := suggested(e, f.RuleID)
	if len(words) == 0 {
		return
	}
	if f.Source.Field == "argv" {
		f.Suggestion.Argv = words
		return
	}
	f.Suggestion.Command = shell.Typed(words)
}

// pointed is a finding that points at what is dangerous in e, and says what can be
// run instead.
func pointed(f rule.Finding, e *effect.Effect) rule.Finding {
	f.Span = marks(e)
	suggest(&f, e)
	return f
}

// maxMarked is the longest text that is marked beyond a program's name.
const maxMarked = 200

// marks is what of the source a finding points at: of a program that does many things,
// what it is asked to do.
func marks(e *effect.Effect) effect.Span {
	n := len(e.Args)
	if e.Kind != effect.Exec || n == 0 || e.Source.Field == "argv" || e.Args[0].Span.Start < e.Span.End {
		return e.Span
	}
	end := e.Span.End
	for _, a := range e.Args {
		if a.Span.Start < end {
			return e.Span // folded out of something else
		}
		end = a.Span.End
	}
	start := e.Span.Start
	if m := program.Of(e.Name); e.Name == "git" || m != nil && m.Verbs() {
		start = e.Args[0].Span.Start
	}
	if end-start > maxMarked {
		return e.Span
	}
	return effect.Span{Start: start, End: end}
}
