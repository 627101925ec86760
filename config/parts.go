package config

import (
	"bytes"

	"github.com/pelletier/go-toml/v2/unstable"
)

func spanOf(n *unstable.Node) Span {
	return Span{int(n.Raw.Offset), int(n.Raw.Offset + n.Raw.Length)}
}

// open begins a table whose header has just been read.
func (x *index) open() {
	x.header = len(x.parts) - 1
	if x.header >= 0 {
		p := &x.parts[x.header]
		p.Whole = Span{bytes.LastIndexByte(x.data[:p.Key.From], '\n') + 1, x.lineEnd(p.Key.To)}
	}
}

// extend makes the table as long as what has just been read in it.
func (x *index) extend(e *unstable.Node) {
	if x.header >= 0 {
		x.parts[x.header].Whole.To = spanOf(e).To
	}
}

// assign gives the key that has just been read its value.
func (x *index) assign(at string, e *unstable.Node) {
	if len(x.parts) == 0 || x.parts[len(x.parts)-1].Pointer != at {
		return // there were too many keys to go on
	}
	p := &x.parts[len(x.parts)-1]
	whole := spanOf(e)
	said := x.data[p.Key.To:whole.To]
	p.Value = Span{whole.To - len(bytes.TrimLeft(said, " \t=")), whole.To}
	if x.inline == 0 {
		p.Whole = whole
	}
}

func (x *index) lineEnd(from int) int {
	rest, _, _ := bytes.Cut(x.data[from:], []byte("\n"))
	return from + len(rest)
}
