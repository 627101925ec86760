package sandbox

import (
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// askOut is a command that connects to the proxy and prints what it says.
const askOut = "exec 3<> /dev/tcp/127.0.0.1/880 && cat <&3"

// onProxyRungs runs a test on every rung that carries a proxy.
func onProxyRungs(t *testing.T, f func(t *testing.T, b *bench)) {
	t.Helper()
	onEveryRung(t, func(t *testing.T, rung string) {
		if rung == RungNoUserns {
			return // TestEscapes holds it to its refusal
		}
		b := newBench(t)
		b.policy.Network = NetworkProxy
		f(t, b)
	})
}

// serve answers every connection to a policy's sandbox with a word.
func (b *bench) serve(word string) net.Listener {
	b.t.Helper()
	s, err := b.m.Sandbox(b.policy)
	must(b.t, err)
	l, err := s.Egress()
	must(b.t, err)
	answer(b.t, l, word)
	return l
}

// answer sends a word to everybody who connects, until the test ends.
func answer(t *testing.T, l net.Listener, word string) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, word)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
}

func (b *bench) bash(script string) outcome { b.t.Helper(); return b.run("/bin/bash", "-c", script) }

func TestACommandReachesTheProxyOfItsOwnSandbox(t *testing.T) {
	onProxyRungs(t, func(t *testing.T, b *bench) {
		other := *b
		other.policy.Name = "other"
		l := b.serve("mine")
		other.serve("other's")
		for range 2 {
			if o := b.bash(askOut); o.out != "mine" {
				t.Errorf("%+v", o)
			}
		}
		if o := other.bash(askOut); o.out != "other's" {
			t.Errorf("%+v", o)
		}
		if got, want := l.Addr().String(), "127.0.0.1:"+strconv.Itoa(EgressPort); got != want {
			t.Errorf("it is at %s, want %s", got, want)
		}
		if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
			_ = c.Close()
			t.Error("the host has the port, too")
		}
	})
}

func TestANetworkWithAProxyIsReportedAsEnforced(t *testing.T) {
	onProxyRungs(t, func(t *testing.T, b *bench) {
		s, err := b.m.Sandbox(b.policy)
		must(t, err)
		e := s.Enforcement()
		if e.Network != LevelEnforced || !slices.Contains(e.Backend, "netns") || !strings.Contains(strings.Join(e.Residual, "\n"), "proxy") {
			t.Errorf("%+v", e)
		}
	})
}

// A sandbox that nobody uses gives up its processes and with them its network.
func TestTheEgressOutlivesTheProcessesOfItsSandbox(t *testing.T) {
	onProxyRungs(t, func(t *testing.T, b *bench) {
		hasty := hasty(t, idleTimes{runner: time.Hour, sandbox: 300 * time.Millisecond})
		hasty.policy.Network = NetworkProxy
		hasty.serve("still here")
		box := hasty.theBox()
		for range 3 {
			if o := hasty.bash(askOut); o.out != "still here" {
				t.Fatalf("%+v", o)
			}
			eventually(t, "its processes are gone", func() bool { _, _, keeper := box.state(); return !keeper })
			if box.ways[0].socket() != nil {
				t.Fatal("the sidecar keeps the network of processes that are gone")
			}
		}
	})
}

func (e *egress) socket() *net.TCPListener {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.inner
}

func TestTheEgressOutlivesAKilledKeeper(t *testing.T) {
	onProxyRungs(t, func(t *testing.T, b *bench) {
		b.serve("again")
		box := b.theBox()
		for range 3 {
			if o := b.bash(askOut); o.out != "again" {
				t.Fatalf("%+v", o)
			}
			v := box.victims()
			kill(t, v["keeper"], unix.SIGKILL)
			eventually(t, "the runner is gone, too", func() bool { return !processAlive(v["runner"]) })
		}
	})
}

// A proxy that is gone must not become a way in: connections are refused at once, and the
// port can't be taken.
func TestAClosedEgressRefusesAndKeepsItsPort(t *testing.T) {
	onProxyRungs(t, func(t *testing.T, b *bench) {
		l := b.serve("gone soon")
		must(t, l.Close())
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("accept: %v", err)
		}
		s, err := b.m.Sandbox(b.policy)
		must(t, err)
		if again, err := s.Egress(); again != nil || !errors.Is(err, ErrClosed) {
			t.Errorf("once more: %v, %v", again, err)
		}
		exe, err := os.Executable()
		must(t, err)
		b.env = []string{"SELF=" + exe}
		began := time.Now()
		if o := b.bash(askOut); o.status.Code == 0 || !strings.Contains(o.out, "refused") || time.Since(began) > 10*time.Second {
			t.Errorf("connect: %+v", o)
		}
		if o := b.bash("$SELF listen 127.0.0.1 880 reuseaddr reuseport"); o.status.Code != 1 {
			t.Errorf("bind: %+v", o)
		}
		for _, free := range []string{"127.0.0.1 8880 reuseaddr reuseport", ":: 8880 v6only"} { // else that proves nothing
			if o := b.bash("$SELF listen " + free); o.status.Code != 0 {
				t.Errorf("%s: %+v", free, o)
			}
		}
	})
}

func TestTheEgressEndsWithItsSandbox(t *testing.T) {
	onProxyRungs(t, func(t *testing.T, b *bench) {
		s, err := b.m.Sandbox(b.policy)
		must(t, err)
		l, err := s.Egress()
		must(t, err)
		ended := make(chan error, 1)
		go func() { _, err := l.Accept(); ended <- err }()
		if _, err := b.m.Reset(DefaultName, false); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("%v", err)
		}
		b.serve("new")
		if o := b.bash(askOut); o.out != "new" {
			t.Errorf("%+v", o)
		}
	})
}

func TestOnlyAProxysNetworkHasAnEgress(t *testing.T) {
	onEveryRung(t, func(t *testing.T, _ string) {
		b := newBench(t)
		for _, network := range []Network{NetworkDeny, NetworkAllow} {
			b.policy.Network = network
			s, err := b.m.Sandbox(b.policy)
			must(t, err)
			var setup *SetupError
			if l, err := s.Egress(); l != nil || !errors.As(err, &setup) {
				t.Errorf("%s: %v, %v", network, l, err)
			}
		}
		b.policy.Network, b.policy.Mode, b.policy.Require = NetworkProxy, Off, RequireBestEffort
		_, err := b.m.Sandbox(b.policy)
		var refusal *UnavailableError
		if !errors.As(err, &refusal) || refusal.Missing[0].Feature != "network" || refusal.Missing[0].Hint == "" {
			t.Errorf("mode off: %v", err)
		}
	})
}

// A command would wait for an answer that nobody gives.
func TestNoCommandStartsInANetworkThatNobodyServes(t *testing.T) {
	onProxyRungs(t, func(t *testing.T, b *bench) {
		s, err := b.m.Sandbox(b.policy)
		must(t, err)
		c := Command{Path: "/bin/true", Argv: []string{"true"}}
		var refusal *UnavailableError
		if _, err := s.Start(t.Context(), c); !errors.As(err, &refusal) || refusal.Missing[0].Feature != "network" {
			t.Errorf("%v", err)
		}
		b.serve("now")
		if o := b.bash(askOut); o.out != "now" {
			t.Errorf("%+v", o)
		}
	})
}
