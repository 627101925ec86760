package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
)

// loadsVariables reports `export $(grep -v '^#' .env | xargs)` and its twin with
// env: they load a file of variables as `source` does and print nothing. Any
// other program in the substitution could carry the content elsewhere.
func loadsVariables(words []*syntax.Word) bool {
	if len(words) < 2 || words[0].Lit() != "export" && words[0].Lit() != "env" {
		return false
	}
	return onlyLoads(words[1:])
}

func onlyLoads(words []*syntax.Word) bool {
	loads := false
	for _, word := range words {
		if subst, ok := onlySubstitution(word); ok {
			if loads = true; !all(subst.Stmts, onlyFilters) {
				return false
			}
		} else if word.Lit() == "" {
			return false
		}
	}
	return loads
}

func onlySubstitution(word *syntax.Word) (*syntax.CmdSubst, bool) {
	if len(word.Parts) != 1 {
		return nil, false
	}
	subst, ok := word.Parts[0].(*syntax.CmdSubst)
	return subst, ok
}

// onlyFilters reports a pipeline of programs that only pass text on.
func onlyFilters(s *syntax.Stmt) bool {
	if len(s.Redirs) > 0 && (s.Redirs[0].Op != syntax.RdrIn || len(s.Redirs) > 1) {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		return c.Op == syntax.Pipe && onlyFilters(c.X) && onlyFilters(c.Y)
	case *syntax.CallExpr:
		if len(c.Args) == 0 || len(c.Assigns) > 0 {
			return false
		}
		name := c.Args[0].Lit()
		if name == "xargs" {
			return !slices.ContainsFunc(c.Args[1:], func(w *syntax.Word) bool {
				text, ok := plain(w)
				return !ok || text == "" || text[0] != '-' && text != "0" && text != `\n`
			})
		}
		return slices.Contains([]string{"cat", "grep", "egrep", "cut", "tr", "envsubst", "sort"}, name)
	}
	return false
}

// declares is export, declare and their kin. Without names they print all.
func (w *Walker) declares(st *State, c *syntax.DeclClause) effect.Stream {
	name := c.Variant.Value
	var words []*syntax.Word
	for _, a := range c.Args {
		if a.Name == nil && a.Value != nil {
			words = append(words, a.Value)
		}
	}
	before := w.Discreet
	w.Discreet = before || name == "export" && onlyLoads(words)
	w.declare(st, c)
	w.Discreet = before
	return w.declared(c, name)
}

func (w *Walker) declared(c *syntax.DeclClause, name string) effect.Stream {
	if name == "local" || name == "nameref" {
		return effect.Stream{}
	}
	print := len(c.Args) == 0
	for _, a := range c.Args {
		text := ""
		if a.Name == nil && a.Value != nil {
			text = a.Value.Lit()
		}
		if a.Name != nil && place.SecretVariable(a.Name.Value) && print {
			w.Emit(effect.Effect{Kind: effect.Secret, Name: "variable", Text: a.Name.Value, Span: w.At.span(a)})
			return effect.Stream{Text: effect.Unknown, Open: true, From: []string{name}}
		}
		print = text == "-p" || text == "-x" || text == "-px" || text == "-xp"
	}
	if print {
		w.Emit(effect.Effect{Kind: effect.Secret, Name: "environment", Text: name, Span: w.At.span(c)})
		return effect.Stream{Text: effect.Unknown, Open: true, From: []string{"export"}}
	}
	return effect.Stream{}
}

// link walks one link of a pipeline, a subshell. The next link reads what all but the last print.
func (w *Walker) link(st *State, s *syntax.Stmt, in effect.Stream, piped bool) effect.Stream {
	if piped {
		w.captured++
		defer func() { w.captured-- }()
	}
	defer func(fds map[string]effect.Stream) { w.fds = fds }(w.fds)
	st = st.Subshell()
	out := w.stmt(st, s, in)
	w.exit(st)
	return out
}

// fewLetters is ${X:0:4} and ${X: -4}, with which people tell one token from another.
func fewLetters(s *syntax.Slice) bool {
	if s == nil {
		return false
	}
	count := s.Length
	if unary, ok := s.Offset.(*syntax.UnaryArithm); ok && count == nil && unary.Op == syntax.Minus {
		count = unary.X
	}
	word, ok := count.(*syntax.Word)
	return ok && len(word.Lit()) == 1
}

// shows reports echo "$GITHUB_TOKEN", and what sends it where no service is: to a bare address
// or the owner of a domain. Piped into docker login, or written to a file, it is how tokens are
// handed on; ${TOKEN:+set}, ${#TOKEN} and a few letters tell nothing.
func (w *Walker) shows(st *State, c *syntax.CallExpr, args []effect.Arg) {
	name := c.Args[0].Lit()
	away := effect.Among(name, "dig nslookup host ping drill") || slices.Contains(place.WebClients, name) &&
		slices.ContainsFunc(args[min(1, len(args)):], func(a effect.Arg) bool {
			return place.BareAddress(place.HostOf(a.Text))
		})
	if !away && (w.captured > 0 || name != "echo" && name != "printf") {
		return
	}
	for _, word := range c.Args[1:] {
		w.showsWord(st, word)
	}
}

// showsText is cat <<< "$GITHUB_TOKEN" and the here-document.
func (w *Walker) showsText(st *State, s *syntax.Stmt) {
	if w.captured > 0 || !callsFor(s, "cat") {
		return
	}
	for _, r := range s.Redirs {
		switch {
		case r.Hdoc != nil:
			w.showsWord(st, r.Hdoc)
		case r.Op == syntax.WordHdoc:
			w.showsWord(st, r.Word)
		}
	}
}

func (w *Walker) showsWord(st *State, word *syntax.Word) {
	syntax.Walk(word, func(n syntax.Node) bool {
		if _, ok := n.(*syntax.CmdSubst); ok {
			return false
		}
		p, ok := n.(*syntax.ParamExp)
		if !ok || p.Param == nil || p.Length || fewLetters(p.Slice) || p.Exp != nil && (p.Exp.Op == syntax.AlternateUnset ||
			p.Exp.Op == syntax.AlternateUnsetOrNull) {
			return true
		}
		if _, assigned := st.Vars[p.Param.Value]; !assigned && (place.SecretVariable(p.Param.Value) ||
			w.unlocked && place.SecretOnceLoaded(p.Param.Value)) {
			w.Emit(effect.Effect{Kind: effect.Secret, Name: "variable", Text: p.Param.Value, Span: w.At.span(p)})
		}
		return true
	})
}
