package guard

import (
	"testing"

	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

func FuzzCheck(f *testing.F) {
	for _, r := range Rules() {
		for _, c := range append(r.Match, r.NotMatch...) {
			f.Add(c, "posix")
		}
	}
	for _, c := range ordinary {
		f.Add(c, "bash")
	}
	for _, name := range []string{"code-dangerous.txt", "code-ordinary.txt"} {
		for _, c := range list(f, name) {
			f.Add(c, "posix")
		}
	}
	for dialect, commands := range dangerousIn {
		for _, c := range commands {
			f.Add(c, dialect)
		}
	}
	f.Fuzz(func(t *testing.T, command, dialect string) {
		in := shell.Input{Command: command, Cwd: testRoot, Dialect: dialect}
		v := Check(in, DefaultPolicy(), paper{testRoot}, testHome)
		verify(t, v, map[string]int{"command": len(command)})
		if v.found("guard/internal") {
			t.Fatalf("the guard panicked on %q", command)
		}
		argv := Check(shell.Input{Argv: []string{"sh", "-c", command}, Cwd: testRoot}, DefaultPolicy(), paper{testRoot}, testHome)
		if argv.found("guard/internal") {
			t.Fatalf("the guard panicked on the argv of %q", command)
		}
	})
}

// verify checks what holds for every verdict.
func verify(t *testing.T, v Verdict, fields map[string]int) {
	t.Helper()
	strictest := rule.Allow
	for _, f := range v.Findings {
		if f.Decision.Rank() > strictest.Rank() {
			strictest = f.Decision
		}
		size, known := fields[f.Source.Field]
		if !known || f.Span.Start < 0 || f.Span.Start > f.Span.End || f.Span.End > size {
			t.Errorf("%s points at %v of %v", f.RuleID, f.Span, f.Source)
		}
		if f.Message == "" || f.Explanation == "" || f.Severity < 1 || f.Severity > 4 {
			t.Errorf("an empty finding: %+v", f)
		}
	}
	if v.Decision != strictest {
		t.Errorf("decision %s over findings of %s", v.Decision, strictest)
	}
	if !v.Parse.Complete && v.Decision == rule.Allow {
		t.Error("allowed without having read it all")
	}
}
