package mcp

import (
	"io"
	"os"
	"strings"
	"testing"
)

// Each system has its own error for it.
func TestAPipeThatNobodyReadsIsAHostThatHasLeft(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	tr := newTransport(io.NopCloser(strings.NewReader("")), w, func() {})
	defer tr.finish()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := tr.line([]byte("{}")); err == nil || !tr.left.Load() {
		t.Errorf("%v, left: %t", err, tr.left.Load())
	}
}
