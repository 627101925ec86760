package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// module is the import path that our own packages begin with.
const module = "github.com/pillion-sidecar/pillion"

// goPackage is what the source of one package says about its types.
type goPackage struct {
	path      string
	types     map[string]*goType
	order     []string             // names of types, as they come in the files
	consts    map[string][]goConst // by the name of their type, "" for none
	marshaler map[string]bool      // types that write their own JSON
}

type goType struct {
	pkg        *goPackage
	spec       *ast.TypeSpec
	doc        string
	directives map[string]string
	imports    map[string]string // of its file: name to path
}

type goConst struct {
	name, doc string
	value     ast.Expr
}

func newPackage(importPath string) *goPackage {
	return &goPackage{path: importPath, types: map[string]*goType{}, consts: map[string][]goConst{}, marshaler: map[string]bool{}}
}

// parseDir reads the package in dir, whatever platform its files are for.
func parseDir(dir, importPath string) (*goPackage, error) {
	p := newPackage(importPath)
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		p.add(f)
	}
	if len(p.types) == 0 {
		return nil, fmt.Errorf("no types in %s", dir)
	}
	return p, nil
}

func (p *goPackage) add(f *ast.File) {
	imports := map[string]string{}
	for _, i := range f.Imports {
		full, _ := strconv.Unquote(i.Path.Value)
		name := path.Base(full)
		if i.Name != nil {
			name = i.Name.Name
		}
		imports[name] = full
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if strings.HasPrefix(d.Name.Name, "MarshalJSON") && d.Recv != nil {
				p.marshaler[receiver(d.Recv.List[0].Type)] = true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					doc := s.Doc
					if doc == nil {
						doc = d.Doc
					}
					p.types[s.Name.Name] = &goType{pkg: p, spec: s, doc: prose(doc), directives: directives(doc), imports: imports}
					p.order = append(p.order, s.Name.Name)
				case *ast.ValueSpec:
					p.constants(d, s)
				}
			}
		}
	}
}

func (p *goPackage) constants(d *ast.GenDecl, s *ast.ValueSpec) {
	of := ""
	if id, ok := s.Type.(*ast.Ident); ok {
		of = id.Name
	}
	for i, name := range s.Names {
		if d.Tok == token.CONST && i < len(s.Values) {
			p.consts[of] = append(p.consts[of], goConst{name.Name, prose(s.Doc, s.Comment), s.Values[i]})
		}
	}
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// prose joins comments to one text: paragraphs stay, line breaks don't.
func prose(groups ...*ast.CommentGroup) string {
	var all []string
	for _, g := range groups {
		var paragraphs []string
		for part := range strings.SplitSeq(g.Text(), "\n\n") {
			if words := strings.Fields(part); len(words) > 0 {
				paragraphs = append(paragraphs, strings.Join(words, " "))
			}
		}
		if len(paragraphs) > 0 {
			all = append(all, strings.Join(paragraphs, "\n\n"))
		}
	}
	return strings.Join(all, " ")
}

// directives are the //wire: lines of a comment.
func directives(g *ast.CommentGroup) map[string]string {
	out := map[string]string{}
	if g == nil {
		return out
	}
	for _, c := range g.List {
		if rest, ok := strings.CutPrefix(c.Text, "//wire:"); ok {
			name, arg, _ := strings.Cut(rest, " ")
			out[name] = strings.TrimSpace(arg)
		}
	}
	return out
}
