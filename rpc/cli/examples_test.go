package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// shownCheck is a pillion check of one quoted argument in a page, and what the
// page says it prints, up to the next command or the end of the block.
var shownCheck = regexp.MustCompile("(?m)^( *)\\$ pillion check ('[^']*')\n((?:(?:[^$`\n][^\n]*)?\n)+)")

// What the pages show is what check prints: every line in its order, where the
// page leaves none out with an ellipsis.
func TestTheExamplesOfThePagesAreTrue(t *testing.T) {
	found := 0
	for _, page := range []string{"README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range shownCheck.FindAllStringSubmatch(string(text), -1) {
			found++
			want := answered(t, question{asked: asked{command: strings.Trim(m[2], "'")}})
			rest := want
			for line := range strings.Lines(m[3]) {
				if line = strings.TrimSpace(line); line == "" || line == "…" {
					continue
				}
				if len(m[1]) > 0 && strings.HasPrefix(line, "`") { // the text behind a block by indentation
					break
				}
				at := strings.Index(rest, line)
				if at < 0 {
					t.Errorf("%s, %s: %q is not in\n%s", page, m[2], line, want)
					break
				}
				rest = rest[at+len(line):]
			}
		}
	}
	if found < 3 {
		t.Errorf("only %d examples found", found)
	}
}
