package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// basic are the types that Go and JSON have in common.
var basic = map[string]*typ{
	"string": {kind: text}, "bool": {kind: boolean}, "any": {kind: anything},
	"int": {kind: integer}, "int8": {kind: integer}, "int16": {kind: integer}, "int32": {kind: integer},
	"uint8": {kind: integer}, "uint16": {kind: integer}, "byte": {kind: integer},
	"int64": ref(safeInteger), "uint": ref(safeInteger), "uint32": ref(safeInteger), "uint64": ref(safeInteger),
	"float32": {kind: number}, "float64": {kind: number},
}

// foreign are types of other modules that write their own JSON.
var foreign = map[string]*typ{
	"github.com/go-json-experiment/json/jsontext.Value": {kind: anything},
	"time.Time": {kind: text},
}

// named reads a type declaration and gives what refers to it.
func (r *reader) named(t *goType) (*typ, error) {
	if n := r.done[t]; n != nil {
		return ref(n.name), nil
	}
	if t.spec.Assign.IsValid() {
		return r.expr(t, t.spec.Type)
	}
	n := &named{name: r.name(t), doc: t.doc}
	r.done[t] = n
	r.model.types = append(r.model.types, n)
	if err := r.fill(n, t); err != nil {
		return nil, fmt.Errorf("%s: %w", n.name, err)
	}
	return ref(n.name), nil
}

// name is the type's own, with its package's before it if another one has it.
func (r *reader) name(t *goType) string {
	name := t.spec.Name.Name
	if r.taken[name] {
		pkg := t.pkg.path[strings.LastIndexByte(t.pkg.path, '/')+1:]
		name = strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
	r.taken[name] = true
	return name
}

func (r *reader) fill(n *named, t *goType) (err error) {
	if words, ok := t.directives["type"]; ok {
		n.shape = alias
		n.typ, err = r.words(words, nil)
		return err
	}
	if t.pkg.marshaler[t.spec.Name.Name] {
		return fmt.Errorf("it writes its own JSON; say what with //wire:type")
	}
	if st, ok := t.spec.Type.(*ast.StructType); ok {
		_, n.closed = t.directives["strict"]
		return r.structure(n, t, st)
	}
	n.shape = alias
	if n.typ, err = r.expr(t, t.spec.Type); err != nil {
		return err
	}
	if n.values = enumerated(t.pkg.consts[t.spec.Name.Name]); len(n.values) > 0 {
		n.shape = enumeration
	}
	return nil
}

// expr is the type of an expression in the file of t.
func (r *reader) expr(t *goType, e ast.Expr) (*typ, error) {
	switch e := e.(type) {
	case *ast.Ident:
		if local := t.pkg.types[e.Name]; local != nil {
			return r.named(local)
		}
		if b := basic[e.Name]; b != nil {
			return b, nil
		}
	case *ast.StarExpr: // of an element; those of members are the member's affair
		elem, err := r.expr(t, e.X)
		return nullable(elem, err)
	case *ast.ArrayType:
		if id, ok := e.Elt.(*ast.Ident); ok && id.Name == "byte" {
			return ref(base64), nil
		}
		elem, err := r.expr(t, e.Elt)
		return &typ{kind: array, elem: elem}, err
	case *ast.MapType:
		elem, err := r.expr(t, e.Value)
		return &typ{kind: dictionary, elem: elem}, err
	case *ast.IndexExpr:
		if id, ok := e.X.(*ast.Ident); ok && id.Name == "Nullable" {
			elem, err := r.expr(t, e.Index)
			return nullable(elem, err)
		}
	case *ast.SelectorExpr:
		return r.selected(t, e)
	}
	return nil, fmt.Errorf("no wire type for %T; give it a name or say //wire:type", e)
}

func nullable(t *typ, err error) (*typ, error) {
	if err != nil {
		return nil, err
	}
	return either(t, &typ{kind: null}), nil
}

func (r *reader) selected(t *goType, e *ast.SelectorExpr) (*typ, error) {
	id, _ := e.X.(*ast.Ident)
	path := t.imports[id.Name]
	if f := foreign[path+"."+e.Sel.Name]; f != nil {
		return f, nil
	}
	if !strings.HasPrefix(path, module+"/") {
		return nil, fmt.Errorf("no wire type for %s.%s", path, e.Sel.Name)
	}
	p, err := r.goPackage(path)
	if err != nil {
		return nil, err
	}
	if there := p.types[e.Sel.Name]; there != nil {
		return r.named(there)
	}
	return nil, fmt.Errorf("%s has no %s", path, e.Sel.Name)
}

// words reads a wire: tag or directive; own is what Go says.
func (r *reader) words(s string, own *typ) (*typ, error) {
	var all []*typ
	for word := range strings.SplitSeq(s, "|") {
		switch word = strings.TrimSpace(word); {
		case word == "_" && own != nil:
			all = append(all, own)
		case word == "partial":
			all = append(all, r.partial...)
		case word == "null":
			all = append(all, &typ{kind: null})
		case word == "integer":
			all = append(all, ref(safeInteger))
		case strings.HasPrefix(word, "'"):
			all = append(all, &typ{kind: literal, name: strings.Trim(word, "'")})
		case basic[word] != nil:
			all = append(all, basic[word])
		case token.IsExported(word):
			all = append(all, ref(word))
		default:
			return nil, fmt.Errorf("%q in a wire type", word)
		}
	}
	return either(all...), nil
}

// enumerated are the values of constants, none if one of them isn't a literal.
func enumerated(consts []goConst) (values []value) {
	for _, c := range consts {
		lit, ok := c.value.(*ast.BasicLit)
		if !ok || !token.IsExported(c.name) {
			return nil
		}
		v := value{name: c.name, doc: c.doc}
		var err error
		switch lit.Kind {
		case token.STRING:
			v.text, err = strconv.Unquote(lit.Value)
		case token.INT:
			v.number, err = strconv.ParseInt(lit.Value, 0, 64)
		default:
			return nil
		}
		if err != nil {
			return nil
		}
		values = append(values, v)
	}
	return values
}
