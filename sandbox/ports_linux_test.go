package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
)

// listenHelper listens at each address and answers it, until it is killed.
func listenHelper(at []string) int {
	for _, a := range at {
		l, err := net.Listen(map[bool]string{true: "tcp6", false: "tcp4"}[a[0] == '['], a)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = io.WriteString(c, a)
				_ = c.Close()
			}
		}()
	}
	select {}
}

// ledger is what a command was last heard to listen on.
type ledger struct {
	mu  sync.Mutex
	now []Port
}

func (h *ledger) listens(now []Port) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = now
}

func (h *ledger) are(want string) func() bool {
	return func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		now := ""
		for _, p := range h.now {
			now += net.JoinHostPort(p.Address, strconv.Itoa(p.Number)) + " "
		}
		return now == want
	}
}

// ask reads what a port of the sandbox's network says.
func (b *bench) ask(at string) (string, error) {
	s, err := b.m.Sandbox(b.policy)
	must(b.t, err)
	c, err := s.Dial(context.Background(), netip.MustParseAddrPort(at))
	if err != nil {
		return "", err
	}
	defer c.Close()
	said, err := io.ReadAll(c)
	return string(said), err
}

func TestThePortsThatACommandListensOnAreHeardAndReached(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		b := newBench(t)
		if rung == RungNoUserns {
			s, err := b.m.Sandbox(b.policy)
			must(t, err)
			var none *UnavailableError
			if _, err := s.Dial(context.Background(), netip.MustParseAddrPort("127.0.0.1:1")); !errors.As(err, &none) {
				t.Errorf("no network of its own: %v", err)
			}
			return
		}
		b.hears = new(ledger)
		exe, err := os.Executable()
		must(t, err)
		heard, says := "127.0.0.1:5173 0.0.0.0:8000 ", map[string]string{"127.0.0.1:5173": "127.0.0.1:5173", "127.0.0.1:8000": "0.0.0.0:8000"}
		if l, err := net.Listen("tcp6", "[::1]:0"); err == nil { // this machine has it
			must(t, l.Close())
			heard, says["[::1]:9000"] = heard+"[::1]:9000 ", "[::1]:9000"
		}
		p, out := b.start(append([]string{exe, "helper-listen"}, slices.Sorted(maps.Values(says))...)...)
		defer out.Close()
		over := make(chan error, 1)
		go func() {
			_, err := p.Wait()
			over <- err
		}()
		eventually(t, "all three are heard", b.hears.are(heard))

		other := *b // of the same sandbox, whose ports are not the first one's
		other.stdin, other.hears = "", new(ledger)
		if o := other.run("/bin/sleep", "0.5"); o.status.Code != 0 || !other.hears.are("")() {
			t.Errorf("%+v heard %v", o, other.hears.now)
		}
		for at, want := range says {
			if said, err := b.ask(at); said != want || err != nil {
				t.Errorf("%s says %q, %v", at, said, err)
			}
		}
		if said, err := b.ask("127.0.0.1:5174"); err == nil {
			t.Errorf("nobody listens there, and it says %q", said)
		}
		must(t, p.Kill())
		must(t, <-over)
		_, err = p.End(false)
		must(t, err)
		if !b.hears.are("")() {
			t.Errorf("after its end it listens on %v", b.hears.now)
		}
		if said, err := b.ask("127.0.0.1:5173"); err == nil {
			t.Errorf("after its end it says %q", said)
		}
	})
}

func TestAServerThatWasLeftIsHeardUntilItsEnd(t *testing.T) {
	b := newBench(t)
	if rung := b.m.Report().Rung; rung != RungFull && rung != RungNoLandlock {
		t.Skip("commands have no network of their own")
	}
	b.hears = new(ledger)
	exe, err := os.Executable()
	must(t, err)
	b.leave("served", exe+" helper-listen 127.0.0.1:5173 > /dev/null 2>&1 &")
	eventually(t, "it is heard though its command is over", b.hears.are("127.0.0.1:5173 "))
	if said, err := b.ask("127.0.0.1:5173"); said != "127.0.0.1:5173" || err != nil {
		t.Errorf("it says %q, %v", said, err)
	}
	_, err = b.m.Reset("served", true)
	must(t, err)
	eventually(t, "its end is heard", b.hears.are(""))
}
