package sandbox

import (
	"encoding/binary"
	"errors"
)

// payload appends and takes fields in order; take methods keep the first error.
type payload struct {
	b   []byte
	err error
}

func (p *payload) putInt(v int64) *payload { p.b = binary.AppendVarint(p.b, v); return p }

func (p *payload) putBool(v bool) *payload {
	if v {
		return p.putInt(1)
	}
	return p.putInt(0)
}

func (p *payload) putString(s string) *payload {
	p.b = binary.AppendUvarint(p.b, uint64(len(s)))
	p.b = append(p.b, s...)
	return p
}

func (p *payload) putStrings(ss []string) *payload {
	p.putInt(int64(len(ss)))
	for _, s := range ss {
		p.putString(s)
	}
	return p
}

var errShortFrame = errors.New("truncated frame")

func (p *payload) int() int64 {
	v, n := binary.Varint(p.b)
	if n <= 0 {
		p.b, p.err = nil, errShortFrame
		return 0
	}
	p.b = p.b[n:]
	return v
}

func (p *payload) string() string {
	size, n := binary.Uvarint(p.b)
	if n <= 0 || size > uint64(len(p.b)-n) {
		p.b, p.err = nil, errShortFrame
		return ""
	}
	s := string(p.b[n : n+int(size)])
	p.b = p.b[n+int(size):]
	return s
}

func (p *payload) strings() []string {
	n := p.int()
	if n < 0 || n > int64(len(p.b)) {
		p.err = errShortFrame
		return nil
	}
	ss := make([]string, 0, n)
	for range n {
		ss = append(ss, p.string())
	}
	return ss
}
