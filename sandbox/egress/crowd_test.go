package egress

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sourcegraph/conc"
)

func TestThousandConnectionsAtATime(t *testing.T) {
	w := newWorld(t, allowing("ok.org"))
	w.name("ok.org", public)
	w.host(public+":443", echo(t))
	const many = 1000
	conns := make([]net.Conn, many)
	var clients conc.WaitGroup
	var good atomic.Int32
	for i := range conns {
		clients.Go(func() {
			conn, res := w.tunnel("ok.org:443")
			if conns[i] = conn; res.StatusCode == 200 && echoes(conn, fmt.Sprint("hello ", i)) {
				good.Add(1)
			}
		})
	}
	clients.Wait()
	if open := w.proxy.Stats().Open; open != many || good.Load() != many {
		t.Errorf("%d open, %d of %d good", open, good.Load(), many)
	}
	// All are still alive, and each has its own bytes.
	for i, conn := range conns {
		if !echoes(conn, fmt.Sprint("again ", i)) {
			t.Fatalf("connection %d", i)
		}
		conn.Close()
	}
	soon(t, "all are gone", func() bool { return w.proxy.Stats().Open == 0 })
}

func TestOneConnectionTooManyIsToldSo(t *testing.T) {
	w := newWorld(t, allowing("ok.org"), func(l *limits) { l.connections = 2 })
	one, two := w.connect(), w.connect()
	soon(t, "two are open", func() bool { return w.proxy.Stats().Open == 2 })
	got, _ := io.ReadAll(w.connect())
	if r := w.took()[0]; !strings.HasPrefix(string(got), "HTTP/1.1 503 ") || !strings.Contains(string(got), "2 connections already") || r.Rule != Connections {
		t.Errorf("%q %+v", got, r)
	}
	one.Close()
	two.Close()
	soon(t, "both are gone", func() bool { return w.proxy.Stats().Open == 0 })
	if _, res := w.tunnel("evil.com:443"); res.StatusCode != 403 {
		t.Errorf("%s", res.Status)
	}
}

func TestStatsAreBounded(t *testing.T) {
	w := newWorld(t, Config{}, func(l *limits) { l.hosts = 3 })
	for i := range 10 {
		w.tunnel(fmt.Sprintf("h%d.org:443", i))
	}
	var refused int64
	all := w.proxy.Stats().Hosts
	for _, h := range all {
		refused += h.Refused
	}
	if len(all) != 4 || all[0].Host != "" || all[0].Refused != 7 || refused != 10 {
		t.Errorf("%+v", all)
	}
}
