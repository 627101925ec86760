package forward

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"
)

// connected is a forward that carries one connection, until over.
func connected(t *testing.T) (f *Forward, server net.Listener, client, inner net.Conn, over chan struct{}) {
	t.Helper()
	server, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if f, err = New(host{}, t.TempDir(), server.Addr().(*net.TCPAddr).AddrPort(), 0); err != nil {
		t.Fatal(err)
	}
	over = make(chan struct{})
	go func() { defer close(over); f.Serve() }()
	if client, err = net.Dial("tcp4", f.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if inner, err = server.Accept(); err != nil {
		t.Fatal(err)
	}
	return f, server, client, inner, over
}

// A server that ends right after its answer has been heard whole.
func TestWhatAServerSaidBeforeItsEndArrives(t *testing.T) {
	said := bytes.Repeat([]byte("said"), 1<<20)
	for range 3 {
		f, server, client, c, over := connected(t)
		go func() { _, _ = c.Write(said); c.Close() }()
		server.Close()
		f.End()
		if got, err := io.ReadAll(client); err != nil || !bytes.Equal(got, said) {
			t.Fatalf("%d of %d bytes, %v", len(got), len(said), err)
		}
		<-over // the client hangs up only now
		client.Close()
	}
}

// A connection that stays does not keep it.
func TestCutEndsConnections(t *testing.T) {
	f, server, client, _, over := connected(t)
	defer server.Close()
	defer client.Close()
	f.Cut()
	select {
	case <-over:
	case <-time.After(time.Minute):
		t.Fatal("it goes on")
	}
}
