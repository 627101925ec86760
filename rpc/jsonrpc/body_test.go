package jsonrpc

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// A header that lies about its body must not cost the memory it names.
func TestBodyGrowsWithWhatArrives(t *testing.T) {
	var b body
	if _, err := b.read(strings.NewReader("abc"), 1<<30); err != io.ErrUnexpectedEOF {
		t.Fatal(err)
	}
	if cap(b.buf) > firstRead {
		t.Fatalf("%d bytes allocated for 3", cap(b.buf))
	}
}

func TestBodyShrinksAgain(t *testing.T) {
	var b body
	big := bytes.Repeat([]byte("x"), 5*firstRead+1)
	got, err := b.read(bytes.NewReader(big), int64(len(big)))
	if err != nil || !bytes.Equal(got, big) {
		t.Fatal(len(got), err)
	}
	if got, err = b.read(strings.NewReader("ab"), 2); err != nil || string(got) != "ab" {
		t.Fatal(got, err)
	}
	if cap(b.buf) > keepBuffer {
		t.Fatalf("%d bytes kept", cap(b.buf))
	}
}

func TestBodyReusesItsBuffer(t *testing.T) {
	var b body
	in := strings.NewReader(strings.Repeat("0123456789", 1000))
	if _, err := b.read(in, 10); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = b.read(in, 10) }); n > 0 {
		t.Fatalf("%v allocations a message", n)
	}
}
