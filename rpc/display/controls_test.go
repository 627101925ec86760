package display

import "testing"

// JSON text on a terminal is untrusted output, too.
func TestJSONHoldsNoControlCharacters(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"b"}`:                         `{"a":"b"}`,
		"{\"a\":\"\u009b6n\u007fé\u0080\"}": `{"a":"\u009b6n\u007fé\u0080"}`,
	} {
		if got := string(EscapeControls([]byte(in))); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
