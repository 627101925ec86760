package lang

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Lisp is the look of Emacs' and others' parentheses.
var Lisp = Language{Name: "elisp", Comments: []string{";"}, Quotes: `"`}

// RareLanguages are the looks of languages, as models name them.
var RareLanguages = map[string]*Language{"single": &RareSingle, "double": &RareDouble, "lisp": &Lisp}

// SnippetsOf is nil for a program that runs no such code.
func SnippetsOf(name string) *program.Snippets {
	if m := program.Of(name); m != nil {
		return m.Snippets
	}
	return nil
}

// rare judges what such a program is given to run: code in an option, a file
// that this command wrote, or its input.
func rare(w *shell.Walker, st *shell.State, all []effect.Arg, in effect.Stream) {
	name, args := argv.Base(all[0].Text), all[1:]
	r := SnippetsOf(name)
	if r == nil {
		return
	}
	found, l := false, RareLanguages[r.Look]
	for _, code := range r.In(args) {
		found = true
		if !remoteCode(w, l, name, code) {
			rareCode(w, st, l, name, code)
		}
	}
	if found || len(r.Code) == 0 || slices.ContainsFunc(args, func(a effect.Arg) bool {
		return !strings.HasPrefix(a.Text, "-")
	}) || !in.Open || in.File {
		return
	}
	code := effect.Arg{Text: in.Text, Index: w.At.Index, Span: w.At.Whole, From: in.From}
	if effect.Fetched(in.From) {
		w.EmitAt(code, effect.Effect{Kind: effect.Code, Name: name, Text: name + " < …", From: in.From})
	} else if in.Text != effect.Unknown {
		rareCode(w, st, l, name+" < …", code)
	}
}

// remoteCode reports code of which a part outside its strings came over the
// network or out of a decoder: python3 -c "$(curl …)".
func remoteCode(w *shell.Walker, l *Language, construct string, code effect.Arg) bool {
	if !effect.Foreign(code.From) || !strings.Contains(code.Text, effect.Unknown) || !w.Spend(1+len(code.Text)/64) {
		return false
	}
	for _, t := range Tokens(l, code.Text) {
		if t.Kind != TokString && strings.Contains(t.Text, effect.Unknown) {
			w.EmitAt(code, effect.Effect{Kind: effect.Code, Name: construct, Text: construct, From: code.From})
			return true
		}
	}
	return false
}
