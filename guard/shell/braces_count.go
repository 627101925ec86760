package shell

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// maxBraces bounds the words one brace expansion is followed into.
const maxBraces = 2048

// braces counts the words a brace expansion makes.
func braces(word *syntax.Word) int {
	c := *word
	if !syntax.SplitBraces(&c) {
		return 1
	}
	return braceWords(&c)
}

func braceWords(word *syntax.Word) int {
	n := 1
	for _, part := range word.Parts {
		b, ok := part.(*syntax.BraceExp)
		if !ok {
			continue
		}
		k := 0
		if b.Sequence {
			k = sequence(b)
		} else {
			for _, e := range b.Elems {
				k += braceWords(e)
			}
		}
		if n *= max(k, 1); n > maxBraces {
			return n
		}
	}
	return n
}

// sequence is an upper bound of {a..b..step}; numbers beyond reason count as many.
func sequence(b *syntax.BraceExp) int {
	from, err1 := strconv.ParseInt(b.Elems[0].Lit(), 10, 32)
	to, err2 := strconv.ParseInt(b.Elems[1].Lit(), 10, 32)
	if err1 != nil || err2 != nil {
		if len(b.Elems[0].Lit()) == 1 && len(b.Elems[1].Lit()) == 1 {
			return 128
		}
		return maxBraces + 1
	}
	return int(max(from-to, to-from)) + 1
}
