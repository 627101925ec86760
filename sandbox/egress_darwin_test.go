package sandbox

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"

	"github.com/sourcegraph/conc"
)

// The proxy is reached and nothing beside it; when nobody serves it, nothing starts.
func TestOnlyTheProxyIsReached(t *testing.T) {
	b := newBench(t)
	other := listenTCP(t)
	b.policy.Network = NetworkProxy
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var unavailable *UnavailableError
	if _, err := b.box().Start(context.Background(), b.command(null, "/usr/bin/true")); !errors.As(err, &unavailable) {
		t.Errorf("%v", err)
	}
	l, err := b.box().Egress()
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	var work conc.WaitGroup
	defer work.Wait()
	defer l.Close()
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("the proxy\n"))
			_ = c.Close()
		}
	})
	if got := b.run("/usr/bin/nc -w 5 127.0.0.1 " + port + " < /dev/null"); got.out != "the proxy" {
		t.Errorf("%+v", got)
	}
	for _, script := range []string{"/usr/bin/nc -w 2 127.0.0.1 " + other + " < /dev/null", "/usr/bin/nc -u -w 2 127.0.0.1 " + port + " < /etc/hosts"} {
		if got := b.run(script); got.status.Code == 0 {
			t.Errorf("%s: %+v", script, got)
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := b.box().Egress(); !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
}
