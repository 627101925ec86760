package guard

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// separated makes those expansions in a word unknown that package expand splits
// otherwise than shells, which make empty words between separators that are no
// blanks: IFS=:; x=a::b; rm $x. And bash splits nothing beside a lone dollar sign.
func (w *walker) separated(st *state, word *syntax.Word, c *expand.Config) *syntax.Word {
	ifs := w.get(st, "IFS")
	whole := w.lang != syntax.LangPOSIX && slices.ContainsFunc(word.Parts, loneDollar)
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
	if !ok {
		return false
	}
	for i := 0; i < len(p.Value); i++ {
		switch p.Value[i] {
		case '\\':
			i++
		case '$':
			return true
		}
	}
	return false
}

func onlyBlanks(ifs string) bool { return strings.Trim(ifs, " \t\n") == "" }

// evenly reports an expansion without empty words.
func (w *walker) evenly(st *state, p *syntax.ParamExp, ifs string, c *expand.Config) bool {
	if !isWordList(p) && !isJoined(p) {
		return evenText(ifs, quotedText(p, c))
	}
	v := environ{w, st}.Get(p.Param.Value)
	return p.Exp == nil && p.Slice == nil && !slices.ContainsFunc(append(v.List, v.Str), func(text string) bool {
		return !evenText(ifs, text)
	})
}

// isJoined reports "$*" and "${list[*]}", in quotes one word with separators in it.
func isJoined(p *syntax.ParamExp) bool {
	if p.Param == nil {
		return false
	}
	word, ok := p.Index.(*syntax.Word)
	return p.Param.Value == "*" || ok && word.Lit() == "*"
}

func quotedText(part syntax.WordPart, c *expand.Config) string {
	text, err := expand.Literal(c, &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: []syntax.WordPart{part}}}})
	if err != nil {
		return unknown
	}
	return text
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
func (w *walker) unknownJoined(st *state, parts []syntax.WordPart) bool {
	return slices.ContainsFunc(parts, func(part syntax.WordPart) bool {
		p, ok := part.(*syntax.ParamExp)
		return ok && isJoined(p) && !onlyBlanks(w.get(st, "IFS")) && !w.settled(st, p.Param.Value)
	})
}
