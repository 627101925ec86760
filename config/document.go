package config

import (
	"bytes"
	"errors"
	"strings"
)

// Document is a policy file while it is written: where its keys are, and what is wrong.
type Document struct {
	Parts    []Part // in the order of the file, up to where it stops being TOML
	Mistakes []Mistake
}

// Part is a key, or an element of an array, and where it is.
type Part struct {
	Pointer string // JSON pointer
	Key     Span   // none of an element
	Value   Span   // none of a table's header
	Whole   Span   // key and value, or the header and all below it; none in an inline table
}

// Name is the key as a person would write it.
func (p Part) Name() string { return dotted(p.Pointer) }

// Span is from a byte of a file up to another one.
type Span struct{ From, To int }

// Has says that a cursor at the offset touches the span.
func (s Span) Has(offset int) bool { return s.From < s.To && s.From <= offset && offset <= s.To }

// Mistake is a problem of a document. It is said in the words that a session would use.
type Mistake struct {
	Problem
	Vain  bool   // a warning: it has no effect
	At    Span   // what is marked; none where the file as a whole is meant
	Part  Part   // which it is about; the zero Part if none is
	Meant string // the name that the key is a slip of
}

// ReadDocument examines a text that may not have been saved yet. What path has to be for a
// file to be taken is looked at there.
func ReadDocument(kind FileKind, path string, data []byte) *Document {
	o, x, err := examine(kind, path, data)
	d := &Document{}
	if x != nil {
		d.Parts = x.parts
	}
	if _, unread := readFile(kind, path); unread != nil {
		d.add(x, unread, false)
	}
	if err != nil {
		d.add(x, err, false)
	} else if vain := o.vain(x); len(vain) > 0 {
		d.add(x, &FileError{Problems: vain}, true)
	}
	if bytes.HasPrefix(data, byteOrderMark) {
		d.shift(len(byteOrderMark))
	}
	return d
}

// add takes the problems of err; other errors, such as that there is no file yet, are
// none of the text's.
func (d *Document) add(x *index, err error, vain bool) {
	var file *FileError
	if !errors.As(err, &file) {
		return
	}
	for _, p := range file.Problems {
		m := Mistake{Problem: p, Vain: vain}
		if x != nil && p.Line > 0 {
			offset := x.starts[p.Line-1] + p.Column - 1
			m.At, m.Part = x.about(p.Key, offset)
			m.Meant = meant(m.Part.Pointer)
		}
		d.Mistakes = append(d.Mistakes, m)
	}
}

// about finds what is meant by a dotted key at an offset, and how far that goes.
func (x *index) about(key string, offset int) (Span, Part) {
	offset = min(offset, len(x.data))
	for _, p := range x.parts {
		for _, s := range []Span{p.Key, p.Value} {
			if s.From == offset && s.To > offset && dotted(p.Pointer) == key {
				return s, p
			}
		}
	}
	rest, _, _ := bytes.Cut(x.data[offset:], []byte("\n"))
	return Span{offset, offset + len(bytes.TrimRight(rest, " \t\r"))}, Part{}
}

// meant is the key that the last one of a pointer is a slip of, "" when there is none.
func meant(pointer string) string {
	if id, ok := strings.CutPrefix(pointer, "/rules/"); ok {
		if id = unescape(id); len(family(id)) == 0 {
			return ruleAlike(id)
		}
		return ""
	}
	if ok, siblings := known(pointer); !ok {
		names := tokens(pointer)
		return Nearest(names[len(names)-1], siblings)
	}
	return ""
}

func (d *Document) shift(by int) {
	move := func(p *Part) {
		for _, s := range []*Span{&p.Key, &p.Value, &p.Whole} {
			if s.To > 0 {
				s.From, s.To = s.From+by, s.To+by
			}
		}
	}
	for i := range d.Parts {
		move(&d.Parts[i])
	}
	for i := range d.Mistakes {
		m := &d.Mistakes[i]
		move(&m.Part)
		if m.Line > 0 {
			m.At = Span{m.At.From + by, m.At.To + by}
		}
	}
}
