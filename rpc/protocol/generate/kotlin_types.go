package main

import (
	"fmt"
	"strings"
)

// withoutNull is a type's other part, and whether it may be null.
func withoutNull(t *typ) (other *typ, nullable bool) {
	if t.kind != union {
		return t, false
	}
	var rest []*typ
	for _, i := range t.items {
		if i.kind == null {
			nullable = true
			continue
		}
		rest = append(rest, i)
	}
	if len(rest) == 0 {
		return &typ{kind: null}, true
	}
	return either(rest...), nullable
}

func (k *kotlinFile) alias(n *named) string {
	switch n.name {
	case safeInteger:
		return "Long"
	case base64:
		return "String"
	}
	return k.typ(n, field{}, n.typ)
}

// typ is the type of a member of n. Without null it has no type left.
func (k *kotlinFile) typ(n *named, f field, t *typ) string {
	switch t.kind {
	case text, literal:
		return "String"
	case boolean:
		return "Boolean"
	case integer:
		return "Int"
	case number:
		return "Double"
	case reference:
		return t.name
	case array:
		return "List<" + k.element(n, f, t.elem) + ">"
	case dictionary:
		return "Map<String, " + k.element(n, f, t.elem) + ">"
	case union:
		return k.union(n, f, t)
	}
	return "JsonElement"
}

func (k *kotlinFile) element(n *named, f field, t *typ) string {
	inner, nullable := withoutNull(t)
	kind := k.typ(n, f, inner)
	if nullable {
		kind += "?"
	}
	return kind
}

// Else the method of the request knows what to read: a JsonElement. Else who asked knows
// what to read: a JsonElement.
func (k *kotlinFile) union(n *named, f field, t *typ) string {
	texts, structures, told := true, true, f.name != ""
	for _, i := range t.items {
		texts = texts && i.kind == literal
		n := k.m.find(i.name)
		structures = structures && i.kind == reference && n != nil && n.shape == structure
		if structures && told {
			member, _ := k.mark(n)
			told = member != ""
		}
	}
	switch {
	case texts:
		return "String"
	case structures && told:
		return unionName(n, f)
	case structures:
		return "JsonElement"
	}
	return "JsonPrimitive"
}

func unionName(n *named, f field) string {
	return n.name + strings.ToUpper(f.name[:1]) + f.name[1:]
}

// unionsOf declares the interfaces that members of n need.
func (k *kotlinFile) unionsOf(n *named, fields []field) {
	for _, f := range fields {
		t, _ := withoutNull(f.typ)
		if t.kind != union || f.name == "" || k.union(n, f, t) != unionName(n, f) {
			continue
		}
		u := kotlinUnion{name: unionName(n, f)}
		for _, i := range t.items {
			u.cases = append(u.cases, k.m.find(i.name))
		}
		k.unions = append(k.unions, u)
	}
}

// implements are the interfaces of the unions that n is a part of. They are looked for in
// the model: the union may come after n.
func (k *kotlinFile) implements(n *named) string {
	var names []string
	for _, owner := range k.m.types {
		for _, f := range k.m.all(owner) {
			t, _ := withoutNull(f.typ)
			if t.kind != union || k.union(owner, f, t) != unionName(owner, f) {
				continue
			}
			for _, i := range t.items {
				if i.name == n.name {
					names = append(names, unionName(owner, f))
				}
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " : " + strings.Join(names, ", ")
}

// unionTable declares the interfaces, and by which member Gson distinguishes their parts:
// the one that is a text of its own in each of them.
func (k *kotlinFile) unionTable() string {
	var b strings.Builder
	b.WriteString("\nprivate val unions: Map<Class<*>, List<Case>> = mapOf(\n")
	for _, u := range k.unions {
		fmt.Fprintf(&b, "    %s::class.java to listOf(\n", u.name)
		for _, c := range u.cases {
			member, values := k.mark(c)
			fmt.Fprintf(&b, "        Case(%s::class.java, %s, listOf(%s)),\n", c.name, kotlinText(member), strings.Join(values, ", "))
		}
		b.WriteString("    ),\n")
	}
	b.WriteString(")\n")
	for _, u := range k.unions {
		fmt.Fprintf(&b, "\n/** One of several types. */\nsealed interface %s\n", u.name)
	}
	return b.String()
}

// mark is the first member of n that is one of some texts.
func (k *kotlinFile) mark(n *named) (member string, values []string) {
	for _, f := range k.m.all(n) {
		items := f.typ.items
		if f.typ.kind == literal {
			items = []*typ{f.typ}
		}
		for _, i := range items {
			if i.kind == literal {
				values = append(values, kotlinText(i.name))
			}
		}
		if len(values) > 0 && len(values) == len(items) {
			return f.name, values
		}
		values = nil
	}
	return "", nil
}
