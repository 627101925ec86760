package pages

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The map for contributors stays short, each rule of it names a test, and each station of
// a command a function that is declared in the file beside it.
func TestTheMapOfTheCodeIsTrue(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(module, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
	if n := strings.Count(text, "\n"); n > 150 {
		t.Errorf("docs/architecture.md has %d lines, at most 150 are read", n)
	}
	there := functions(t)
	rules := 0
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "Invariant:") {
			continue
		}
		rules++
		names := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(line, -1)
		if len(names) == 0 {
			t.Errorf("no test holds: %s", line)
		}
		for _, name := range names {
			if !there[name[1]] {
				t.Errorf("there is no %s", name[1])
			}
		}
	}
	stations := regexp.MustCompile("\\]\\(\\.\\./([^)]+\\.go)\\) `(\\w+)`").FindAllStringSubmatch(text, -1)
	for _, s := range stations {
		code, err := os.ReadFile(filepath.Join(module, filepath.FromSlash(s[1])))
		if err != nil {
			t.Error(err)
		}
		if !regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + s[2] + `\(`).Match(code) {
			t.Errorf("%s has no function %s", s[1], s[2])
		}
	}
	if rules < 15 || len(stations) < 15 {
		t.Errorf("only %d rules and %d stations found", rules, len(stations))
	}
}
