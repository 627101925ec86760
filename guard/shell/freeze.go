package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// freeze replaces the parts of a word whose value is only known at run time by
// the unknown mark, so that expand folds what is left: "/etc/$((i+1))" keeps its
// prefix. The commands in the word are judged on the way.
func (w *Walker) freeze(st *State, word *syntax.Word) (*syntax.Word, substitutions) {
	subst := w.walkSubstitutions(st, word)
	return &syntax.Word{Parts: w.freezeParts(st, word.Parts)}, subst
}

var (
	frozenPart = &syntax.SglQuoted{Value: effect.Unknown}
	dollarSign = &syntax.Lit{Value: `\$`}
)

func (w *Walker) freezeParts(st *State, parts []syntax.WordPart) []syntax.WordPart {
	out := make([]syntax.WordPart, len(parts))
	for i, part := range parts {
		out[i] = part
		switch p := part.(type) {
		case *syntax.Lit:
			if strings.Contains(p.Value, "\\\n") {
				out[i] = &syntax.Lit{Value: joinLines(p.Value)}
			}
		case *syntax.DblQuoted:
			if len(p.Parts) == 0 && !p.Dollar {
				out[i] = &syntax.SglQuoted{} // expand has no place for it after $x
				break
			}
			inner := w.freezeParts(st, p.Parts)
			if p.Dollar && w.Lang == syntax.LangPOSIX {
				inner = append([]syntax.WordPart{dollarSign}, inner...)
			}
			out[i] = &syntax.DblQuoted{Dollar: p.Dollar && w.Lang != syntax.LangPOSIX, Parts: inner}
			if len(p.Parts) > 1 && slices.ContainsFunc(p.Parts, isWordList) || w.unknownJoined(st, p.Parts) {
				out[i] = frozenPart // "a$@b" is as many words as there are parameters
				w.mayAssign(st, p)
			}
		case *syntax.SglQuoted:
			switch {
			case p.Dollar && w.Lang == syntax.LangPOSIX: // a dollar sign, then a literal
				out[i] = &syntax.SglQuoted{Value: "$" + p.Value}
			case p.Dollar && strings.Contains(p.Value, `\c`):
				out[i] = frozenPart // a control character that expand does not make
			}
		case *syntax.ArithmExp:
			w.arithmetic(st, p.X, w.At.span(p))
			out[i] = frozenPart
		case *syntax.ParamExp:
			if !w.folds(st, p) {
				out[i] = frozenPart
				w.mayAssign(st, p)
				if p.Param != nil {
					w.stained = effect.Mixed(w.stained, st.Stains(p.Param.Value)...)
				}
			} else if w.defaulted(st, p) {
				c := *p
				c.Param = &syntax.Lit{Value: perhaps(p.Param.Value)}
				out[i] = &c
			}
		case *syntax.ExtGlob:
			// As a glob it stands for some name; "*" says that.
			out[i] = &syntax.Lit{Value: "*"}
		}
	}
	return out
}

// mayAssign makes the variables unknown that expansions in a node give a value
// which expand is not asked for: ${x:='a b'}.
func (w *Walker) mayAssign(st *State, node syntax.Node) {
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.ParamExp:
			if n.Param != nil && n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				w.mayFill(st, n.Param.Value)
			}
		}
		return true
	})
}

// mayFill is a variable after it was given a value if it had none.
func (w *Walker) mayFill(st *State, name string) {
	old := w.lookup(st, name)
	full := slices.DeleteFunc(slices.Clone(old), func(v expand.Variable) bool { return vacant(Binding{v}) })
	if len(full) < len(old) {
		st.set(name, union(unknownBinding, full))
	}
}

