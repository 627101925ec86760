package display

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// Asked is what was asked for: shell text, a program and its arguments, or several
// texts.
type Asked struct {
	Command  string
	Argv     []string
	Commands []string
}

// AskedBy is the command of a request.
func AskedBy(p *protocol.ExecParams) Asked {
	return Asked{Command: p.Command, Argv: p.Argv, Commands: p.Commands}
}

// place is the text that a source stands for, and where in it the span lies. The value
// of a variable stays unseen: that is where tokens live.
func (c Asked) place(s protocol.Source, span protocol.Span) (string, protocol.Span) {
	index := 0
	if s.Index != nil {
		index = *s.Index
	}
	switch {
	case s.Field == protocol.FieldEnv:
		text := s.Name + "=…"
		return text, protocol.Span{Start: 0, End: len(text)}
	case len(c.Argv) > 0:
		return typed(c.Argv, index, span)
	case index >= 0 && index < len(c.Commands):
		return c.Commands[index], span
	}
	return c.Command, span
}

// typed are words as a person types them, and where in them a span of one lies.
func typed(words []string, index int, span protocol.Span) (string, protocol.Span) {
	var b strings.Builder
	for i, word := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		quoted := argv.Word(word)
		if i == index {
			span = within(quoted, word, span, b.Len())
		}
		b.WriteString(quoted)
	}
	return b.String(), span
}

// within moves a span of word to the quoted word; where quoting changed the word inside,
// the whole of it is meant.
func within(quoted, word string, span protocol.Span, at int) protocol.Span {
	lead := strings.Index(quoted, word)
	if lead < 0 || word == "" {
		return protocol.Span{Start: at, End: at + len(quoted)}
	}
	return protocol.Span{Start: at + lead + span.Start, End: at + lead + span.End}
}
