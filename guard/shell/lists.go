package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// isWordList reports "$@" and "${list[@]}", which in quotes are as many words as
// there are elements.
func isWordList(part syntax.WordPart) bool {
	return isList(part, "@")
}

// isJoined reports "$*" and "${list[*]}", in quotes one word with separators in it.
func isJoined(part syntax.WordPart) bool { return isList(part, "*") }

func isList(part syntax.WordPart, sign string) bool {
	p, ok := part.(*syntax.ParamExp)
	if !ok || p.Param == nil {
		return false
	}
	word, ok := p.Index.(*syntax.Word)
	return p.Param.Value == sign || ok && word.Lit() == sign
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
	if !strings.ContainsAny(text, effect.Unknown+"*?[") {
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
func (w *Walker) noWords(st *State, word *syntax.Word) bool {
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

func (w *Walker) emptyList(st *State, part syntax.WordPart) bool {
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

// separated makes those expansions in a word unknown that package expand splits otherwise
// than shells, which make empty words between separators that are not blanks: IFS=:;
// x=a::b; rm $x. And bash splits nothing beside a lone dollar sign.
func (w *Walker) separated(st *State, word *syntax.Word, c *expand.Config) *syntax.Word {
	ifs := w.Get(st, "IFS")
	whole := w.Lang != syntax.LangPOSIX && slices.ContainsFunc(word.Parts, loneDollar)
	if onlyBlanks(ifs) && !whole {
		return word
	}
	parts := slices.Clone(word.Parts)
	for i, part := range parts {
		switch p := part.(type) {
		case *syntax.ParamExp:
			if whole || !w.evenly(st, p, ifs, c) {
				parts[i] = frozenPart
				w.mayAssign(st, p)
			}
		case *syntax.CmdSubst:
			if whole || !evenText(ifs, quotedText(p, c)) {
				parts[i] = frozenPart
			}
		}
	}
	return &syntax.Word{Parts: parts}
}

// loneDollar reports a dollar sign that expands nothing.
func loneDollar(part syntax.WordPart) bool {
	p, ok := part.(*syntax.Lit)
	return ok && unhidden(p.Value, '$') >= 0
}

// unhidden is where a byte is first that no backslash hides, or -1.
func unhidden(text string, b byte) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case b:
			return i
		}
	}
	return -1
}

func onlyBlanks(ifs string) bool { return strings.Trim(ifs, " \t\n") == "" }

// evenly reports an expansion without empty words.
func (w *Walker) evenly(st *State, p *syntax.ParamExp, ifs string, c *expand.Config) bool {
	if !isWordList(p) && !isJoined(p) {
		return evenText(ifs, quotedText(p, c))
	}
	v := environ{w, st}.Get(p.Param.Value)
	return p.Exp == nil && p.Slice == nil && !slices.ContainsFunc(append(v.List, v.Str), func(text string) bool {
		return !evenText(ifs, text)
	})
}

func quotedText(part syntax.WordPart, c *expand.Config) string {
	quotes := &syntax.DblQuoted{Parts: []syntax.WordPart{part}}
	return orUnknown(expand.Literal(c, &syntax.Word{Parts: []syntax.WordPart{quotes}}))
}

// evenText reports text that separators divide into words that aren't empty.
func evenText(ifs, text string) bool {
	if strings.ContainsFunc(ifs, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' || r > '~' }) {
		return text == "" // not known, or bytes to one shell and letters to another
	}
	between := true
	for _, r := range text {
		switch {
		case !strings.ContainsRune(ifs, r):
			between = false
		case strings.ContainsRune(" \t\n", r):
		case between:
			return false
		default:
			between = true
		}
	}
	return true
}

// unknownJoined reports "$*" whose elements may be none, with something between
// them that would not be there then.
func (w *Walker) unknownJoined(st *State, parts []syntax.WordPart) bool {
	return slices.ContainsFunc(parts, func(part syntax.WordPart) bool {
		p, ok := part.(*syntax.ParamExp)
		return ok && isJoined(p) && !onlyBlanks(w.Get(st, "IFS")) && !w.settled(st, p.Param.Value)
	})
}