// folds reports whether expand computes a parameter expansion as the shells do.
// Operations on an unknown value would work on the mark, and ${x@P} runs code.
func (w *Walker) folds(st *State, p *syntax.ParamExp) bool {
	if p.Param == nil || p.NestedParam != nil || p.Flags != nil || len(p.Modifiers) > 0 || p.Width || p.IsSet ||
		p.Names != 0 {
		return false
	}
	if p.Exp != nil && p.Exp.Op == syntax.OtherParamOps {
		if p.Exp.Word != nil && p.Exp.Word.Lit() == "P" {
			w.Emit(effect.Effect{Kind: effect.Code, Name: "shell", Text: "${" + p.Param.Value + "@P}", Span: w.At.span(p)})
		}
		return false
	}
	if p.Exp != nil && (p.Exp.Op == syntax.AlternateUnset || p.Exp.Op == syntax.AlternateUnsetOrNull) &&
		!w.settled(st, p.Param.Value) && !w.defaulted(st, p) {
		return false // "/${x:+tmp}" is "/" when x is empty
	}
	if p.Index != nil {
		w.arithmetic(st, p.Index, w.At.span(p))
		if word, ok := p.Index.(*syntax.Word); !ok || !simpleIndex(word.Lit()) || w.unlisted(st, p.Param.Value) ||
			w.displaced(st, p.Param.Value, word.Lit()) {
			return false
		}
	}
	defaults := p.Exp != nil && p.Exp.Op >= syntax.AlternateUnset && p.Exp.Op <= syntax.AssignUnsetOrNull
	if p.Exp != nil && (!w.nestedFolds(st, p.Exp.Word) || defaults && hasEscapes(p.Exp.Word)) {
		return false
	}
	if p.Repl != nil && !(plainText(p.Repl.Orig) && plainText(p.Repl.With)) {
		return false
	}
	changes := p.Length || p.Slice != nil || p.Repl != nil || p.Excl || p.Exp != nil && !defaults
	if p.Slice != nil && !(number(p.Slice.Offset) && number(p.Slice.Length)) {
		return false
	}
	if start, end := offsets(p); changes && end-start > 512 {
		return false // a pattern is compiled every time
	}
	return !changes || w.settled(st, p.Param.Value)
}

// plainText reports a word of letters, or none. In others quotes, "~" and "&" mean
// something else to expand, or to an older bash.
func plainText(word *syntax.Word) bool {
	return word == nil || len(word.Parts) == 0 || word.Lit() != "" && !strings.ContainsAny(word.Lit(), `\~&`)
}

// perhaps names a variable, inherited or not, where the script says what to take
// instead: ${X:-/etc} is X, unknown, and /etc; ${X:+/etc} is /etc, and nothing.
func perhaps(name string) string { return name + "?" }

func (w *Walker) defaulted(st *State, p *syntax.ParamExp) bool {
	_, registered := st.Vars[perhaps(p.Param.Value)]
	_, assigned := st.Vars[p.Param.Value]
	return registered && !assigned && substitutes(p)
}

// substitutes reports ${x:-word}, ${x-word}, ${x:+word} and ${x+word}.
func substitutes(p *syntax.ParamExp) bool {
	return p.Exp != nil && p.Exp.Word != nil && len(p.Exp.Word.Parts) > 0 && (p.Exp.Op == syntax.DefaultUnset ||
		p.Exp.Op == syntax.DefaultUnsetOrNull || p.Exp.Op == syntax.AlternateUnset || p.Exp.Op == syntax.AlternateUnsetOrNull)
}

// registerDefaults makes the variables of a text that have a default ambiguous,
// before it is walked: each use of a default is then walked both ways.
func (w *Walker) registerDefaults(st *State, file *syntax.File) {
	for p := range nodes[*syntax.ParamExp](file) {
		if p.Param == nil || !substitutes(p) {
			continue
		}
		if b := w.lookup(st, p.Param.Value); len(b) == 1 && b[0].Str == effect.Unknown {
			st.set(perhaps(p.Param.Value), Binding{unknownBinding[0], {}})
		}
	}
}

// nestedFolds looks into the word of ${x:-word}, where freezing cannot reach.
func (w *Walker) nestedFolds(st *State, word *syntax.Word) bool {
	ok := true
	if word == nil {
		return ok
	}
	syntax.Walk(word, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.ArithmExp, *syntax.ExtGlob:
			ok = false
		case *syntax.SglQuoted:
			ok = ok && !strings.ContainsAny(n.Value, " \t\n")
		case *syntax.DblQuoted: // ${x:-"$y"} is one word, and expand may split it
			ok = ok && oneWord(n)
		case *syntax.ParamExp:
			ok = ok && w.folds(st, n)
			return false
		}
		return ok
	})
	return ok
}

func oneWord(q *syntax.DblQuoted) bool {
	return all(q.Parts, func(part syntax.WordPart) bool {
		p, ok := part.(*syntax.Lit)
		return ok && !strings.ContainsAny(p.Value, " \t\n")
	})
}
