package pages

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// page is a Markdown file of the repository, read as GitHub reads it.
type page struct {
	name   string // below the module, with slashes
	source []byte
	root   ast.Node
}

// pages are all Markdown files but those of installed packages.
func pages(t *testing.T) []page {
	t.Helper()
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM))
	var all []page
	err := filepath.WalkDir(module, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", "dist", "node_modules"}, d.Name()) {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(p) != ".md" {
			return nil
		}
		source, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(module, p)
		all = append(all, page{filepath.ToSlash(name), source, markdown.Parser().Parse(text.NewReader(source))})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// each calls f for every node, parents first.
func (p page) each(t *testing.T, f func(ast.Node)) {
	t.Helper()
	err := ast.Walk(p.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			f(n)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// line is where a node is, as far as its first text shows.
func (p page) line(n ast.Node) int {
	at := n.Pos()
	for ; at < 0 && n.Parent() != nil; at = n.Pos() {
		n = n.Parent()
	}
	return 1 + strings.Count(string(p.source[:max(at, 0)]), "\n")
}

// lines are the content of a block.
func (p page) lines(n ast.Node) string {
	return string(n.Lines().Value(p.source))
}

// html is the HTML that a node is, comments included.
func (p page) html(n ast.Node) string {
	switch n := n.(type) {
	case *ast.HTMLBlock:
		text := p.lines(n)
		if n.HasClosure() {
			text += string(n.ClosureLine.Value(p.source))
		}
		return text
	case *ast.RawHTML:
		return string(n.Segments.Value(p.source))
	}
	return ""
}
