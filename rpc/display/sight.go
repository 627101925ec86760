package display

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// Sight says how a command that may start would run, and where the guard's sight ends:
// only where it does, or it would not be read. unseen are the programs whose work no text
// shows.
func Sight(v protocol.GuardVerdict, c Asked, unseen []string) (out []protocol.DisplayLine) {
	if v.Decision == guard.Deny {
		return nil
	}
	if v.Decision == guard.Allow {
		out = append(out, Row("runs as", protocol.ToneReason, form(v)))
	}
	for _, o := range unclear(v) {
		out = append(out, Row("unclear", protocol.ToneWarn, "shells may read this differently:"))
		out = append(out, snippet(c.Command, o)...)
	}
	if text := unseenPart(v.Parse.Dialect, unseen); text != "" {
		out = append(out, Row("unseen", protocol.ToneReason, text))
	}
	return out
}

// form is how an allowed command runs.
func form(v protocol.GuardVerdict) string {
	const longest, tail = 200, 40
	switch v.RunAs {
	case protocol.RunsArgv:
		return "a program with its arguments, without a shell"
	case protocol.RunsWritten:
		return "typed: the shell gets your text unchanged"
	}
	text := []rune(v.Canonical)
	if len(text) > longest {
		return string(text[:longest-tail]) + ellipsis + string(text[len(text)-tail:])
	}
	return string(text)
}

// unseenPart says what the guard did not read.
func unseenPart(dialect string, unseen []string) string {
	switch {
	case dialect == "powershell" || dialect == "cmd":
		return "of " + dialect + " the guard reads commands, not variables, loops or functions"
	case len(unseen) == 0:
		return ""
	}
	return "what " + strings.Join(first(unseen), ", ") + " does; the sandbox confines it"
}

// unclear are the opaque places that no finding has shown already.
func unclear(v protocol.GuardVerdict) []protocol.Span {
	out := slices.DeleteFunc(slices.Clone(v.Parse.Opaque), func(o protocol.Span) bool {
		return slices.ContainsFunc(v.Findings, func(f protocol.Finding) bool {
			return f.Source.Field == protocol.FieldCommand && f.Span == o
		})
	})
	return out[:min(len(out), maxShown)]
}
