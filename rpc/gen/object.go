package main

import (
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

// lines are the lines of a doc comment, each behind prefix.
func lines(prefix, doc string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(doc, "\n") {
		b.WriteString(strings.TrimRight(prefix+line, " ") + "\n")
	}
	return b.String()
}
