package sandbox

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPayloadRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, s := rapid.Int64().Draw(t, "n"), rapid.String().Draw(t, "s")
		ss := rapid.SliceOf(rapid.String()).Draw(t, "ss")
		p := &payload{b: new(payload).putInt(n).putString(s).putStrings(ss).b}
		if got := p.int(); got != n {
			t.Fatalf("int %d, want %d", got, n)
		}
		if got := p.string(); got != s {
			t.Fatalf("string %q, want %q", got, s)
		}
		got := p.strings()
		if len(got) != len(ss) || p.err != nil {
			t.Fatalf("strings %q, want %q (%v)", got, ss, p.err)
		}
	})
}

func TestTruncatedPayloadIsAnErrorNotAPanic(t *testing.T) {
	whole := new(payload).putInt(5).putString("abc").putStrings([]string{"x", "y"}).b
	for n := range whole {
		p := &payload{b: whole[:n]}
		p.int()
		_ = p.string()
		_ = p.strings()
		if p.err == nil {
			t.Errorf("%d of %d bytes were enough", n, len(whole))
		}
	}
}
