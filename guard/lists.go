package guard

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// isWordList reports "$@" and "${list[@]}", which in quotes are as many words as
// there are elements.
func isWordList(part syntax.WordPart) bool {
	p, ok := part.(*syntax.ParamExp)
	if !ok || p.Param == nil {
		return false
	}
	if p.Param.Value == "@" {
		return true
	}
	word, ok := p.Index.(*syntax.Word)
	return ok && word.Lit() == "@"
}

// besideList reports "a$@"$x, where dash finds empty words in what $x splits into.
func besideList(word *syntax.Word) bool {
	list, splits := false, false
	for _, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.DblQuoted:
			list = list || slices.ContainsFunc(p.Parts, isWordList)
		case *syntax.ParamExp, *syntax.CmdSubst:
			splits = true
		}
	}
	return list && splits
}

// several reports a word whose fields can't be counted: not quoted, and known at
// run time only, or a pattern.
func several(word *syntax.Word, text string) bool {
	if !strings.ContainsAny(text, unknown+"*?[") {
		return false
	}
	return slices.ContainsFunc(word.Parts, func(part syntax.WordPart) bool {
		switch p := part.(type) {
		case *syntax.Lit:
			return strings.ContainsAny(p.Value, "*?[")
		case *syntax.DblQuoted:
			return slices.ContainsFunc(p.Parts, isWordList)
		case *syntax.SglQuoted:
			return false
		}
		return true
	})
}

// noWords reports a word with a list in quotes that is known to be empty, and
// nothing else in quotes: it vanishes, where expand makes an empty word.
func (w *walker) noWords(st *state, word *syntax.Word) bool {
	found := false
	for _, part := range word.Parts {
		switch q := part.(type) {
		case *syntax.SglQuoted:
			return false
		case *syntax.DblQuoted:
			if len(q.Parts) != 1 || !w.emptyList(st, q.Parts[0]) {
				return false
			}
			found = true
		}
	}
	return found
}

func (w *walker) emptyList(st *state, part syntax.WordPart) bool {
	if !isWordList(part) {
		return false
	}
	p := part.(*syntax.ParamExp)
	if p.Exp != nil || p.Length {
		return false
	}
	v := environ{w, st}.Get(p.Param.Value)
	return len(v.List) == 0 && v.Str == ""
}
