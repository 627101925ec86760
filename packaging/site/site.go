package main

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// repository is where files that are not documents are shown.
const repository = "https://github.com/pillion-sidecar/pillion/"

// site is what the pages have in common.
type site struct {
	root   string
	pages  []*page
	nav    []group
	images []string // that pages show, below the repository
	index  []entry
}

// group is a heading of the menu with its pages.
type group struct {
	Name  string
	Links []link
}

type link struct{ Name, To string }

// menu is made of the headings and links of the index.
func (s *site) menu(index string) (all []group, err error) {
	for _, p := range s.pages {
		if p.source != index {
			continue
		}
		err = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			switch n := n.(type) {
			case *ast.Heading:
				if entering && n.Level == 2 {
					all = append(all, group{Name: p.words(n)})
				}
			case *ast.Link:
				to, _, _ := strings.Cut(string(n.Destination), "#")
				if entering && len(all) > 0 && strings.HasSuffix(to, ".md") {
					g := &all[len(all)-1]
					to = place(path.Join(path.Dir(index), to))
					g.Links = append(g.Links, link{strings.TrimSuffix(p.words(n), ".md"), to})
				}
			}
			return ast.WalkContinue, nil
		})
	}
	return all, err
}

//go:embed page.html
var layout string

var shell = template.Must(template.New("page").Parse(layout))

// write makes the HTML of a page.
func (s *site) write(dir string, p *page) error {
	s.search(p) // before links are rewritten
	up := strings.Repeat("../", strings.Count(p.target, "/"))
	err := ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			if entering {
				n.Destination = []byte(s.leads(p, string(n.Destination)))
			}
		case *ast.Image:
			if entering {
				s.images = append(s.images, path.Join(path.Dir(p.source), string(n.Destination)))
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return err
	}
	var body, out bytes.Buffer
	if err := markdown.Renderer().Render(&body, p.text, p.tree); err != nil {
		return err
	}
	err = shell.Execute(&out, map[string]any{
		"Title": p.title, "Up": up, "Nav": s.nav, "Here": p.target,
		"Body": template.HTML(body.String()), "Edit": repository + "edit/main/" + p.source,
	})
	if err != nil {
		return err
	}
	return put(filepath.Join(dir, filepath.FromSlash(p.target)), out.Bytes())
}

// leads is where a link of a page leads in the site.
func (s *site) leads(p *page, to string) string {
	u, err := url.Parse(to)
	if own, ok := strings.CutPrefix(to, repository+"blob/main/"); ok {
		return s.leads(&page{source: "README.md", target: p.target}, own)
	}
	if err != nil || u.IsAbs() || u.Path == "" {
		return to
	}
	file := path.Join(path.Dir(p.source), u.Path)
	if path.Ext(file) != ".md" {
		kind := "blob/main/"
		if info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(file))); err == nil && info.IsDir() {
			kind = "tree/main/"
		}
		return repository + kind + file
	}
	rel, err := filepath.Rel(filepath.FromSlash(path.Dir(p.target)), filepath.FromSlash(place(file)))
	if err != nil {
		return to
	}
	u.Path = filepath.ToSlash(rel)
	return u.String()
}

// put writes a file and makes its directory.
func put(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

//go:embed style.css
var style []byte

//go:embed search.js
var script []byte

// copy writes what all pages use, and the pictures.
func (s *site) copy(dir string) error {
	for name, data := range map[string][]byte{"style.css": style, "search.js": script, "search-index.js": s.searchIndex()} {
		if err := put(filepath.Join(dir, name), data); err != nil {
			return err
		}
	}
	for _, name := range s.images {
		data, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if err := put(filepath.Join(dir, filepath.FromSlash(name)), data); err != nil {
			return err
		}
	}
	return nil
}
