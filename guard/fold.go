package guard

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// words folds words to arguments, each with the span of the word it came from.
func (w *walker) words(st *state, words []*syntax.Word) []arg {
	args := make([]arg, 0, len(words))
	for _, word := range words {
		a := w.place(word)
		var fields []string
		fields, a.from = w.trace(st, word)
		first := len(args)
		for _, a.text = range fields {
			a.many = several(word, a.text)
			args = append(args, a)
			if n := len(args) - 2; n >= first && strings.HasPrefix(a.text, unknown) {
				args[n].many = args[n].many || a.many // the blank between may not be there
			}
		}
	}
	return args
}

// place is the argument a word makes, before its text. Single quotes keep their
// content byte for byte, so code in them can be pointed into.
func (w *walker) place(word *syntax.Word) arg {
	a := arg{index: w.at.index, span: w.at.span(word)}
	if len(word.Parts) == 1 && w.at.mapped {
		if q, ok := word.Parts[0].(*syntax.SglQuoted); ok && !q.Dollar {
			a.exact, a.shift = true, 1
		}
	}
	return a
}

// fields is what a word becomes as arguments of a command.
func (w *walker) fields(st *state, word *syntax.Word) []string {
	out, _ := w.trace(st, word)
	return out
}

// trace is fields, with the programs whose output went into them.
func (w *walker) trace(st *state, word *syntax.Word) (fields, from []string) {
	if text, ok := plain(word); ok {
		return []string{text}, nil
	}
	from = w.fold(st, word, func(frozen *syntax.Word, c *expand.Config) {
		fields = w.split(st, word, frozen, c)
	})
	return fields, from
}

// split is the fields of a frozen word, as the dialect's shells see them.
func (w *walker) split(st *state, word, frozen *syntax.Word, c *expand.Config) []string {
	frozen = w.separated(st, frozen, c)
	if w.lang == syntax.LangPOSIX {
		if besideList(word) {
			return []string{unknown}
		}
		return w.unbraced(st, word, withoutBraces(frozen), c)
	}
	if w.lang == langAsh {
		return w.unbraced(st, word, withoutBraces(frozen), c)
	}
	n := braces(frozen)
	if n > maxBraces || !w.spend(n/manyArgs) || n > 1 && renames(word) || stretched(word) {
		return []string{unknown}
	}
	if n > 1 {
		return w.braced(st, frozen, c)
	}
	return w.unbraced(st, word, w.likeAssigned(st, frozen), c)
}

func (w *walker) unbraced(st *state, word, frozen *syntax.Word, c *expand.Config) []string {
	if beforeColon(frozen) {
		return []string{unknown}
	}
	fields, err := expand.Fields(c, frozen)
	if err != nil {
		fields = []string{unknown}
	}
	w.spend(len(fields) / manyArgs)
	if len(fields) == 1 && fields[0] == "" && w.noWords(st, word) {
		fields = nil
	}
	return fields
}

// fold hands f a word that expand can work on, and answers the programs whose
// output went into it, by way of substitutions and of variables.
func (w *walker) fold(st *state, word *syntax.Word, f func(*syntax.Word, *expand.Config)) []string {
	start, end := offsets(word)
	w.spend(1 + (end-start)/128)
	outer := w.stained
	defer func() { w.stained = outer }()
	w.stained = nil
	frozen, subst := w.freeze(st, word)
	f(frozen, w.config(st, subst))
	return mixed(subst.from, w.stained...)
}

// literal is what a word becomes where it is not split: an assigned value, a
// redirection target.
func (w *walker) literal(st *state, word *syntax.Word) string {
	text, _ := w.value(st, word)
	return text
}

// value is literal, with the programs whose output went into it.
func (w *walker) value(st *state, word *syntax.Word) (text string, from []string) {
	if word == nil {
		return "", nil
	}
	if text, ok := plain(word); ok {
		return text, nil
	}
	from = w.fold(st, word, func(frozen *syntax.Word, c *expand.Config) {
		var err error
		if text, err = expand.Literal(c, withoutEscapes(frozen)); err != nil {
			text = unknown
		}
	})
	return text, from
}

// document is the text of a here-document. With quotes in the delimiter it is
// literal: its backslashes stay.
func (w *walker) document(st *state, r *syntax.Redirect) (text string, from []string) {
	word := r.Hdoc
	if word == nil {
		return "", nil
	}
	if hasQuotes(r.Word) || strings.Contains(r.Word.Lit(), `\`) {
		return word.Lit(), nil
	}
	from = w.fold(st, word, func(frozen *syntax.Word, c *expand.Config) {
		var err error
		if text, err = expand.Document(c, frozen); err != nil {
			text = unknown
		}
	})
	return text, from
}

// plain is the fast path: most words are one literal without special characters.
func plain(word *syntax.Word) (string, bool) {
	if len(word.Parts) != 1 {
		return "", false
	}
	switch p := word.Parts[0].(type) {
	case *syntax.Lit:
		return p.Value, !strings.ContainsAny(p.Value, `\~{`)
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	}
	return "", false
}
