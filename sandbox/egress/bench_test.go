package egress

import (
	"fmt"
	"io"
	"net"
	"slices"
	"testing"
	"time"
)

// BenchmarkTunnel downloads through the proxy and directly in turns, so that the
// machine's load hits both alike, and reports how much of the direct rate the
// proxy reaches. At least half is what it is held to.
func BenchmarkTunnel(b *testing.B) {
	const size = 64 << 20
	piece := make([]byte, 256<<10)
	server := serve(b, func(c net.Conn) {
		ask := make([]byte, 1)
		for {
			if _, err := io.ReadFull(c, ask); err != nil {
				return
			}
			for range size / len(piece) {
				c.Write(piece)
			}
		}
	})
	p, err := New(Config{Rules: Rules{Allow: []string{"127.0.0.1:*"}}})
	if err != nil {
		b.Fatal(err)
	}
	l := listen(b)
	go p.Serve(l)
	defer p.Close()
	direct, through := dialed(b, server), dialed(b, l.Addr().String())
	fmt.Fprintf(through, "CONNECT %s HTTP/1.1\r\n\r\n", server)
	if _, err := io.ReadFull(through, make([]byte, len("HTTP/1.1 200 Connection established\r\n\r\n"))); err != nil {
		b.Fatal(err)
	}
	var ratios []float64
	b.SetBytes(size)
	for b.Loop() {
		plain := download(b, direct, size)
		ratios = append(ratios, float64(plain)/float64(download(b, through, size)))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "of-direct")
}

func dialed(b *testing.B, addr string) net.Conn {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	return conn
}

func download(b *testing.B, conn net.Conn, size int) time.Duration {
	began := time.Now()
	io.WriteString(conn, "x")
	buf := make([]byte, 256<<10)
	for left := size; left > 0; {
		n, err := conn.Read(buf)
		if err != nil {
			b.Fatal(err)
		}
		left -= n
	}
	return time.Since(began)
}

// BenchmarkOpen is what a new tunnel costs.
func BenchmarkOpen(b *testing.B) {
	server := serve(b, func(c net.Conn) { io.Copy(c, c) })
	p, err := New(Config{Rules: Rules{Allow: []string{"127.0.0.1:*"}}})
	if err != nil {
		b.Fatal(err)
	}
	l := listen(b)
	go p.Serve(l)
	defer p.Close()
	answer := make([]byte, len("HTTP/1.1 200 Connection established\r\n\r\n"))
	for b.Loop() {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\n\r\n", server)
		if _, err := io.ReadFull(conn, answer); err != nil {
			b.Fatal(err)
		}
		conn.Close()
	}
}
