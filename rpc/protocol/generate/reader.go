package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// reader turns Go types into named ones. Every type is read once.
type reader struct {
	root     string
	packages map[string]*goPackage
	done     map[*goType]*named
	taken    map[string]bool
	model    *model
	partial  []*typ // of all methods
}

// read makes the model of the methods, and of every other type of rpc/protocol that is
// meant for the wire: an exported struct with a json tag.
func read(root string, methods []protocol.Method) (*model, error) {
	r := newReader(root)
	own, err := r.goPackage(module + "/rpc/protocol")
	if err != nil {
		return nil, err
	}
	for _, row := range methods {
		for _, sample := range row.Partial {
			r.partial = append(r.partial, ref(reflect.TypeOf(sample).Name()))
		}
	}
	for _, row := range methods {
		if err := r.method(own, row); err != nil {
			return nil, fmt.Errorf("%s: %w", row.Name, err)
		}
	}
	for _, name := range own.order {
		if t := own.types[name]; onTheWire(t) {
			if _, err := r.named(t); err != nil {
				return nil, err
			}
		}
	}
	codes, err := errorCodes(own)
	if err != nil {
		return nil, err
	}
	r.model.types = append(r.model.types, codes)
	r.model.version = protocol.ProtocolVersion
	return r.model, r.finish()
}

func newReader(root string) *reader {
	r := &reader{
		root: root, packages: map[string]*goPackage{}, done: map[*goType]*named{}, taken: map[string]bool{},
		model: &model{types: slices.Clone(builtins)},
	}
	for _, n := range builtins {
		r.taken[n.name] = true
	}
	return r
}

// finish orders the types and closes those that strict ones are made of.
func (r *reader) finish() error {
	slices.SortFunc(r.model.types, func(a, b *named) int { return cmp.Compare(a.name, b.name) })
	for _, n := range r.model.types {
		for _, name := range r.model.refers(n) {
			if r.model.find(name) == nil {
				return fmt.Errorf("%s refers to %s, which is no wire type", n.name, name)
			}
		}
	}
	seen := map[string]bool{}
	for _, n := range r.model.types {
		if n.closed {
			r.closeDown(n, seen)
		}
	}
	return nil
}

func (r *reader) closeDown(n *named, seen map[string]bool) {
	if seen[n.name] {
		return
	}
	seen[n.name], n.closed = true, n.shape == structure
	for _, name := range r.model.refers(n) {
		r.closeDown(r.model.find(name), seen)
	}
}

func (r *reader) goPackage(importPath string) (*goPackage, error) {
	if p := r.packages[importPath]; p != nil {
		return p, nil
	}
	dir := strings.TrimPrefix(importPath, module)
	p, err := parseDir(filepath.Join(r.root, filepath.FromSlash(dir)), importPath)
	r.packages[importPath] = p
	return p, err
}

func (r *reader) method(own *goPackage, row protocol.Method) (err error) {
	m := method{
		name: row.Name, doc: row.Doc, notification: row.Notification,
		toServer: !row.ToClient, toClient: row.ToClient || row.BothWays,
	}
	if m.params, err = r.sample(own, row.Params); err != nil {
		return err
	}
	if m.result, err = r.sample(own, row.Result); err != nil {
		return err
	}
	var partial []*typ
	for _, s := range row.Partial {
		t, err := r.sample(own, s)
		if err != nil {
			return err
		}
		partial = append(partial, t)
	}
	if len(partial) > 0 {
		m.partial = either(partial...)
	}
	r.model.methods = append(r.model.methods, m)
	return nil
}

// sample is the type of a zero value in the table.
func (r *reader) sample(own *goPackage, v any) (*typ, error) {
	if v == nil {
		return nil, nil
	}
	t := own.types[reflect.TypeOf(v).Name()]
	if t == nil {
		return nil, fmt.Errorf("%T is no type of rpc/protocol", v)
	}
	return r.named(t)
}

func onTheWire(t *goType) bool {
	st, ok := t.spec.Type.(*ast.StructType)
	return ok && t.spec.TypeParams == nil && token.IsExported(t.spec.Name.Name) && slices.ContainsFunc(st.Fields.List, func(f *ast.Field) bool {
		return f.Tag != nil && strings.Contains(f.Tag.Value, `json:"`)
	})
}
