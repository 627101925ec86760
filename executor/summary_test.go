package executor

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/pillion-sidecar/pillion/guard"
)

func TestSummaryForms(t *testing.T) {
	denylist, layered, plain := Summary{Form: SummaryDenylist}, Summary{Form: SummaryLayered}, Summary{Form: SummaryPlain}
	cut := func(s Summary, n int, keep string) Summary { s.MaxChars, s.Keep = n, keep; return s }
	timeout := ending{timedOut: true, limit: 10 * time.Second, command: "sleep 200", signal: 15, name: "terminated", posix: "SIGTERM"}
	for name, tc := range map[string]struct {
		s        Summary
		e        ending
		out, err string
		want     string
	}{
		"denylist out":              {denylist, ending{}, "hi\n", "", "hi\n"},
		"denylist both":             {denylist, ending{}, "hi\n", "oops\n", "hi\nSTDERR:\noops\n"},
		"denylist without newline":  {denylist, ending{}, "hi", "oops", "hi\nSTDERR:\noops"},
		"denylist err":              {denylist, ending{}, "", "oops\n", "STDERR:\noops\n"},
		"denylist empty":            {denylist, ending{}, "", "", "(no output)"},
		"denylist exit":             {denylist, ending{code: 2}, "hi\n", "", "hi\nExit code: exit status 2"},
		"denylist exit, nothing":    {denylist, ending{code: 1}, "", "", "Exit code: exit status 1"},
		"denylist signal":           {denylist, ending{signal: 9, name: "killed"}, "x", "", "x\nExit code: signal: killed"},
		"denylist timeout":          {denylist, timeout, "partial", "", "Command timed out after 10s"},
		"denylist long":             {denylist, ending{}, strings.Repeat("é", 10_007), "", strings.Repeat("é", 10_000) + "\n... (truncated, 7 more chars)"},
		"denylist just fits":        {denylist, ending{}, strings.Repeat("é", 10_000), "", strings.Repeat("é", 10_000)},
		"the exit code is not cut":  {cut(denylist, 2, ""), ending{code: 3}, "abcdef", "", "ab\n... (truncated, 4 more chars)\nExit code: exit status 3"},
		"the cut counts stderr":     {cut(denylist, 4, ""), ending{}, "ab", "cd", "ab\nS\n... (truncated, 9 more chars)"},
		"layered both":              {layered, ending{code: 1}, "out\n", "err\n", "out\n[stderr]\nerr\n[exit code: 1]"},
		"layered success":           {layered, ending{}, "out\n", "", "out\n"},
		"layered signal":            {layered, ending{signal: 15}, "", "", "[exit code: -15]"},
		"layered timeout":           {layered, timeout, "", "", "Error: Command timed out after 10s: sleep 200"},
		"layered short timeout":     {layered, ending{timedOut: true, limit: 300 * time.Millisecond, command: "x"}, "", "", "Error: Command timed out after 0.3s: x"},
		"layered long":              {cut(layered, 4, ""), ending{}, "abcdefg", "", "ab\n... (truncated, 3 more chars)\nfg"},
		"layered odd":               {cut(layered, 5, ""), ending{}, "abcdefg", "", "abc\n... (truncated, 2 more chars)\nfg"},
		"layered 50,000":            {layered, ending{}, strings.Repeat("a", 25_000) + "-" + strings.Repeat("z", 25_000), "", strings.Repeat("a", 25_000) + "\n... (truncated, 1 more chars)\n" + strings.Repeat("z", 25_000)},
		"layered head":              {cut(layered, 3, "head"), ending{}, "abcde", "", "abc\n... (truncated, 2 more chars)"},
		"plain":                     {plain, ending{}, "out\n", "err\n", "out\nerr\n"},
		"plain exit":                {plain, ending{code: 3}, "out\n", "", "out\nExit code: 3"},
		"plain is not cut":          {plain, ending{}, strings.Repeat("x", 200_000), "", strings.Repeat("x", 200_000)},
		"plain timeout":             {plain, timeout, "so far\n", "", "so far\nCommand timed out after 10s"},
		"plain signal":              {plain, ending{signal: 9, posix: "SIGKILL"}, "", "", "Signal: SIGKILL"},
		"plain empty":               {plain, ending{}, "", "", "(no output)"},
		"bytes that are no text":    {denylist, ending{}, "a\xff\xfeb", "", "a\uFFFD\uFFFDb"},
		"an unfinished rune":        {denylist, ending{}, "a\xe2\x82", "", "a\uFFFD\uFFFD"},
		"runes in the middle":       {cut(layered, 2, ""), ending{}, "€uro€", "", "€\n... (truncated, 3 more chars)\n€"},
		"head of one":               {cut(denylist, 1, "head"), ending{}, "€€", "", "€\n... (truncated, 1 more chars)"},
		"a limit beyond the bounds": {cut(denylist, 1<<40, ""), ending{}, strings.Repeat("x", maxSummary+1), "", strings.Repeat("x", maxSummary) + "\n... (truncated, 1 more chars)"},
	} {
		for how, reader := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "by the byte": iotest.OneByteReader, "with its end": iotest.DataErrReader,
		} {
			if got := tc.s.render(tc.e, []section{{out: reader(strings.NewReader(tc.out)), err: reader(strings.NewReader(tc.err))}}); got != tc.want {
				t.Errorf("%s, %s: %.80q, want %.80q", name, how, got, tc.want)
			}
		}
	}
}

