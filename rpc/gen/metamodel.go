package main

import (
	"fmt"
	"slices"
	"strings"
)

// metaModel is the protocol in the format that LSP publishes its own in, so that
// generators made for that one read it. Only those kinds of types are used that
// all of them know: no and, no tuples, no literals but of strings.
func metaModel(m *model) string {
	structures, enumerations, aliases := []object{}, []object{}, []object{}
	for _, n := range m.types {
		o := object{{"name", n.name}}
		switch n.shape {
		case structure:
			structures = append(structures, metaStructure(o, n))
		case enumeration:
			enumerations = append(enumerations, metaEnumeration(o, n))
		case alias:
			aliases = append(aliases, o.with("type", metaType(n.typ)).documented("documentation", metaDoc(n.doc)))
		}
	}
	if m.has(anything) {
		aliases = append(aliases, metaAny()...)
	}
	requests, notifications := []object{}, []object{}
	for _, row := range m.methods {
		if row.notification {
			notifications = append(notifications, metaMethod(row))
		} else {
			requests = append(requests, metaMethod(row))
		}
	}
	return document(object{
		{"metaData", object{{"version", fmt.Sprintf("%d.0.0", m.version)}}},
		{"requests", requests},
		{"notifications", notifications},
		{"structures", structures},
		{"enumerations", enumerations},
		{"typeAliases", aliases},
	})
}

func metaMethod(row method) object {
	o := object{{"method", row.name}, {"typeName", row.typeName()}}
	for _, p := range []struct {
		name string
		typ  *typ
	}{{"result", row.answer()}, {"params", row.params}, {"partialResult", row.partial}} {
		if p.typ != nil {
			o = o.with(p.name, metaType(p.typ))
		}
		if p.name == "result" {
			o = o.with("messageDirection", row.direction())
		}
	}
	return o.documented("documentation", metaDoc(row.doc)).documented("since", row.since)
}

// typeName is what a generator calls the method: exec/cancel is ExecCancelRequest.
func (row method) typeName() string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(row.name, func(r rune) bool { return r == '/' || r == '$' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	if row.notification {
		return b.String() + "Notification"
	}
	return b.String() + "Request"
}

func metaStructure(o object, n *named) object {
	properties := []object{}
	for _, f := range n.fields {
		p := object{{"name", f.name}, {"type", metaType(f.typ)}}
		if f.optional {
			p = p.with("optional", true)
		}
		properties = append(properties, p.documented("documentation", metaDoc(f.doc)))
	}
	o = o.with("properties", properties)
	if len(n.extends) > 0 {
		var bases []object
		for _, base := range n.extends {
			bases = append(bases, metaType(ref(base)))
		}
		o = o.with("extends", bases)
	}
	return o.documented("documentation", metaDoc(n.doc))
}

func metaEnumeration(o object, n *named) object {
	var values []object
	for _, v := range n.values {
		e := object{{"name", v.name}}
		if n.typ.kind == text {
			e = e.with("value", v.text)
		} else {
			e = e.with("value", v.number)
		}
		values = append(values, e.documented("documentation", metaDoc(v.doc)))
	}
	return o.with("type", metaType(n.typ)).with("values", values).documented("documentation", metaDoc(n.doc))
}

func metaType(t *typ) object {
	switch t.kind {
	case anything:
		return metaType(ref("LSPAny"))
	case literal:
		return object{{"kind", "stringLiteral"}, {"value", t.name}}
	case reference:
		return object{{"kind", "reference"}, {"name", t.name}}
	case array:
		return object{{"kind", "array"}, {"element", metaType(t.elem)}}
	case dictionary:
		return object{{"kind", "map"}, {"key", metaType(&typ{kind: text})}, {"value", metaType(t.elem)}}
	case union:
		var items []object
		for _, i := range t.items {
			items = append(items, metaType(i))
		}
		return object{{"kind", "or"}, {"items", items}}
	}
	word := simple[t.kind]
	if t.kind == number {
		word = "decimal"
	}
	return object{{"kind", "base"}, {"name", word}}
}

// metaDoc has no quote at its end: generators put it between three of them.
func metaDoc(doc string) string {
	if strings.HasSuffix(doc, `"`) {
		return doc + "."
	}
	return doc
}

// metaAny are LSP's own names for any JSON value: generators know them.
func metaAny() (aliases []object) {
	for _, n := range []*named{
		{name: "LSPAny", doc: "Any JSON value.", typ: &typ{kind: union, items: []*typ{
			ref("LSPObject"), ref("LSPArray"), {kind: text}, {kind: integer}, {kind: number}, {kind: boolean}, {kind: null},
		}}},
		{name: "LSPArray", doc: "Any JSON array.", typ: &typ{kind: array, elem: ref("LSPAny")}},
		{name: "LSPObject", doc: "Any JSON object.", typ: &typ{kind: dictionary, elem: ref("LSPAny")}},
	} {
		aliases = append(aliases, object{{"name", n.name}, {"type", metaType(n.typ)}, {"documentation", n.doc}})
	}
	return aliases
}

// has reports whether any member is of this kind.
func (m *model) has(k kind) bool {
	var in func(t *typ) bool
	in = func(t *typ) bool {
		return t != nil && (t.kind == k || in(t.elem) || slices.ContainsFunc(t.items, in))
	}
	return slices.ContainsFunc(m.types, func(n *named) bool {
		return in(n.typ) || slices.ContainsFunc(n.fields, func(f field) bool { return in(f.typ) })
	})
}
