package pages

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

func TestAHeadingIsNamedAsOnGitHub(t *testing.T) {
	for heading, want := range map[string]string{
		"What `pillion check` says":  "what-pillion-check-says",
		"Ubuntu 24.04 (AppArmor)":    "ubuntu-2404-apparmor",
		"fs/delete-system":           "fsdelete-system",
		"A → B":                      "a--b",
		"snake_case, Größe":          "snake_case-größe",
		"Where's my cache?":          "wheres-my-cache",
		"Docker, and `docker.sock`!": "docker-and-dockersock",
	} {
		if got := slug(strings.ReplaceAll(heading, "`", "")); got != want {
			t.Errorf("%s is #%s, want #%s", heading, got, want)
		}
	}
}

// anchors are the names of a page's headings; one that is there again is counted.
func (p page) anchors(t *testing.T) []string {
	var all []string
	times := map[string]int{}
	p.each(t, func(n ast.Node) {
		if n.Kind() != ast.KindHeading {
			return
		}
		name := slug(p.words(t, n))
		if times[name]++; times[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, times[name]-1)
		}
		all = append(all, name)
	})
	return all
}

// words is the text of a heading without its marks.
func (p page) words(t *testing.T, heading ast.Node) string {
	var b strings.Builder
	page{p.name, p.source, heading}.each(t, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Value(p.source))
		case *ast.String:
			b.Write(n.Value)
		}
	})
	return b.String()
}

// slug is the anchor that GitHub makes of a heading.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsNumber(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}
