package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// markdown is read as GitHub reads it.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM))

// page is one document.
type page struct {
	source string // below the repository, with slashes
	target string // below the site
	title  string
	text   []byte
	tree   ast.Node
}

// read finds the documents of the repository.
func read(root string) ([]*page, error) {
	var all []*page
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", "dist", "node_modules"}, d.Name()) {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(p) != ".md" {
			return nil
		}
		name, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		body, err := os.ReadFile(p)
		all = append(all, parse(filepath.ToSlash(name), body))
		return err
	})
	return all, err
}

// parse reads a document and gives its headings the anchors they have on GitHub.
func parse(name string, body []byte) *page {
	p := &page{source: name, target: place(name), title: name, text: body}
	p.tree = markdown.Parser().Parse(text.NewReader(body))
	times := map[string]int{}
	for n := range headings(p.tree) {
		words := p.words(n)
		if n.Level == 1 {
			p.title = words
		}
		id := slug(words)
		if times[id]++; times[id] > 1 {
			id += "-" + strconv.Itoa(times[id]-1)
		}
		n.SetAttributeString("id", []byte(id))
	}
	return p
}

// headings are those of a document, in its order.
func headings(tree ast.Node) func(yield func(*ast.Heading) bool) {
	return func(yield func(*ast.Heading) bool) {
		for n := tree.FirstChild(); n != nil; n = n.NextSibling() {
			if h, ok := n.(*ast.Heading); ok && !yield(h) {
				return
			}
		}
	}
}

// place is where a document is in the site.
func place(name string) string {
	if path.Base(name) == "README.md" {
		return path.Join(path.Dir(name), "index.html")
	}
	return strings.TrimSuffix(name, ".md") + ".html"
}

// words is the text of a node without its marks.
func (p *page) words(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Value(p.text))
				b.WriteString(map[bool]string{true: " "}[n.SoftLineBreak()])
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				b.Write(n.Lines().Value(p.text))
			}
		}
		if !entering && n.Type() == ast.TypeBlock {
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
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
