package config

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	words := []string{"fs/delete-system", "fs/delete-unknown", "process/fork-bomb", "code/remote"}
	for word, want := range map[string]string{
		"fs/delete-sistem": "fs/delete-system", "fork-bomb": "process/fork-bomb", "remote": "code/remote",
		"fs/delte-unknown": "fs/delete-unknown", "Code/Remote": "code/remote",
		strings.Repeat("fs/delete", 1<<20): "", "": "", "git/*": "", "nope": "",
	} {
		if got := Nearest(word, words); got != want {
			t.Errorf("%.40q: %q, want %q", word, got, want)
		}
	}
	for word, want := range map[string]string{
		"code/remte": `there is no rule "code/remte"; did you mean code/remote?`,
		"nope":       `there is no rule "nope"; there are fs/delete-system, fs/delete-unknown, process/fork-bomb, code/remote`,
	} {
		if err := Unknown("rule", word, words); err.Error() != want {
			t.Errorf("%s: %v", word, err)
		}
	}
	if Nearest("x", nil) != "" {
		t.Error("nearest of nothing")
	}
}
