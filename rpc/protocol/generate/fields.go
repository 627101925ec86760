package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// structure reads the members of a struct by the rules of the JSON package.
func (r *reader) structure(n *named, t *goType, st *ast.StructType) error {
	for _, f := range st.Fields.List {
		var tag reflect.StructTag
		if f.Tag != nil {
			text, err := strconv.Unquote(f.Tag.Value)
			if err != nil {
				return err
			}
			tag = reflect.StructTag(text)
		}
		name, options, _ := strings.Cut(tag.Get("json"), ",")
		switch {
		case name == "-":
		case len(f.Names) == 0 && name == "":
			base, err := r.expr(t, f.Type)
			if err != nil {
				return err
			}
			if base.kind != reference {
				return fmt.Errorf("it embeds what has no members")
			}
			n.extends = append(n.extends, base.name)
		default:
			if err := r.members(n, t, f, tag, name, options); err != nil {
				return err
			}
		}
	}
	r.flatten(n)
	return nil
}

func (r *reader) members(n *named, t *goType, f *ast.Field, tag reflect.StructTag, name, options string) error {
	names := []string{name}
	if len(f.Names) > 0 {
		names = nil
		for _, id := range f.Names {
			switch {
			case !token.IsExported(id.Name):
			case name != "":
				names = append(names, name)
			default:
				names = append(names, id.Name)
			}
		}
	}
	for _, name := range names {
		m, err := r.member(t, f, tag, options)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m.name = name
		n.fields = append(n.fields, m)
	}
	return nil
}

func (r *reader) member(t *goType, f *ast.Field, tag reflect.StructTag, options string) (m field, err error) {
	m.doc = prose(f.Doc, f.Comment)
	for o := range strings.SplitSeq(options, ",") {
		switch o {
		case "":
		case "omitzero", "omitempty":
			m.optional = true
		default:
			return m, fmt.Errorf("no wire type for the option %q", o)
		}
	}
	e, pointer := f.Type, false
	if star, ok := e.(*ast.StarExpr); ok {
		e, pointer = star.X, true
	}
	if m.typ, err = r.expr(t, e); err != nil {
		return m, err
	}
	if pointer && !m.optional {
		m.typ = either(m.typ, &typ{kind: null})
	}
	if words := tag.Get("wire"); words != "" {
		m.typ, err = r.words(words, m.typ)
	}
	if least, most, ok := protocol.Bounds(tag); ok {
		m.bounds = &bounds{least, most}
	}
	return m, err
}

// flatten takes the members of what n embeds for its own if it has one of the
// same name: in Go and in JSON the outer one counts, but no client's language
// extends like that.
func (r *reader) flatten(n *named) {
	var inherited []field
	for _, base := range n.extends {
		inherited = append(inherited, r.model.all(r.model.find(base))...)
	}
	own := func(f field) bool {
		return slices.ContainsFunc(n.fields, func(o field) bool { return o.name == f.name })
	}
	if slices.ContainsFunc(inherited, own) {
		n.fields = slices.Concat(slices.DeleteFunc(inherited, own), n.fields)
		n.extends = nil
	}
}
