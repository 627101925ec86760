package pages

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
)

// hosts may be linked to. No test goes there, so the list is short: add a host after a
// look at it.
var hosts = []string{
	"github.com", "www.npmjs.com", "modelcontextprotocol.io",
	"developers.openai.com", "code.claude.com", "cursor.com", "pkg.go.dev",
	"zed.dev", "lsp.sublimetext.io", "sublimelsp.github.io", "www.gnu.org",
}

// ownPages is where our own files are shown. A link there is one to the file.
const ownPages = "https://github.com/pillion-sidecar/pillion/blob/main/"

// Every link of every page leads somewhere: to a file, to a heading, or to a host
// that we know.
func TestLinksOfThePagesLeadSomewhere(t *testing.T) {
	all := pages(t)
	anchors := map[string][]string{}
	for _, p := range all {
		anchors[p.name] = p.anchors(t)
	}
	found := 0
	for _, p := range all {
		p.each(t, func(n ast.Node) {
			if html := p.html(n); html != "" && !strings.HasPrefix(html, "<!--") {
				t.Errorf("%s:%d: %s is HTML, whose links nobody checks", p.name, p.line(n), strings.TrimSpace(html))
			}
			target, ok := destination(n, p.source)
			if !ok {
				return
			}
			found++
			if err := reaches(p.name, target, anchors); err != nil {
				t.Errorf("%s:%d: %s: %v", p.name, p.line(n), target, err)
			}
		})
	}
	if found < 100 {
		t.Errorf("only %d links found", found)
	}
}

// Somebody who starts at the README finds every document. What packaging has is
// read where the package is.
func TestEveryDocumentIsReachableFromTheReadme(t *testing.T) {
	leads := map[string][]string{}
	for _, p := range pages(t) {
		leads[p.name] = nil
		p.each(t, func(n ast.Node) {
			if target, ok := destination(n, p.source); ok && !strings.Contains(target, ":") {
				file, _, _ := strings.Cut(target, "#")
				leads[p.name] = append(leads[p.name], path.Join(path.Dir(p.name), file))
			}
		})
	}
	reached := []string{"README.md"}
	for i := 0; i < len(reached); i++ {
		for _, next := range leads[reached[i]] {
			if !slices.Contains(reached, next) {
				reached = append(reached, next)
			}
		}
	}
	for name := range leads {
		if !slices.Contains(reached, name) && !strings.HasPrefix(name, "packaging/") {
			t.Errorf("no link leads from README.md to %s", name)
		}
	}
}

// destination is where a link, an image or a bare address leads. One of mail is
// never meant: name@v1.2 becomes one unless it is code.
func destination(n ast.Node, source []byte) (string, bool) {
	switch n := n.(type) {
	case *ast.Link:
		return string(n.Destination), true
	case *ast.Image:
		return string(n.Destination), true
	case *ast.AutoLink:
		if n.AutoLinkType == ast.AutoLinkEmail {
			return "mailto:" + string(n.URL(source)), true
		}
		return string(n.URL(source)), true
	}
	return "", false
}

// reaches says what is wrong with a link of a page.
func reaches(from, target string, anchors map[string][]string) error {
	if file, ok := strings.CutPrefix(target, ownPages); ok {
		from, target = "README.md", file
	}
	u, err := url.Parse(target)
	if err != nil {
		return err
	}
	if u.Scheme != "" {
		if u.Scheme != "https" || u.User != nil || u.Port() != "" || !slices.Contains(hosts, u.Host) {
			return fmt.Errorf("not https to a host of the list in links_test.go")
		}
		return nil
	}
	file := from
	if u.Path != "" {
		file = path.Join(path.Dir(from), u.Path)
	}
	if !filepath.IsLocal(filepath.FromSlash(file)) || path.IsAbs(u.Path) {
		return fmt.Errorf("leads out of the repository")
	}
	if _, err := os.Stat(filepath.Join(module, filepath.FromSlash(file))); err != nil {
		return fmt.Errorf("there is no %s", file)
	}
	if u.Fragment != "" && !slices.Contains(anchors[file], u.Fragment) {
		return fmt.Errorf("%s has no such heading", file)
	}
	return nil
}
