package argv

import "testing"

func TestAWordIsQuotedWhereItHasToBe(t *testing.T) {
	for in, want := range map[string]string{
		"": "''", "a": "a", "./a-b_c/d.e": "./a-b_c/d.e", "--x=y": "--x=y", "a:1,b@c+d%": "a:1,b@c+d%", "=ls": "'=ls'",
		"a b": "'a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "~": "'~'", "#": "'#'", "a\nb": "'a\nb'", "a\u00a0b": "'a\u00a0b'", "!": "'!'", "\\": `'\'`,
	} {
		if got := Word(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	if got := Typed([]string{"sh", "-c", "echo a; b"}); got != "sh -c 'echo a; b'" {
		t.Error(got)
	}
}
