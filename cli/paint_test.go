package cli

import (
	"strings"
	"testing"
)

func TestColoursAreForTerminals(t *testing.T) {
	var b strings.Builder
	if colours("").painter(&b).on {
		t.Error("colours into a builder")
	}
	if got := (painter{on: true}).decision("deny", "denied"); got != "\x1b[1;31mdenied\x1b[0m" {
		t.Errorf("%q", got)
	}
}
