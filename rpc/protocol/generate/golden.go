package main

import (
	"math"
	"strings"

	"github.com/go-json-experiment/json"
)

// goldens are values of every structure, one a line, for clients' tests to read and
// write again: with all of their members, and with those only that must be there.
func goldens(m *model) string {
	var b strings.Builder
	for _, n := range m.types {
		if n.shape != structure {
			continue
		}
		for _, whole := range []bool{true, false} {
			line, err := json.Marshal(object{{"type", n.name}, {"value", m.golden(n, whole, 0)}})
			if err != nil {
				panic(err) // strings, numbers, lists and objects of them marshal
			}
			b.Write(append(line, '\n'))
		}
	}
	return b.String()
}

// deepest ends types that hold themselves.
const deepest = 4

func (m *model) golden(n *named, whole bool, depth int) object {
	o := object{}
	for _, f := range m.all(n) {
		if f.optional && (!whole || depth > deepest) {
			continue
		}
		v := m.value(f.typ, whole, depth)
		switch {
		case f.bounds == nil:
		case f.typ.kind == integer: // of 32 bits, where a language has such
			v = min(f.bounds.most, math.MaxInt32)
		default:
			v = f.bounds.most
		}
		o = o.with(f.name, v)
	}
	return o
}

func (m *model) value(t *typ, whole bool, depth int) any {
	switch t.kind {
	case text:
		return "é\n\"$x"
	case boolean:
		return whole
	case integer:
		return 42
	case number:
		return 1.5
	case literal:
		return t.name
	case array:
		return []any{m.value(t.elem, whole, depth+1)}
	case dictionary:
		return object{{"a b", m.value(t.elem, whole, depth+1)}}
	case union:
		// null is what is easily lost; a whole value has something in its place.
		if last := t.items[len(t.items)-1]; last.kind == null && !whole {
			return nil
		}
		return m.value(t.items[0], whole, depth)
	case reference:
		return m.named(m.find(t.name), whole, depth)
	case anything:
		return object{{"any", []any{1, "x", true}}}
	}
	return nil
}

func (m *model) named(n *named, whole bool, depth int) any {
	switch {
	case n.name == safeInteger:
		return int64(1)<<53 - 1
	case n.name == base64:
		return "aGk="
	case n.shape == structure:
		return m.golden(n, whole, depth+1)
	case n.shape == enumeration && n.typ.kind == text:
		return n.values[0].text
	case n.shape == enumeration:
		return n.values[0].number
	}
	return m.value(n.typ, whole, depth)
}
