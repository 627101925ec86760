package display

import "unicode/utf8"

const digits = "0123456789abcdef"

// EscapeControls is a JSON text in which no string holds a control character as it is.
// JSON allows DEL and the C1 controls, and a terminal that it is shown on obeys those.
func EscapeControls(text []byte) []byte {
	var out []byte
	from := 0
	for i, r := range string(text) {
		if r == 0x7f || r >= 0x80 && r < 0xa0 {
			out = append(append(out, text[from:i]...), `\u00`...)
			out = append(out, digits[r>>4], digits[r&15])
			from = i + utf8.RuneLen(r)
		}
	}
	return append(out, text[from:]...)
}
