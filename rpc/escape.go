package rpc

import (
	"encoding/binary"
	"math/bits"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	hex   = "0123456789abcdef"
)

// appendText appends valid UTF-8 as a quoted JSON string. It is the one encoder
// of ours: the JSON package checks and copies text rune by rune, which would
// be most of the cost of an output chunk. Nothing is escaped for HTML, which
// would double the size of markup.
func appendText(dst, text []byte) []byte {
	dst = append(dst, '"')
	for len(text) > 0 {
		n := plain(text)
		dst = append(dst, text[:n]...)
		if n == len(text) {
			break
		}
		dst = appendEscape(dst, text[n])
		text = text[n+1:]
	}
	return append(dst, '"')
}

// plain is the length of the run that needs no escape. Eight bytes are tested at
// a time: a byte below 0x20, equal to '"' or to '\\' leaves its high bit set. A
// borrow can only mark bytes after a true hit, so the first mark is exact.
func plain(text []byte) int {
	n := 0
	for ; len(text)-n >= 8; n += 8 {
		w := binary.LittleEndian.Uint64(text[n:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		hit := ((w - ones*0x20) &^ w) | ((quote - ones) &^ quote) | ((slash - ones) &^ slash)
		if hit &= highs; hit != 0 {
			return n + bits.TrailingZeros64(hit)/8
		}
	}
	for ; n < len(text); n++ {
		if c := text[n]; c < 0x20 || c == '"' || c == '\\' {
			break
		}
	}
	return n
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
