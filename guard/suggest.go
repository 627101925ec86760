package guard

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/git"
	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

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
