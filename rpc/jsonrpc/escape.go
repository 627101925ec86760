package jsonrpc

import (
	"encoding/binary"
	"math/bits"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	hex   = "0123456789abcdef"
)

// AppendText appends valid UTF-8 as a quoted JSON string. It is the one encoder
// of ours: the JSON package checks and copies text rune by rune, which would
// be most of the cost of an output chunk. Nothing is escaped for HTML, which
// would double the size of markup.
//
// Eight bytes are copied and tested at a time, and what was copied of them after one that
// needs an escape is written over.
func AppendText(dst, text []byte) []byte {
	dst = append(dst, '"')
	for len(text) >= 8 {
		w := binary.LittleEndian.Uint64(text)
		dst = binary.LittleEndian.AppendUint64(dst, w)
		hit := escaped(w)
		if hit == 0 {
			text = text[8:]
			continue
		}
		n := bits.TrailingZeros64(hit) / 8
		dst = appendEscape(dst[:len(dst)-8+n], text[n])
		text = text[n+1:]
	}
	for _, c := range text {
		if c < 0x20 || c == '"' || c == '\\' {
			dst = appendEscape(dst, c)
		} else {
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// escaped marks the bytes below 0x20, equal to '"' or to '\\' by their high bit. A
// borrow can only mark bytes after a true hit, so the first mark is exact.
func escaped(w uint64) uint64 {
	quote, slash := w^(ones*'"'), w^(ones*'\\')
	return (((w - ones*0x20) &^ w) | ((quote - ones) &^ quote) | ((slash - ones) &^ slash)) & highs
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}
