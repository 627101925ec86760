package egress

import (
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// silent makes a name server that doesn't answer for a name until the test ends;
// it says whether it was asked.
func silent(w *world, name string) (asked *atomic.Bool) {
	asked, end := new(atomic.Bool), make(chan struct{})
	w.t.Cleanup(func() { close(end) })
	w.leads(name, func(bool) []string { asked.Store(true); <-end; return nil })
	return asked
}

func TestNameServerThatIsSilentTimesOut(t *testing.T) {
	w := newWorld(t, allowing("slow.org"), func(l *limits) { l.resolve = 50 * time.Millisecond })
	silent(w, "slow.org")
	if _, res := w.tunnel("slow.org:443"); res.StatusCode != 504 {
		t.Errorf("%s", res.Status)
	}
}

// Clients that come and go while their names are looked up must not pile up what
// waits for the answers.
func TestNothingWaitsForANameServerWhenTheClientIsGone(t *testing.T) {
	w := newWorld(t, allowing("*.slow.org"))
	silent(w, "a.slow.org")
	before := runtime.NumGoroutine()
	for _, host := range []string{"a", "b", "c", "a", "a", "d"} {
		conn := w.connect()
		io.WriteString(conn, "CONNECT "+host+".slow.org:443 HTTP/1.1\r\n\r\n")
		soon(t, "it is served", func() bool { return w.proxy.Stats().Open == 1 })
		time.Sleep(10 * time.Millisecond)
		conn.Close()
		soon(t, "the client is gone", func() bool { return w.proxy.Stats().Open == 0 })
	}
	began := time.Now()
	soon(t, "nothing waits", func() bool { return runtime.NumGoroutine() <= before })
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("it waited for %v", took)
	}
}

// net.Resolver lets the look-ups that several wait for outlive all of them.
func TestCloseEndsLookUpsThatSeveralWaitFor(t *testing.T) {
	w := newWorld(t, allowing("slow.org"))
	asked := silent(w, "slow.org")
	before := runtime.NumGoroutine()
	for range 3 {
		io.WriteString(w.connect(), "CONNECT slow.org:443 HTTP/1.1\r\n\r\n")
	}
	soon(t, "all are looked up", func() bool { return asked.Load() && w.proxy.Stats().Open == 3 })
	time.Sleep(20 * time.Millisecond)
	began := time.Now()
	w.proxy.Close()
	soon(t, "nothing waits", func() bool { return runtime.NumGoroutine() <= before })
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("it waited for %v", took)
	}
}

// A name server that leads localhost elsewhere is not believed: localhost in the list
// means this machine.
func TestLocalhostIsThisMachineWhateverANameServerSays(t *testing.T) {
	w := newWorld(t, allowing("localhost", "app.localhost"))
	w.name("localhost", public)
	w.name("app.localhost", public)
	for _, name := range []string{"localhost", "app.localhost", "LocalHost"} {
		w.host(public+":80", "127.0.0.1:1")
		conn := w.connect()
		io.WriteString(conn, "CONNECT "+name+":80 HTTP/1.1\r\n\r\n")
		said, _ := io.ReadAll(conn)
		if r := w.took(); len(r) != 1 || r[0].Rule != Address || !strings.Contains(r[0].Reason, "loopback") {
			t.Errorf("%s: %s %+v", name, said, r)
		}
	}
}
