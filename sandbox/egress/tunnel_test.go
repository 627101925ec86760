package egress

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sourcegraph/conc"
)

// open is a world with a tunnel to a server that runs f.
func open(t *testing.T, f func(net.Conn), change ...func(*limits)) (*world, *net.TCPConn) {
	t.Helper()
	w := newWorld(t, allowing("ok.org"), change...)
	w.name("ok.org", public)
	w.host(public+":443", serve(t, f))
	conn, res := w.tunnel("ok.org:443")
	if res.StatusCode != 200 {
		t.Fatal(res.Status)
	}
	return w, conn.(*net.TCPConn)
}

func TestTunnelCarriesEveryByteBothWays(t *testing.T) {
	for _, splices := range []int{0, 16} { // without the kernel's help, and with it
		w, conn := open(t, func(c net.Conn) { io.Copy(c, c) }, func(l *limits) { l.splices = splices })
		const size = 20 << 20
		sum, back := sha256.New(), sha256.New()
		var sender conc.WaitGroup
		sender.Go(func() {
			r := rand.New(rand.NewPCG(1, 2))
			for left := size; left > 0; {
				piece := make([]byte, min(left, 1+r.IntN(200_000)))
				for i := range piece {
					piece[i] = byte(r.Uint32())
				}
				sum.Write(piece)
				conn.Write(piece)
				left -= len(piece)
			}
			conn.CloseWrite()
		})
		n, err := io.Copy(back, conn)
		sender.Wait()
		if n != size || err != nil || !bytes.Equal(sum.Sum(nil), back.Sum(nil)) {
			t.Errorf("%d splices: %d bytes, %v", splices, n, err)
		}
		conn.Close()
		soon(t, "the client is gone", func() bool { return w.proxy.Stats().Open == 0 })
		if h := w.proxy.Stats().Hosts[0]; h.Host != "ok.org" || h.In != size || h.Out != size || h.Connections != 1 {
			t.Errorf("%+v", h)
		}
	}
}

// A host that answers when its client has said its last must still be heard.
func TestHalfCloseIsCarried(t *testing.T) {
	_, conn := open(t, func(c net.Conn) {
		got, _ := io.ReadAll(c)
		fmt.Fprintf(c, "got %s", got)
	})
	io.WriteString(conn, "all of it")
	conn.CloseWrite()
	if got, err := io.ReadAll(conn); string(got) != "got all of it" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	_, conn = open(t, func(c net.Conn) {
		io.WriteString(c, "bye")
		c.(*net.TCPConn).CloseWrite()
		got, _ := io.ReadAll(c)
		if string(got) != "still here" {
			t.Errorf("%q", got)
		}
	})
	if got, _ := io.ReadAll(conn); string(got) != "bye" {
		t.Errorf("%q", got)
	}
	io.WriteString(conn, "still here")
	conn.CloseWrite()
}

func TestHalfClosedTunnelThatIsSilentEnds(t *testing.T) {
	end := make(chan struct{})
	w, conn := open(t, func(net.Conn) { <-end }, func(l *limits) { l.halfClosed = 50 * time.Millisecond })
	t.Cleanup(func() { close(end) })
	conn.CloseWrite()
	io.ReadAll(conn)
	soon(t, "the client is gone", func() bool { return w.proxy.Stats().Open == 0 })
}

// Only being half closed has a limit: an idle tunnel may wait for its next event
// all day.
func TestIdleTunnelLives(t *testing.T) {
	_, conn := open(t, func(c net.Conn) { io.Copy(c, c) }, func(l *limits) {
		l.head, l.idle, l.halfClosed = 50*time.Millisecond, 50*time.Millisecond, 50*time.Millisecond
	})
	time.Sleep(200 * time.Millisecond)
	if !echoes(conn, "still here") {
		t.Error("it was closed")
	}
}

// What a client sends with its CONNECT, before it has the answer, isn't lost.
func TestEarlyDataIsCarried(t *testing.T) {
	w := newWorld(t, allowing("ok.org"))
	w.name("ok.org", public)
	w.host(public+":443", echo(t))
	conn := w.connect()
	early := string(bytes.Repeat([]byte("early"), 1000))
	io.WriteString(conn, "CONNECT ok.org:443 HTTP/1.1\r\n\r\n"+early)
	answer := make([]byte, len("HTTP/1.1 200 Connection established\r\n\r\n")+len(early))
	if _, err := io.ReadFull(conn, answer); err != nil || !bytes.HasSuffix(answer, []byte(early)) {
		t.Errorf("%v", err)
	}
}

