package proc

import "testing"

func TestUnescapeMountKeepsWhatIsNoEscape(t *testing.T) {
	for in, want := range map[string]string{`a\011b`: "a\tb", `a\`: `a\`, `a\9x`: `a\9x`, `\134\040`: `\ `, `\999`: `\999`} {
		if got := UnescapeMount(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
