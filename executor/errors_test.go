package executor

import "testing"

// TestCancellationsAreSaidInWords: not in those of the wire.
func TestCancellationsAreSaidInWords(t *testing.T) {
	for want, err := range map[string]error{
		"cancelled while a person was asked":                 &CancelledError{Why: Cancelled, Phase: "awaitingApproval"},
		"shutdown (the client is gone) while it was started": &CancelledError{Why: Gone, Phase: "spawn"},
	} {
		if err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
