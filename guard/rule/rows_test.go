package rule

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Every line of the rows can be read, and no id comes twice.
func TestRowsCanBeRead(t *testing.T) {
	keys := strings.Fields("rule title decision about sends loss sealed verbatim why message safer finds fine finds= fine=")
	seen := map[string]bool{}
	for _, file := range families {
		text, err := texts.ReadFile("rows/" + file + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		each(string(text), func(id, key, value string) {
			switch {
			case !slices.Contains(keys, key):
				t.Errorf("%s: no such key: %s", id, key)
			case key == "rule" && seen[id]:
				t.Errorf("%s stands twice", id)
			case key == "about" && kinds[strings.Fields(value)[0]] == 0:
				t.Errorf("%s is about an unknown kind of effect: %s", id, value)
			case key == "sends" && strings.Fields(value)[0] != "away" && strings.Fields(value)[0] != "anywhere":
				t.Errorf("%s does not say where: %s", id, value)
			case strings.HasSuffix(key, "="):
				if _, err := strconv.Unquote(value); err != nil {
					t.Errorf("%s: %s: %v", id, value, err)
				}
			}
			seen[id] = true
		})
	}
	for id := range whens {
		if !seen[id] {
			t.Errorf("a predicate is about %s, which is no row", id)
		}
	}
}

// Every row says what it must, and shows what it finds.
func TestRowsAreComplete(t *testing.T) {
	for _, r := range Balanced() {
		if r.Title == "" || r.Why == "" || r.Message == "" || r.Severity < 1 || r.Severity > 4 || !slices.Contains([]Decision{Ask, Deny}, r.Decision) {
			t.Errorf("%s is incomplete", r.ID)
		}
		e := examples()[r.ID]
		if len(e.Match) == 0 && !slices.Contains(long, r.ID) || len(e.NotMatch) == 0 && r.ID != "guard/internal" {
			t.Errorf("%s: %d commands that it finds, %d that only look alike", r.ID, len(e.Match), len(e.NotMatch))
		}
	}
}

// long are rows that take more text than a line, or none: tests of the guard write it.
var long = []string{"input/invalid", "input/size", "input/nested-shells", "budget/work", "guard/internal"}
