package effect

import (
	"strings"
)

// Tail is an argument cut down to a part of its text.
func (a Arg) Tail(text string) Arg {
	a.Text, a.Exact = strings.TrimSpace(text), false
	return a
}

// Renamed is an argument with another text.
func Renamed(a Arg, text string) Arg {
	a.Text, a.Exact = text, false
	return a
}

// Unknown marks, inside a folded word, a run of text that only exists at run
// time. The byte filter keeps it out of shell text; where it still appears
// (a literal \001), that text counts as unknown.
const Unknown = "\x01"

// Arg is one word after folding, with its place in the source.
type Arg struct {
	Text  string
	Index int // argv element, 0 in shell text
	Span  Span
	Exact bool // text is the source at span.Start+shift, byte for byte
	Shift int
	From  []string // programs whose output is in the text
	Many  bool     // may be no word at run time, or many
}

// BytesOf is how long all words are together.
func BytesOf(args []Arg) int {
	n := 0
	for _, a := range args {
		n += len(a.Text)
	}
	return n
}

// Texts are the words without their places.
func Texts(args []Arg) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a.Text
	}
	return out
}

// Cut is an argument without a prefix.
func (a Arg) Cut(prefix string) Arg {
	a.Text, a.Exact = strings.TrimPrefix(a.Text, prefix), false
	return a
}

// Origins are the programs whose output is in some of the words.
func Origins(args []Arg) []string {
	var from []string
	for _, a := range args {
		from = Mixed(from, a.From...)
	}
	return from
}

// Joined is the arguments as one text, the way eval and watch read them.
func Joined(args []Arg) Arg {
	code := args[0]
	if len(args) == 1 {
		return code
	}
	code.Text, code.Exact = strings.Join(Texts(args), " "), false
	for _, a := range args[1:] {
		code.From = Mixed(code.From, a.From...)
		if a.Index == code.Index {
			code.Span.End = max(code.Span.End, a.Span.End)
		}
	}
	return code
}
