package cli

import (
	"strings"

	"github.com/pillion-sidecar/pillion/rpc"
)

// asked is what was judged: shell text, a program and its arguments, or several
// texts.
type asked struct {
	command  string
	argv     []string
	commands []string
}

// shown is the text that a source stands for, and where in it the span lies. The
// value of a variable stays unseen: that is where tokens live.
func (a asked) shown(s rpc.Source, span rpc.Span) (string, rpc.Span) {
	switch {
	case s.Field == "env":
		text := s.Name + "=…"
		return text, rpc.Span{Start: 0, End: len(text)}
	case len(a.argv) == 0:
		return a.command, span
	}
	index := 0
	if s.Index != nil {
		index = *s.Index
	}
	var b strings.Builder
	for i, word := range a.argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		quoted := quote(word)
		if i == index {
			span = within(quoted, word, span, b.Len())
		}
		b.WriteString(quoted)
	}
	return b.String(), span
}

// within moves a span of word to where the quoted word stands; where quoting
// changed the word inside, the whole of it is meant.
func within(quoted, word string, span rpc.Span, at int) rpc.Span {
	lead := strings.Index(quoted, word)
	if lead < 0 || word == "" {
		return rpc.Span{Start: at, End: at + len(quoted)}
	}
	return rpc.Span{Start: at + lead + span.Start, End: at + lead + span.End}
}

// quote is a word as a person would type it in a shell.
func quote(word string) string {
	plain := func(r rune) bool {
		return !strings.ContainsRune(" \t\n'\"\\$`!*?[]{}()<>|&;#~^", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