func TestSummaryIsOfTheWholeOutput(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Summary = Summary{Form: SummaryLayered}; c.Limits.InlineMaxBytes = 100 })
	res, _ := r.must(sh("seq 1 100000; echo bad >&2; exit 3"))
	if !strings.HasPrefix(res.Summary, "1\n2\n") || !strings.HasSuffix(res.Summary, "99999\n100000\n[stderr]\nbad\n[exit code: 3]") || !strings.Contains(res.Summary, "more chars)") {
		t.Errorf("%.60q … %q", res.Summary, res.Summary[max(0, len(res.Summary)-80):])
	}
	streamed := streamed("echo hi")
	streamed.Output.Summary = Summary{Form: SummaryDenylist}
	if res, _ := r.must(streamed); res.Summary != "hi\n" {
		t.Errorf("streamed: %q", res.Summary)
	}
	none := sh("echo hi")
	none.Output.Summary = Summary{Form: SummaryNone}
	if res, _ := r.must(none); res.Summary != "" {
		t.Errorf("none: %q", res.Summary)
	}
	late := sh("echo begun; sleep 30")
	late.Timeout = 200 * time.Millisecond
	if res, _ := r.must(late); res.Summary != "Error: Command timed out after 0.2s: echo begun; sleep 30" {
		t.Errorf("timed out: %q", res.Summary)
	}
}

func TestSummaryNamesWhatWasNotKept(t *testing.T) {
	r := newRig(t, func(c *Config) {
		c.Summary = Summary{Form: SummaryPlain}
		c.Limits.SpoolMaxBytes, c.Limits.SpoolTailBytes = 2000, 1000
	})
	res, _ := r.must(sh("seq 1 1000"))
	if !strings.Contains(res.Summary, "\n... (1893 bytes were not kept)\n") || !strings.HasSuffix(res.Summary, "\n1000\n") {
		t.Errorf("%.40q … %q", res.Summary, res.Summary[max(0, len(res.Summary)-60):])
	}
}

func TestTheSentenceOfAProfileIsPassedOnUnchanged(t *testing.T) {
	for profile, want := range map[string]string{
		"denylist": "Command blocked by safety guard (dangerous pattern detected)",
		"layered":  "Error: rm -r on root filesystem",
		"balanced": "denied: deletes /",
	} {
		r := newRig(t, func(c *Config) { c.Guard, _ = guard.Profile(profile) })
		_, _, err := r.run(sh("rm -rf /"))
		var denied *DeniedError
		if !errors.As(err, &denied) || err.Error() != want {
			t.Errorf("%s: %v", profile, err)
		}
	}
}
