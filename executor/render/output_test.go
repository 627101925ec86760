package render

import (
	"testing"
)

func TestIncompleteRune(t *testing.T) {
	for s, want := range map[string]int{"": 0, "a": 0, "€": 0, "\xe2": 1, "\xe2\x82": 2, "a\xf0\x9f\x98": 3, "\xff": 0, "\x82": 0, "\x82\x82\x82": 0, "\xc3": 1} {
		if got := IncompleteRune([]byte(s)); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}
