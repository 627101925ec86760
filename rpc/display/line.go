package display

import (
	"strings"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// maxLine bounds a text of others in a line of ours, in runes.
const maxLine = 200

// Line makes untrusted text fit for one line of a person's screen: what is hidden is
// spelled out. Of a long text the end stays too, where "| sh" would hide.
func Line(text string) string { return Clip(text, maxLine) }

// Clip is Line with room for most runes.
func Clip(text string, most int) string {
	runes := []rune(strings.ToValidUTF8(text, "\uFFFD"))
	if len(runes) > most {
		half := most / 2
		text = string(runes[:half]) + " … " + string(runes[len(runes)-half:])
	}
	return Spelled(text)
}

// Spelled is a text of any length on one line.
func Spelled(text string) string {
	var b strings.Builder
	for _, c := range cells(strings.ToValidUTF8(text, "\uFFFD")) {
		b.WriteString(c.text)
	}
	return b.String()
}

// Plain are lines as a text.
func Plain(lines []protocol.DisplayLine) string {
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.Text
	}
	return strings.Join(texts, "\n")
}

// line is one in a single tone.
func line(tone protocol.Tone, text string) protocol.DisplayLine {
	return protocol.DisplayLine{Text: text, Tone: tone}
}

// pieces are a line of several tones.
func pieces(tone protocol.Tone, spans ...protocol.DisplaySpan) protocol.DisplayLine {
	l := protocol.DisplayLine{Tone: tone, Spans: spans}
	for _, s := range spans {
		l.Text += s.Text
	}
	return l
}

// Margin is how wide the label of a Row is, with what is around it.
const Margin = 11

// Row is a text after a label. The text is one of others.
func Row(label string, tone protocol.Tone, text string) protocol.DisplayLine {
	lead := "  " + label + strings.Repeat(" ", max(Margin-2-len(label), 1))
	return pieces(tone, protocol.DisplaySpan{Text: lead, Tone: protocol.ToneDim}, protocol.DisplaySpan{Text: Spelled(strings.Join(strings.Fields(text), " ")), Tone: tone})
}
