package egress

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/sourcegraph/conc"
	"golang.org/x/net/dns/dnsmessage"
)

// world is a proxy with the hosts it may find: names are served by a real name
// server on loopback, public addresses are loopback servers.
type world struct {
	t     *testing.T
	proxy *Proxy
	at    string // where the proxy listens

	mu       sync.Mutex
	names    map[string]func(v6 bool) []string // addresses by name
	asked    []string                          // names that were looked up
	hosts    map[string]string                 // where public addresses are
	dialled  []string
	refusals []Refusal
}

// newWorld starts a proxy. What c leaves out is the world's.
func newWorld(t *testing.T, c Config, change ...func(*limits)) *world {
	t.Helper()
	w := &world{t: t, names: map[string]func(bool) []string{}, hosts: map[string]string{}}
	c.Dial, c.Refused = w.dial, w.refused
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(&p.limits)
		p.splices = make(chan struct{}, p.limits.splices)
	}
	p.config.Resolver = p.resolver(w.nameServer())
	l := listen(t)
	w.proxy, w.at = p, l.Addr().String()
	var serving conc.WaitGroup
	serving.Go(func() {
		if err := p.Serve(l); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		serving.Wait()
	})
	return w
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func allowing(patterns ...string) Config { return Config{Rules: Rules{Allow: patterns}} }

// name makes addrs what name leads to.
func (w *world) name(name string, addrs ...string) {
	w.leads(name, func(bool) []string { return addrs })
}

// leads makes f answer where name leads to, each time it is looked up.
func (w *world) leads(name string, f func(v6 bool) []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.names[name] = f
}

// host makes a public address and port lead to where a server listens.
func (w *world) host(public, server string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hosts[public] = server
}

func (w *world) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	w.dialled = append(w.dialled, address)
	to, ok := w.hosts[address]
	w.mu.Unlock()
	if !ok {
		to = address
		if a, err := netip.ParseAddrPort(address); err != nil || !a.Addr().IsLoopback() {
			return nil, fmt.Errorf("the test has no host %s", address)
		}
	}
	return new(net.Dialer).DialContext(ctx, network, to)
}

func (w *world) refused(r Refusal) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refusals = append(w.refusals, r)
}

// took answers what was refused since, and waits for the first: a client may
// have its answer earlier.
func (w *world) took() []Refusal {
	w.t.Helper()
	for range 500 {
		w.mu.Lock()
		all := w.refusals
		w.refusals = nil
		w.mu.Unlock()
		if len(all) > 0 {
			return all
		}
		time.Sleep(2 * time.Millisecond)
	}
	w.t.Error("nothing was refused")
	return []Refusal{{}}
}

func (w *world) dials() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.dialled)
}

func (w *world) lookups() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.asked)
}

// nameServer serves the world's names over UDP.
func (w *world) nameServer() (addr string) {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	var serving conc.WaitGroup
	serving.Go(func() { w.serveNames(conn) })
	w.t.Cleanup(func() { conn.Close(); serving.Wait() })
	return conn.LocalAddr().String()
}

func (w *world) serveNames(conn net.PacketConn) {
	buf := make([]byte, 1500)
	for {
		n, from, err := conn.ReadFrom(buf)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if err := m.Unpack(buf[:n]); err != nil {
			continue
		}
		m.Response, m.Additionals = true, nil
		q := m.Questions[0]
		name := strings.TrimSuffix(q.Name.String(), ".")
		w.mu.Lock()
		f := w.names[name]
		if q.Type == dnsmessage.TypeA {
			w.asked = append(w.asked, name)
		}
		w.mu.Unlock()
		if f == nil {
			m.RCode = dnsmessage.RCodeNameError
		} else if q.Type == dnsmessage.TypeA || q.Type == dnsmessage.TypeAAAA {
			m.Answers = records(q, f)
		}
		out, err := m.Pack()
		if err == nil {
			conn.WriteTo(out, from)
		}
	}
}

func records(q dnsmessage.Question, addrs func(bool) []string) (all []dnsmessage.Resource) {
	for _, s := range addrs(q.Type == dnsmessage.TypeAAAA) {
		a := netip.MustParseAddr(s)
		h := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 0}
		switch {
		case a.Is4() && q.Type == dnsmessage.TypeA:
			all = append(all, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: a.As4()}})
		case a.Is6() && q.Type == dnsmessage.TypeAAAA:
			all = append(all, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	return all
}

// connect opens a raw connection to the proxy.
func (w *world) connect() net.Conn {
	w.t.Helper()
	conn, err := net.Dial("tcp", w.at)
	if err != nil {
		w.t.Fatal(err)
	}
	conn.SetDeadline(time.Now().Add(time.Minute))
	w.t.Cleanup(func() { conn.Close() })
	return conn
}

// say sends raw bytes and answers all that comes back.
func (w *world) say(raw string) string {
	w.t.Helper()
	conn := w.connect()
	defer conn.Close()
	if _, err := io.WriteString(conn, raw); err != nil {
		w.t.Fatal(err)
	}
	b, _ := io.ReadAll(conn)
	return string(b)
}

// tunnel opens one to target through CONNECT.
func (w *world) tunnel(target string) (net.Conn, *http.Response) {
	w.t.Helper()
	conn := w.connect()
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, target)
	res, err := http.ReadResponse(bufio.NewReader(iotest.OneByteReader(conn)), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return conn, res
}

// web is a server that answers with what it was asked for.
func web(t *testing.T) (addr string) {
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(rw, "%s %s host=%s body=%d", r.Method, r.RequestURI, r.Host, len(body))
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// echo is a server that sends back what it gets, and ends when the client does.
func echo(t testing.TB) (addr string) {
	return serve(t, func(conn net.Conn) { io.Copy(conn, conn) })
}

// serve runs f on every connection to a port of its own.
func serve(t testing.TB, f func(net.Conn)) (addr string) {
	l := listen(t)
	var all conc.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer conn.Close()
				f(conn)
			})
		}
	})
	t.Cleanup(func() { l.Close(); all.Wait() })
	return l.Addr().String()
}

func echoes(conn net.Conn, s string) bool {
	io.WriteString(conn, s)
	got := make([]byte, len(s))
	_, err := io.ReadFull(conn, got)
	return err == nil && string(got) == s
}
