package main

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object whose members stay in order: it is read by people.
type object []member

type member struct {
	name  string
	value any
}

func (o object) with(name string, value any) object { return append(o, member{name, value}) }

// get is the value of a member, nil if there is none.
func (o object) get(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// set is o with a member's value replaced, or added at the end.
func (o object) set(name string, value any) object {
	for i, m := range o {
		if m.name == name {
			out := slices.Clone(o)
			out[i].value = value
			return out
		}
	}
	return slices.Concat(o, object{{name, value}})
}

func (o object) without(names ...string) (out object) {
	for _, m := range o {
		if !slices.Contains(names, m.name) {
			out = append(out, m)
		}
	}
	return out
}

// MarshalJSONTo writes the members as they come.
func (o object) MarshalJSONTo(e *jsontext.Encoder) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, m := range o {
		if err := e.WriteToken(jsontext.String(m.name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(e, m.value); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndObject)
}

// document is o as a file.
func document(o object) string {
	b, err := json.Marshal(o, jsontext.WithIndent("  "))
	if err != nil {
		panic(err) // strings, lists and objects of them marshal
	}
	return string(b) + "\n"
}

// documented adds a comment, if there is one.
func (o object) documented(name, doc string) object {
	if doc == "" {
		return o
	}
	return o.with(name, doc)
}

// lines are the lines of a doc comment, each after prefix.
func lines(prefix, doc string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(doc, "\n") {
		b.WriteString(strings.TrimRight(prefix+line, " ") + "\n")
	}
	return b.String()
}
