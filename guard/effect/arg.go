package effect

import "strings"

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

// Instead is another text at the place of an argument, and what printed it.
func (a Arg) Instead(text string, from []string) Arg {
	return Arg{Text: text, Index: a.Index, Span: a.Span, From: from}
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
	code.From = Origins(args)
	for _, a := range args[1:] {
		if a.Index == code.Index {
			code.Span.End = max(code.Span.End, a.Span.End)
		}
	}
	return code
}

// Stream is what a command prints, as far as it is known.
type Stream struct {
	Text  string   // may hold unknown
	Open  bool     // something is connected; false is the terminal or /dev/null
	Maybe bool     // may not be what is connected
	File  bool     // comes straight from a file
	From  []string // the programs it went through
	Err   string   // what went to the error output instead
	Pos   *int     // how much was read, shared by all who read from it
	To    string   // of a descriptor that is written to: the file
}

// Rest is what was not read yet.
func (s Stream) Rest() string {
	if s.Pos == nil {
		return s.Text
	}
	return s.Text[min(*s.Pos, len(s.Text)):]
}

// Somewhere is output of which nothing is known.
var Somewhere = Stream{Text: Unknown, Open: true}

// Passed is what a program prints that read in.
func Passed(in Stream, name string) Stream {
	if in.Open && !in.File && in.Text != "" && !strings.Contains(in.Text, Unknown) {
		return Stream{Text: Unknown, Open: true, From: Mixed(in.From, Rewritten, name)}
	}
	return Stream{Text: Unknown, Open: true, From: Mixed(in.From, name)}
}

// Through is output as another program's input.
func Through(s Stream) Stream {
	s.Open, s.Pos = true, new(int)
	return s
}

// Printed is the output of a program that prints this text.
func Printed(text string) Stream { return Stream{Text: text, Open: true} }

// MaxValue bounds a variable's text in bytes, so that x=$x$x in a loop stays small.
const MaxValue = 4096

// Either is what is printed when one of two branches runs.
func Either(a, b Stream) Stream {
	if a.Text == b.Text {
		return a
	}
	return Stream{Text: Unknown, Open: a.Open || b.Open, From: Mixed(a.From, b.From...)}
}

// MaxPrinted bounds what is remembered of several commands' output together.
const MaxPrinted = 4 * MaxValue

// Then is what is printed by one command after another.
func Then(a, b Stream) Stream {
	err := a.Err
	if len(err)+len(b.Err) <= MaxPrinted {
		err += b.Err
	}
	out := Stream{Text: Unknown, Open: true, From: Mixed(a.From, b.From...), Err: err}
	switch {
	case a.Text == "" && !a.Open:
		b.Err, b.From = err, out.From
		return b
	case b.Text == "" && !b.Open:
		a.Err, a.From = err, out.From
		return a
	}
	switch {
	case b.Text == Unknown && strings.HasSuffix(a.Text, Unknown):
		out.Text = a.Text
	case len(a.Text)+len(b.Text) <= MaxPrinted:
		out.Text = a.Text + b.Text
	case !strings.HasSuffix(a.Text, Unknown) && len(a.Text) <= MaxPrinted:
		out.Text = a.Text + Unknown
	case len(a.Text) <= MaxPrinted:
		out.Text = a.Text
	}
	return out
}

// Among reports that text is one of the words of a list, blanks between them.
func Among(text, words string) bool { return Any(words, func(w string) bool { return w == text }) }

// Begins, Ends and Holds report that text begins with, ends in or has one of the words of
// a list.
func Begins(text, words string) bool {
	return Any(words, func(w string) bool { return strings.HasPrefix(text, w) })
}

// Ends is one of those.
func Ends(text, words string) bool {
	return Any(words, func(w string) bool { return strings.HasSuffix(text, w) })
}

// Holds is one of those.
func Holds(text, words string) bool {
	return Any(words, func(w string) bool { return strings.Contains(text, w) })
}

// Any reports that f accepts one of the words of a list.
func Any(words string, f func(string) bool) bool {
	for word := range strings.FieldsSeq(words) {
		if f(word) {
			return true
		}
	}
	return false
}
