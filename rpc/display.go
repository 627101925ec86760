package rpc

import (
	"fmt"
	"strings"
	"unicode"
)

// maxTitle bounds a title in runes.
const maxTitle = 200

// display makes untrusted text fit for one line of a person's screen. Control
// and bidirectional characters are spelled out: they could make a command look
// like another one. Of a long text the end stays too, where "| sh" would hide.
func display(text string) string { return shown(text, maxTitle) }

// shown is display with room for most runes.
func shown(text string, most int) string {
	var b strings.Builder
	runes := []rune(strings.ToValidUTF8(text, "\uFFFD"))
	if len(runes) > most {
		half := most / 2
		runes = append(append(runes[:half:half], []rune(" … ")...), runes[len(runes)-half:]...)
	}
	for _, r := range runes {
		if unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
