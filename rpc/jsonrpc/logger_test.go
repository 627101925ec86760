package jsonrpc

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// Many editors never read a server's stderr.
func TestLogNeverBlocks(t *testing.T) {
	out := newStalling()
	l := NewLogWriter(out)
	line := []byte(strings.Repeat("x", 1023) + "\n")
	began := time.Now()
	for range 1000 {
		if n, err := l.Write(line); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
	}
	if d := time.Since(began); d > patience {
		t.Errorf("took %s", d)
	}
	if n := l.Dropped(); n < 800 || n > 1000 {
		t.Errorf("%d dropped", n)
	}
	l.Close() // gives up on a stuck stderr
	close(out.tick)
	l.scope.Wait()
}

func TestLogTellsWhatItLost(t *testing.T) {
	var out bytes.Buffer
	l := NewLogWriter(&out)
	_, _ = l.Write(bytes.Repeat([]byte("x"), maxLogBytes+1))
	_, _ = l.Write([]byte("next\n"))
	l.Close()
	if out.String() != "(1 log records lost)\nnext\n" {
		t.Errorf("%q", out.String())
	}
}
