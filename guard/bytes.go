package guard

import (
	"strings"
	"unicode/utf8"
)

// maxBytes is the most shell text, or argv added up, that is judged at all.
const maxBytes = 65536

// Problems that end the judging of a text.
const (
	problemSize     = "size"     // more than maxBytes
	problemBytes    = "bytes"    // control, bidi or zero-width characters, not UTF-8
	problemSyntax   = "syntax"   // the parser gave up
	problemOpaque   = "opaque"   // the parser and the shells read it differently
	problemNesting  = "nesting"  // too deep to parse safely
	problemDepth    = "depth"    // shells in shells beyond the limit
	problemBudget   = "budget"   // too much to walk
	problemInput    = "input"    // neither or both of command and argv
	problemInternal = "internal" // a bug of ours
)

// badByte finds the first character that no shell text needs and that makes the
// parser, the shells and the person reading it see three different commands: CR
// (mvdan/sh drops it, shells do not), NUL (dropped), other controls, bidi
// overrides and zero-width characters. It is -1 for clean text.
func badByte(s string) int {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if (c < ' ' && c != '\t' && c != '\n') || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || hidden(r) {
			return i
		}
		i += size
	}
	return -1
}

// hidden reports characters that reorder or vanish on screen.
func hidden(r rune) bool {
	switch {
	case r >= 0x80 && r < 0xa0, // C1
		r == 0xad, r == 0x34f, r == 0x61c, r == 0x180e,
		r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e,
		r >= 0x2060 && r <= 0x206f, r == 0xfeff, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0,
		r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}

// badArg is badByte for an argument that no shell reads: only what cannot be an
// argument at all, or could not be reported, is bad.
func badArg(s string) int {
	if i := strings.IndexByte(s, 0); i >= 0 {
		return i
	}
	if !utf8.ValidString(s) {
		return 0
	}
	return -1
}
