package display

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// spanOf is where part is in text.
func spanOf(text, part string) protocol.Span {
	at := strings.Index(text, part)
	return protocol.Span{Start: at, End: at + len(part)}
}

// drawn are lines of a command, with the places below them.
func drawn(list []protocol.DisplayLine) string {
	var out []string
	for _, l := range list {
		marks := ""
		for _, s := range l.Spans {
			mark := " "
			if s.Tone == protocol.TonePlace {
				mark = "^"
			}
			marks += strings.Repeat(mark, Width(s.Text))
		}
		out = append(out, strings.TrimPrefix(l.Text, Indent))
		if marks = strings.TrimRight(strings.TrimPrefix(marks, Indent), " "); marks != "" {
			out = append(out, marks)
		}
	}
	return strings.Join(out, "\n")
}

func TestSnippet(t *testing.T) {
	long := "echo " + strings.Repeat("x", 200)
	for name, tc := range map[string]struct{ text, part, want string }{
		"the place":             {"ls; rm -rf ~", "~", "ls; rm -rf ~\n           ^"},
		"wide and narrow":       {"echo 日本é😀; rm -rf ~", "~", "echo 日本é😀; rm -rf ~\n                     ^"},
		"a wide place":          {"rm 日本", "日本", "rm 日本\n   ^^^^"},
		"a combining accent":    {"echo e\u0301; rm /", "/", "echo e\u0301; rm /\n           ^"},
		"stacked accents":       {"e\u0301\u0301\u0301 /", "/", "e\u0301\u0301\\u0301 /\n        ^"},
		"a tab":                 {"ls\t/etc", "/etc", "ls  /etc\n    ^^^^"},
		"direction":             {"ls \u202etxt /", "/", "ls \\u202etxt /\n             ^"},
		"zero width":            {"l\u200bs /", "/", "l\\u200bs /\n         ^"},
		"an emoji of two":       {"echo 👨\u200d👩 /", "/", "echo 👨\\u200d👩 /\n                ^"},
		"a variation selector":  {"echo ❤\ufe0f /", "/", "echo ❤\\ufe0f /\n             ^"},
		"an escape":             {"printf '\x1b[2J' /", "/", "printf '\\u001b[2J' /\n                   ^"},
		"a stray byte":          {"ls \xff /", "/", "ls \\xff /\n        ^"},
		"a carriage return":     {"ls\r\nrm /", "/", "1  ls\\r\n2  rm /\n      ^"},
		"a line of several":     {"cd x\nrm /\nls", "/", "1  cd x\n2  rm /\n      ^\n3  ls"},
		"over lines":            {"a <<E\nrm /\nE", "<<E\nrm /\nE", "1  a <<E\n     ^^^\n2  rm /\n   ^^^^\n3  E\n   ^"},
		"many lines":            {strings.Repeat("ls\n", 9) + "rm /\n" + strings.Repeat("ls\n", 9) + "sh", "rm /", " 1  ls\n    …\n10  rm /\n    ^^^^\n    …\n20  sh"},
		"a long line":           {long + "; rm -rf /etc; " + long + " | sh", "/etc", "echo xx … rm -rf /etc; echo  … xxxxxxxxxxx | sh\n                 ^^^^"},
		"a long place":          {"rm " + long, long, "rm echo xxxxx … xxxxxxxxxxxxxxxx\n   ^^^^^^^^^^   ^^^^^^^^^^^^^^^^"},
		"the end of a long one": {long + " | sh", "sh", "echo xx … xxxxxxxxxxx | sh\n                        ^^"},
	} {
		t.Run(name, func(t *testing.T) {
			got := drawn(snippet(tc.text, spanOf(tc.text, tc.part)))
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// What was shown once is not shown again, and a long place not at length.
func TestExcerpt(t *testing.T) {
	text := "ls\ncd x\nrm /\nls"
	got := drawn(excerpt(text, spanOf(text, "rm /")))
	if d := cmp.Diff("3  rm /\n   ^^^^", got); d != "" {
		t.Error(d)
	}
	text = strings.Repeat("echo x\n", 30)
	if got := excerpt(text, protocol.Span{Start: 0, End: len(text)}); len(got) > 4*maxLines {
		t.Errorf("%d lines", len(got))
	}
}

// A span that doesn't fit the text must not take the answer down with it.
func TestAnySpanIsShown(t *testing.T) {
	for _, text := range []string{"", "x", "é", "a\nb", "\n"} {
		for start := -1; start < 4; start++ {
			for end := -1; end < 6; end++ {
				snippet(text, protocol.Span{Start: start, End: end})
			}
		}
	}
}

// No line is wider than the screen, and none holds what a terminal acts on.
func FuzzSnippet(f *testing.F) {
	f.Add("rm -rf /", 3, 8)
	f.Add("日本\t\x1b[31m\u202e", 0, 4)
	f.Fuzz(func(t *testing.T, text string, start, end int) {
		for _, line := range snippet(text, protocol.Span{Start: start, End: end}) {
			if !utf8.ValidString(line.Text) || Spelled(line.Text) != line.Text {
				t.Fatalf("%q is shown as %q", text, line)
			}
		}
	})
}

func TestASpanOfAnArgumentIsFoundInTheLine(t *testing.T) {
	index := func(i int) protocol.Source { return protocol.Source{Field: "argv", Index: &i} }
	a := Asked{Argv: []string{"bash", "-c", "rm -rf /", "it's", ""}}
	for _, tc := range []struct {
		source protocol.Source
		span   protocol.Span
		want   string
	}{
		{index(0), protocol.Span{Start: 0, End: 4}, "bash"},
		{index(2), protocol.Span{Start: 7, End: 8}, "/"},
		{index(3), protocol.Span{Start: 0, End: 2}, `'it'\''s'`},
		{index(4), protocol.Span{Start: 0, End: 0}, "''"},
		{protocol.Source{Field: "env", Name: "LD_PRELOAD"}, protocol.Span{Start: 0, End: 40}, "LD_PRELOAD=…"},
	} {
		text, span := a.place(tc.source, tc.span)
		if got := text[span.Start:span.End]; got != tc.want {
			t.Errorf("%+v: %q of %q, want %q", tc.source, got, text, tc.want)
		}
	}
}
