package prompt

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

const mostPrompt = 200 // bytes

// TailBytes is how much of an output Text wants to see.
const TailBytes = 4 * mostPrompt

// escapes are a terminal's control sequences. ECMA-48
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\a\x1b]*(\a|\x1b\\\\)|[ -/]*[0-~])")
})

// redraws are those that begin the line anew.
var redraws = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\x1b\\[(1?G|2K)") })

// Text is the last line of an output, of which tail is the end, where that line is not
// finished.
func Text(tail []byte) string {
	text := escapes().ReplaceAllString(redraws().ReplaceAllString(string(tail), "\r"), "")
	text = strings.TrimRight(text[strings.LastIndexByte(text, '\n')+1:], "\r")
	text = text[strings.LastIndexByte(text, '\r')+1:]
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	for over := len(text) - mostPrompt; over > 0; over = len(text) - mostPrompt {
		for !utf8.RuneStart(text[over]) {
			over++
		}
		text = text[over:]
	}
	return text
}
