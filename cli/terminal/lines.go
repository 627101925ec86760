package terminal

import (
	"strings"

	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// colourOf are the tones that a terminal shows in a colour of their own.
var colourOf = map[protocol.Tone]string{
	protocol.ToneDim: "2", protocol.TonePlace: "31", protocol.ToneOK: "1;32", protocol.ToneWarn: "1;33", protocol.ToneError: "1;31",
}

// Rows are lines for a terminal: what is meant of a command is underlined, what is long
// is wrapped, and a command has room around it.
func (p Painter) Rows(list []protocol.DisplayLine) (out []string) {
	const none, head, row, command = 0, 1, 2, 3
	last := none
	for _, l := range list {
		kind := head
		switch {
		case l.Tone == protocol.ToneCommand, l.Tone == protocol.ToneDim && strings.HasPrefix(l.Text, display.Indent):
			kind = command
		case strings.HasPrefix(l.Text, "  "):
			kind = row
		}
		if (kind == command) != (last == command) && last != none || kind == head && last == row {
			out = append(out, "")
		}
		last = kind
		switch {
		case kind == command:
			out = append(out, p.underlined(l)...)
		case kind == row && len(l.Spans) == 2:
			out = append(out, p.wrapped(l.Spans[0].Text, l.Spans[1].Text)...)
		default:
			out = append(out, p.Line(l))
		}
	}
	return out
}

// Line is one in its colours.
func (p Painter) Line(l protocol.DisplayLine) string {
	if len(l.Spans) == 0 {
		return p.Tone(l.Tone, l.Text)
	}
	var b strings.Builder
	for _, s := range l.Spans {
		b.WriteString(p.Tone(s.Tone, s.Text))
	}
	return b.String()
}

// Tone is text in the colour of t.
func (p Painter) Tone(t protocol.Tone, text string) string {
	if code := colourOf[t]; code != "" && text != "" {
		return p.paint(code, text)
	}
	return text
}

// underlined is a line of a command and, if a place is marked in it, the marks below.
func (p Painter) underlined(l protocol.DisplayLine) []string {
	var marks strings.Builder
	for _, s := range l.Spans {
		mark := " "
		if s.Tone == protocol.TonePlace {
			mark = "^"
		}
		marks.WriteString(strings.Repeat(mark, display.Width(s.Text)))
	}
	out := []string{p.Line(l)}
	if m := strings.TrimRight(marks.String(), " "); m != "" {
		margin := m[:len(m)-len(strings.TrimLeft(m, " "))]
		out = append(out, margin+p.Bad(m[len(margin):]))
	}
	return out
}

// wrapped is a text after a label, in lines of readable length.
func (p Painter) wrapped(label, text string) (out []string) {
	const width = 60
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len([]rune(line+word)) > width {
			out, line = append(out, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	out = append(out, line)
	for i := range out {
		lead := strings.Repeat(" ", len(label))
		if i == 0 {
			lead = p.Faint(strings.TrimRight(label, " ")) + label[len(strings.TrimRight(label, " ")):]
		}
		out[i] = lead + out[i]
	}
	return out
}
