package lang

import (
	"strings"
	"testing"
)

// Every line of calls.txt names an effect by a word that exists, and no function of a
// language comes twice.
func TestCallsCanBeRead(t *testing.T) {
	known, in, seen := doers(), "", map[string]bool{}
	used := map[string]bool{}
	for line := range strings.Lines(callsText) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "language":
			in = words[1]
		case known[words[0]] == nil:
			t.Errorf("%s: no such word: %s", in, words[0])
		}
		for _, name := range words[min(1, len(words)):] {
			if key := in + " " + name; seen[key] {
				t.Errorf("%s stands twice", key)
			} else {
				seen[key] = true
			}
		}
		if len(words) > 0 {
			used[words[0]] = true
		}
	}
	for word := range known {
		if !used[word] {
			t.Errorf("nothing does %s", word)
		}
	}
	for _, l := range Languages() {
		if callsOf(l.Name) == nil && l != &tcl {
			t.Errorf("%s has no functions", l.Name)
		}
	}
}
