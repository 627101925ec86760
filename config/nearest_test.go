package config

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	words := []string{"fs/delete-system", "fs/delete-unknown", "process/fork-bomb", "code/remote"}
	for word, want := range map[string]string{
		"fs/delete-sistem": "fs/delete-system", "fork-bomb": "process/fork-bomb", "remote": "code/remote",
		"fs/delte-unknown": "fs/delete-unknown", strings.Repeat("fs/delete", 1<<20): "fs/delete-system",
	} {
		if got := Nearest(word, words); got != want {
			t.Errorf("%.40q: %q, want %q", word, got, want)
		}
	}
	if Nearest("x", nil) != "" {
		t.Error("nearest of nothing")
	}
}
