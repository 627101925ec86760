package render

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func TestSummaryForms(t *testing.T) {
	denylist, layered, plain := Summary{Form: SummaryDenylist}, Summary{Form: SummaryLayered}, Summary{Form: SummaryPlain}
	cut := func(s Summary, n int, keep string) Summary { s.MaxChars, s.Keep = n, keep; return s }
	timeout := Ending{TimedOut: true, Limit: 10 * time.Second, Command: "sleep 200", Signal: 15, Name: "terminated", Posix: "SIGTERM"}
	for name, tc := range map[string]struct {
		s        Summary
		e        Ending
		out, err string
		want     string
	}{
		"denylist out":              {denylist, Ending{}, "hi\n", "", "hi\n"},
		"denylist both":             {denylist, Ending{}, "hi\n", "oops\n", "hi\nSTDERR:\noops\n"},
		"denylist without newline":  {denylist, Ending{}, "hi", "oops", "hi\nSTDERR:\noops"},
		"denylist err":              {denylist, Ending{}, "", "oops\n", "STDERR:\noops\n"},
		"denylist empty":            {denylist, Ending{}, "", "", "(no output)"},
		"denylist exit":             {denylist, Ending{Code: 2}, "hi\n", "", "hi\nExit code: exit status 2"},
		"denylist exit, nothing":    {denylist, Ending{Code: 1}, "", "", "Exit code: exit status 1"},
		"denylist signal":           {denylist, Ending{Signal: 9, Name: "killed"}, "x", "", "x\nExit code: signal: killed"},
		"denylist timeout":          {denylist, timeout, "partial", "", "Command timed out after 10s"},
		"denylist long":             {denylist, Ending{}, strings.Repeat("é", 10_007), "", strings.Repeat("é", 10_000) + "\n... (truncated, 7 more chars)"},
		"denylist just fits":        {denylist, Ending{}, strings.Repeat("é", 10_000), "", strings.Repeat("é", 10_000)},
		"the exit code is not cut":  {cut(denylist, 2, ""), Ending{Code: 3}, "abcdef", "", "ab\n... (truncated, 4 more chars)\nExit code: exit status 3"},
		"the cut counts stderr":     {cut(denylist, 4, ""), Ending{}, "ab", "cd", "ab\nS\n... (truncated, 9 more chars)"},
		"layered both":              {layered, Ending{Code: 1}, "out\n", "err\n", "out\n[stderr]\nerr\n[exit code: 1]"},
		"layered success":           {layered, Ending{}, "out\n", "", "out\n"},
		"layered signal":            {layered, Ending{Signal: 15}, "", "", "[exit code: -15]"},
		"layered timeout":           {layered, timeout, "", "", "Error: Command timed out after 10s: sleep 200"},
		"layered short timeout":     {layered, Ending{TimedOut: true, Limit: 300 * time.Millisecond, Command: "x"}, "", "", "Error: Command timed out after 0.3s: x"},
		"layered long":              {cut(layered, 4, ""), Ending{}, "abcdefg", "", "ab\n... (truncated, 3 more chars)\nfg"},
		"layered odd":               {cut(layered, 5, ""), Ending{}, "abcdefg", "", "abc\n... (truncated, 2 more chars)\nfg"},
		"layered 50,000":            {layered, Ending{}, strings.Repeat("a", 25_000) + "-" + strings.Repeat("z", 25_000), "", strings.Repeat("a", 25_000) + "\n... (truncated, 1 more chars)\n" + strings.Repeat("z", 25_000)},
		"layered head":              {cut(layered, 3, "head"), Ending{}, "abcde", "", "abc\n... (truncated, 2 more chars)"},
		"plain":                     {plain, Ending{}, "out\n", "err\n", "out\nerr\n"},
		"plain exit":                {plain, Ending{Code: 3}, "out\n", "", "out\nExit code: 3"},
		"plain is not cut":          {plain, Ending{}, strings.Repeat("x", 200_000), "", strings.Repeat("x", 200_000)},
		"plain timeout":             {plain, timeout, "so far\n", "", "so far\nCommand timed out after 10s"},
		"plain signal":              {plain, Ending{Signal: 9, Posix: "SIGKILL"}, "", "", "Signal: SIGKILL"},
		"plain empty":               {plain, Ending{}, "", "", "(no output)"},
		"bytes that are no text":    {denylist, Ending{}, "a\xff\xfeb", "", "a\uFFFD\uFFFDb"},
		"an unfinished rune":        {denylist, Ending{}, "a\xe2\x82", "", "a\uFFFD\uFFFD"},
		"runes in the middle":       {cut(layered, 2, ""), Ending{}, "€uro€", "", "€\n... (truncated, 3 more chars)\n€"},
		"head of one":               {cut(denylist, 1, "head"), Ending{}, "€€", "", "€\n... (truncated, 1 more chars)"},
		"a limit beyond the bounds": {cut(denylist, 1<<40, ""), Ending{}, strings.Repeat("x", MaxChars+1), "", strings.Repeat("x", MaxChars) + "\n... (truncated, 1 more chars)"},
	} {
		for how, reader := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "by the byte": iotest.OneByteReader, "with its end": iotest.DataErrReader,
		} {
			if got := tc.s.Render(tc.e, []Section{{Out: reader(strings.NewReader(tc.out)), Err: reader(strings.NewReader(tc.err))}}); got != tc.want {
				t.Errorf("%s, %s: %.80q, want %.80q", name, how, got, tc.want)
			}
		}
	}
}
