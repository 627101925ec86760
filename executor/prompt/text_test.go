package prompt

import (
	"strings"
	"testing"
)

func TestThePromptIsTheLastLineThatIsNotFinished(t *testing.T) {
	for output, want := range map[string]string{
		"":                             "",
		"done\n":                       "",
		"a\nName? ":                    "Name? ",
		"a\r\n\x1b[1mName?\x1b[0m ":    "Name? ",
		"\x1b]0;title\a$ ":             "$ ",
		"\r\x1b[K>>> \x1b[4G":          ">>> ",
		"10 %\r20 %\rSure? ":           "Sure? ",
		"⠙\x1b[1G\x1b[0Jname: \x1b[7G": "name: ",
		"60 %\x1b[2K\x1b[GYes? ":       "Yes? ",
		"\xff\xfeYes\x07? ":            "Yes? ",
		strings.Repeat("ä", 300):       strings.Repeat("ä", 100),
		"x" + strings.Repeat("ä", 1):   "xä",
	} {
		if got := Text([]byte(output)); got != want {
			t.Errorf("%q: %q", output, got)
		}
	}
}
