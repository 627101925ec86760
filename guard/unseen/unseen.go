// Package unseen knows the characters that make a text look like another one. It is the
// one table of them: of the guard, of policy files, and of all that a person is shown.
package unseen

import (
	"fmt"
	"unicode"
)

// Hidden characters show nothing, change the direction, end the line or look like a
// space. Nothing that a person decides on may hold one as it is.
func Hidden(r rune) bool {
	if r < 0x7f {
		return r < ' '
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point) ||
		r == '\u2800' || unicode.IsSpace(r)
}

// Deceptive are the hidden characters that no shell text needs. Others have an honest
// use: selectors make an emoji of a sign, fonts have icons in private places, and
// languages have blanks and marks of their own.
func Deceptive(r rune) bool {
	switch {
	case r < 0x80:
		return r < ' ' && r != '\t' && r != '\n' || r == 0x7f
	case r < 0xa0, // C1
		r == 0xad, r == 0x34f, r == 0x61c, r == 0x180e,
		r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e,
		r >= 0x2060 && r <= 0x206f, r == 0xfeff, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0,
		r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}

// Spelled is a character in ASCII, the way every client shows a hidden one.
func Spelled(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r > 0xffff:
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}
