package unseen

import (
	"testing"
	"unicode"
)

func TestWhatIsDeceptiveIsHidden(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if Deceptive(r) && !Hidden(r) {
			t.Errorf("%U", r)
		}
		if Hidden(r) && unicode.In(r, unicode.L, unicode.N, unicode.S, unicode.P) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) && r != '\u2800' {
			t.Errorf("%U can be seen", r)
		}
	}
}

func TestHidden(t *testing.T) {
	for _, r := range "\x00\t\n\r\x1b\x7f\u0085\u009b\u00a0\u00ad\u034f\u061c\u115f\u180e\u200b\u200f\u2028\u202e\u2060\u2800\u3000\u3164\ue000\ufe0f\ufeff\uffa0\U000e0041\U000e0100" {
		if !Hidden(r) {
			t.Errorf("%U is not hidden", r)
		}
	}
	for _, r := range " ~aéß中א😀─" {
		if Hidden(r) {
			t.Errorf("%U is hidden", r)
		}
	}
	for r, want := range map[rune]string{'\n': `\n`, 0x1b: `\u001b`, 0x200b: `\u200b`, 0xe0041: `\U000e0041`} {
		if got := Spelled(r); got != want {
			t.Errorf("%U is %s", r, got)
		}
	}
}
