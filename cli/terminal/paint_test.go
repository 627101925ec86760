package terminal

import (
	"strings"
	"testing"
)

func TestColoursAreForTerminals(t *testing.T) {
	var b strings.Builder
	if Colours("").Painter(&b).on {
		t.Error("colours into a builder")
	}
	if got := (Painter{on: true}).Decision("deny", "denied"); got != "\x1b[1;31mdenied\x1b[0m" {
		t.Errorf("%q", got)
	}
}

func TestColourRules(t *testing.T) {
	env := func(name, value string) func(string) string {
		return func(asked string) string {
			if asked == name {
				return value
			}
			return ""
		}
	}
	for _, tc := range []struct {
		flag     Colours
		terminal bool
		env      func(string) string
		want     bool
	}{
		{"", true, env("", ""), true},
		{"auto", false, env("", ""), false},
		{"auto", true, env("NO_COLOR", "0"), false},
		{"auto", true, env("TERM", "dumb"), false},
		{"auto", false, env("CLICOLOR_FORCE", "1"), true},
		{"auto", false, env("CLICOLOR_FORCE", "0"), false},
		{"always", false, env("NO_COLOR", "1"), true},
		{"never", true, env("CLICOLOR_FORCE", "1"), false},
	} {
		if got := tc.flag.wanted(tc.terminal, tc.env); got != tc.want {
			t.Errorf("%q, terminal %v: %v", tc.flag, tc.terminal, got)
		}
	}
}
