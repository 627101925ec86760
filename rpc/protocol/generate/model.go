package main

import "slices"

// model is the protocol, without Go.
type model struct {
	version int
	methods []method
	types   []*named // by name
}

// method is one row of protocol.Methods.
type method struct {
	name, doc          string
	notification       bool
	toServer, toClient bool
	params, result     *typ // nil: none
	partial            *typ // what its stream carries, nil: it has none
}

// sentTo reports whether the method is one of those that go to this side.
func (row method) sentTo(client bool) bool {
	if client {
		return row.toClient
	}
	return row.toServer
}

type shape int

const (
	structure shape = iota
	enumeration
	alias
)

// named is a type that others refer to.
type named struct {
	name, doc string
	shape     shape
	extends   []string // of a structure: the names of what it embeds
	fields    []field  // of a structure, without those of what it embeds
	closed    bool     // of a structure: unknown members are refused
	values    []value  // of an enumeration
	typ       *typ     // of an alias, and the base of an enumeration
}

type field struct {
	name, doc string
	typ       *typ
	optional  bool
	bounds    *bounds // of a number, beyond which it is refused
}

type bounds struct{ least, most int64 }

type value struct {
	name, doc string
	text      string
	number    int64
}

type kind int

const (
	anything kind = iota
	text
	boolean
	integer
	number
	null
	literal   // name is the text
	reference // name is a type's
	array
	dictionary
	union
)

// typ is the type of a value.
type typ struct {
	kind  kind
	name  string
	elem  *typ
	items []*typ
}

func ref(name string) *typ { return &typ{kind: reference, name: name} }

// either is the union of types, each of them once; one alone is itself.
func either(types ...*typ) *typ {
	u := &typ{kind: union}
	for _, t := range types {
		parts := []*typ{t}
		if t.kind == union {
			parts = t.items
		}
		for _, p := range parts {
			if !slices.ContainsFunc(u.items, p.same) {
				u.items = append(u.items, p)
			}
		}
	}
	if len(u.items) == 1 {
		return u.items[0]
	}
	return u
}

func (t *typ) same(u *typ) bool {
	return t.kind == u.kind && t.name == u.name && t.elem == u.elem && len(t.items)+len(u.items) == 0
}

// The integers and byte strings of the protocol have names of their own, for JSON
// has neither.
const (
	safeInteger = "SafeInteger"
	base64      = "Base64"
)

var builtins = []*named{
	{
		name: base64, shape: alias, typ: &typ{kind: text},
		doc: "Bytes as base64 with padding (RFC 4648, section 4).",
	},
	{
		name: safeInteger, shape: alias, typ: &typ{kind: number},
		doc: "An integer from -(2^53-1) to 2^53-1, all of which a double holds exactly.",
	},
}

func (m *model) find(name string) *named {
	i := slices.IndexFunc(m.types, func(n *named) bool { return n.name == name })
	if i < 0 {
		return nil
	}
	return m.types[i]
}

// all are the fields of a structure and of what it extends, in that order.
func (m *model) all(n *named) (fields []field) {
	for _, base := range n.extends {
		fields = append(fields, m.all(m.find(base))...)
	}
	return append(fields, n.fields...)
}

// refers are the names of the types that n's values are made of.
func (m *model) refers(n *named) (names []string) {
	var visit func(t *typ)
	visit = func(t *typ) {
		if t == nil {
			return
		}
		if t.kind == reference {
			names = append(names, t.name)
		}
		visit(t.elem)
		for _, i := range t.items {
			visit(i)
		}
	}
	for _, f := range m.all(n) {
		visit(f.typ)
	}
	visit(n.typ)
	return names
}
