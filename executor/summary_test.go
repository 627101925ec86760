package executor

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/guard"
)

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
