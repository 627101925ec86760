package jsonrpc

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// The JSON package is the judge: equal to its encoding, not only decodable.
func TestAppendTextEqualsTheEncoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.OneOf(
			rapid.String(),
			rapid.StringOfN(rapid.RuneFrom([]rune("ab\"\\\n\x1b\x00\x1f\x20\x7f€😀\u2028<>&")), 0, 40, -1),
		)).Draw(t, "pieces")
		text := strings.ToValidUTF8(strings.Join(pieces, ""), "?")
		want, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := AppendText([]byte("x"), []byte(text)); string(got[1:]) != string(want) {
			t.Fatalf("%q: %s, want %s", text, got[1:], want)
		}
	})
}

// Every byte at every place of a word, with neighbours that could borrow.
func TestEscapeFindsEachByte(t *testing.T) {
	for c := range 256 {
		for at := range 17 {
			for _, fill := range []byte{'a', 0x80, 0xff, 0x20, 0x7f, '"'} {
				text := bytes.Repeat([]byte{fill}, 17)
				text[at] = byte(c)
				want := []byte{'"'}
				for _, b := range text {
					if b < 0x20 || b == '"' || b == '\\' {
						want = appendEscape(want, b)
					} else {
						want = append(want, b)
					}
				}
				if got := AppendText(nil, text); string(got) != string(want)+`"` {
					t.Fatalf("byte %#x at %d among %#x: %q", c, at, fill, got)
				}
			}
		}
	}
}

func BenchmarkAppendText(b *testing.B) {
	text := bytes.Repeat([]byte("ok  \tgithub.com/x/y\t0.123s \"quoted\" and \x1b[32mgreen\x1b[0m\n"), 600)
	dst := make([]byte, 0, 4*len(text))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		dst = AppendText(dst[:0], text)
	}
}