func TestKilledClientEndsTheHost(t *testing.T) {
	for what, f := range map[string]func(net.Conn) error{
		"while it downloads": func(c net.Conn) error { _, err := io.Copy(c, endless{}); return err },
		"while it uploads":   func(c net.Conn) error { _, err := io.Copy(io.Discard, c); return err },
	} {
		ended := make(chan error, 1)
		w, conn := open(t, func(c net.Conn) { ended <- f(c) })
		io.WriteString(conn, "some of it")
		if what == "while it downloads" {
			io.CopyN(io.Discard, conn, 10)
		}
		conn.SetLinger(0) // as the kernel does for one that is killed with bytes unread
		conn.Close()
		select {
		case err := <-ended:
			if err == nil && what == "while it downloads" {
				t.Errorf("%s: no error", what)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s: the host still waits", what)
		}
		soon(t, "the client is gone", func() bool { return w.proxy.Stats().Open == 0 })
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

// A client that doesn't read makes its host wait; the proxy holds what fits into
// its buffers and the kernel's, and no more.
func TestSlowReaderHoldsBoundedMemory(t *testing.T) {
	var sent atomic.Int64
	_, conn := open(t, func(c net.Conn) {
		buf := make([]byte, 64<<10)
		for {
			n, err := c.Write(buf)
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for last := int64(-1); last != sent.Load(); {
		last = sent.Load()
		time.Sleep(200 * time.Millisecond)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grew := int64(after.HeapAlloc) - int64(before.HeapAlloc); grew > 2<<20 {
		t.Errorf("the heap grew by %d", grew)
	}
	if sent.Load() > 64<<20 {
		t.Errorf("%d bytes were taken for a client that reads none", sent.Load())
	}
	conn.Close()
}

// A flow that pauses gives its pipe back: sixteen idle ones must not slow down
// the seventeenth for ever.
func TestPausedFlowGivesItsPipeBack(t *testing.T) {
	w, conn := open(t, func(c net.Conn) {
		c.Write(make([]byte, 1<<20))
		io.Copy(io.Discard, c)
	}, func(l *limits) { l.splices = 1 })
	io.CopyN(io.Discard, conn, 1<<20)
	soon(t, "no pipe is held", func() bool { return len(w.proxy.splices) == 0 })
}

func TestCloseEndsEverything(t *testing.T) {
	who := &person{answer: make(chan bool)}
	w := newWorld(t, Config{Rules: Rules{Allow: []string{"ok.org"}}, Ask: who.ask})
	w.name("ok.org", public)
	w.host(public+":443", echo(t))
	tunnel, _ := w.tunnel("ok.org:443")
	echoes(tunnel, "x")
	busy, _ := w.tunnel("ok.org:443")
	var sender conc.WaitGroup
	sender.Go(func() { io.Copy(struct{ io.Writer }{busy}, endless{}) })
	waiting, idle := w.connect(), w.connect()
	io.WriteString(waiting, "CONNECT new.org:443 HTTP/1.1\r\n\r\n")
	soon(t, "asked", func() bool { return who.asked.Load() == 1 })
	if err := w.proxy.Close(); err != nil {
		t.Fatal(err)
	}
	sender.Wait()
	for what, conn := range map[string]net.Conn{"busy": busy, "tunnel": tunnel, "waiting": waiting, "idle": idle} {
		if _, err := io.ReadAll(conn); os.IsTimeout(err) {
			t.Errorf("%s: %v", what, err)
		}
		conn.Close()
	}
	if w.proxy.Close() != nil || w.proxy.Serve(listen(t)) != nil {
		t.Error("closed twice, and served after that")
	}
	if len(w.refusals) != 0 {
		t.Errorf("nobody refused anything: %+v", w.refusals)
	}
	if len(w.proxy.conns) != 0 || len(w.proxy.listeners) != 0 {
		t.Errorf("%v %v", w.proxy.conns, w.proxy.listeners)
	}
}
