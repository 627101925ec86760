package pages

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A page can't show something else than what is printed, nor leave out a part of it
// without an ellipsis.
func TestAnExampleIsComparedToTheLetter(t *testing.T) {
	for _, c := range []struct {
		shown, out, err string
		same            bool
	}{
		{"a\nb\n", "a\nb\n", "", true},
		{"a\n", "a\nb\n", "", false},
		{"a\nb\n", "a\n", "", false},
		{"", "a\n", "", false},
		{"", "", "", true},
		{"a.c\n", "abc\n", "", false},
		{"a\n", "a", "", false},
		{"exit 0 · … ms\n", "exit 0 · 12 ms\n", "", true},
		{"exit 0 · … ms\n", "exit 1 · 12 ms\n", "", false},
		{"a … c\n", "a b\nb c\n", "", false},
		{"a\n…\nd\n", "a\nb\nc\nd\n", "", true},
		{"a\n…\nd\n", "a\nd\n", "", true},
		{"a\n…\n", "b\n", "", false},
		{"a\nx\nb\n", "a\nb\n", "x\n", true},
		{"b\nx\na\n", "a\nb\n", "x\n", false},
		{"a\n", "a\n", "x\n", false},
		{"a\n…\n", "a\n", "x\n", true},
		{"…\nx\n…\ny\n", "a\nx\n", "x\ny\n", true},
	} {
		if got := (example{output: c.shown}).shows(printed{c.out, c.err}); got != c.same {
			t.Errorf("%q shows %q and %q: %v", c.shown, c.out, c.err, got)
		}
	}
}

// shows says whether a page shows what was printed, to the letter. Output and
// errors come by two ways, so which of them is first where is not promised.
func (e example) shows(p printed) bool {
	shown := slices.Collect(strings.Lines(e.output))
	streams := [2][]string{slices.Collect(strings.Lines(p.out)), slices.Collect(strings.Lines(p.err))}
	failed := map[[3]int]bool{}
	var from func(at [3]int) bool // the line of the page, and of each stream
	from = func(at [3]int) bool {
		if failed[at] {
			return false
		}
		any := at[0] < len(shown) && shown[at[0]] == "…\n"
		if any && from([3]int{at[0] + 1, at[1], at[2]}) {
			return true
		}
		done := at[0] == len(shown)
		for i, lines := range streams {
			n := at[i+1]
			done = done && n == len(lines)
			if at[0] == len(shown) || n == len(lines) || !any && !alike(shown[at[0]], lines[n]) {
				continue
			}
			next := at
			next[i+1]++
			if !any {
				next[0]++
			}
			if from(next) {
				return true
			}
		}
		failed[at] = !done
		return done
	}
	return from([3]int{})
}

// alike compares lines, where an ellipsis on the page is any part of one.
func alike(shown, printed string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(shown), "…", ".*")
	return regexp.MustCompile(`\A` + pattern + `\z`).MatchString(printed)
}
