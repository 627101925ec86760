package egress

import (
	"context"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sourcegraph/conc"
)

// person answers questions when told to.
type person struct {
	once   bool // a yes is Once, else Keep
	asked  atomic.Int32
	gone   atomic.Int32
	answer chan bool
	mu     sync.Mutex
	saw    []string
}

func (p *person) ask(ctx context.Context, host string, port int, what string, peer Peer) Answer {
	p.asked.Add(1)
	p.mu.Lock()
	p.saw = append(p.saw, target{name: host, port: uint16(port)}.String()+" "+what+peer.Token)
	p.mu.Unlock()
	select {
	case yes := <-p.answer:
		switch {
		case !yes:
			return Refuse
		case p.once:
			return Once
		}
		return Keep
	case <-ctx.Done():
		p.gone.Add(1)
		return Refuse
	}
}

func soon(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 1000 {
		if is() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("not soon: %s", what)
}

func TestManyConnectionsAskOnce(t *testing.T) {
	for _, yes := range []bool{true, false} {
		who := &person{answer: make(chan bool)}
		w := newWorld(t, Config{Ask: who.ask})
		w.name("new.org", public)
		w.host(public+":443", echo(t))
		var got [2]atomic.Int32
		var clients conc.WaitGroup
		for range 20 {
			clients.Go(func() {
				_, res := w.tunnel("new.org:443")
				if res.StatusCode == 200 {
					got[0].Add(1)
				} else {
					got[1].Add(1)
				}
			})
		}
		soon(t, "20 wait", func() bool {
			w.proxy.questions.mu.Lock()
			defer w.proxy.questions.mu.Unlock()
			q := w.proxy.questions.open["new.org:443"]
			return q != nil && q.waiting == 20
		})
		who.answer <- yes
		clients.Wait()
		want := got[1].Load()
		if yes {
			want = got[0].Load()
		}
		if want != 20 || who.asked.Load() != 1 {
			t.Errorf("%v: %d of 20, asked %d times", yes, want, who.asked.Load())
		}
		// An accept holds, and a no is final for a while.
		if _, res := w.tunnel("new.org:443"); (res.StatusCode == 200) != yes || who.asked.Load() != 1 {
			t.Errorf("%v: then %s, asked %d times", yes, res.Status, who.asked.Load())
		}
	}
}

// So what was taken back meanwhile is closed.
func TestAnswerForOnceIsAskedForAgain(t *testing.T) {
	who := &person{once: true, answer: make(chan bool, 2)}
	w := newWorld(t, Config{Ask: who.ask})
	w.name("new.org", public)
	w.host(public+":443", echo(t))
	for i, yes := range []bool{true, true, false} {
		who.answer <- yes
		if _, res := w.tunnel("new.org:443"); (res.StatusCode == 200) != yes || who.asked.Load() != int32(i+1) {
			t.Errorf("%v: %s, asked %d times", yes, res.Status, who.asked.Load())
		}
	}
}

func TestDeclineIsAskedAboutAgainLater(t *testing.T) {
	who := &person{answer: make(chan bool, 2)}
	who.answer <- false
	who.answer <- true
	w := newWorld(t, Config{Ask: who.ask}, func(l *limits) { l.declined = time.Millisecond })
	w.name("new.org", public)
	w.host(public+":443", echo(t))
	w.tunnel("new.org:443")
	time.Sleep(5 * time.Millisecond)
	if _, res := w.tunnel("new.org:443"); res.StatusCode != 200 {
		t.Errorf("%s", res.Status)
	}
}

func TestQuestionNamesThePeerAndThePort(t *testing.T) {
	who := &person{answer: make(chan bool, 1)}
	who.answer <- false
	w := newWorld(t, Config{Ask: who.ask})
	w.say("CONNECT NEW.org:8443 HTTP/1.1\r\nProxy-Authorization: Basic dG9rZW46eA==\r\n\r\n")
	if !slices.Equal(who.saw, []string{"new.org:8443 token"}) {
		t.Errorf("%q", who.saw)
	}
	if r := w.took()[0]; r.Peer.Token != "token" {
		t.Errorf("%+v", r)
	}
}

func TestNobodyIsAskedAboutWhatCannotBeGranted(t *testing.T) {
	who := &person{answer: make(chan bool)}
	w := newWorld(t, Config{Rules: Rules{Deny: []string{"bad.org"}}, Ask: who.ask})
	for _, host := range []string{"bad.org:443", "127.0.0.1:443", "[::ffff:127.0.0.1]:443", "169.254.169.254:80", "0x7f.1:80", "a..b:80"} {
		w.tunnel(host)
	}
	if who.asked.Load() != 0 {
		t.Errorf("asked %d times: %q", who.asked.Load(), who.saw)
	}
}

// Accepting a name opens the name, not its network, which is asked about by its number: a
// registry of one's own company takes one more yes, and is not refused after a yes.
func TestAcceptedNameThatLeadsInsideIsAskedAboutOnceMore(t *testing.T) {
	for _, yes := range []bool{true, false} {
		who := &person{answer: make(chan bool, 2)}
		who.answer <- true
		who.answer <- yes
		w := newWorld(t, Config{Ask: who.ask})
		w.name("new.org", "192.168.1.1")
		_, res := w.tunnel("new.org:80")
		if want := []string{"new.org:80 ", "192.168.1.1:80 a private address that new.org leads to"}; !slices.Equal(who.saw, want) {
			t.Errorf("%q", who.saw)
		}
		if yes {
			if res.StatusCode == 403 || !slices.Equal(w.dialled, []string{"192.168.1.1:80"}) {
				t.Errorf("%s, %q", res.Status, w.dialled)
			}
		} else if r := w.took()[0]; res.StatusCode != 403 || r.Rule != Address || r.Addr != "192.168.1.1" {
			t.Errorf("%s %+v", res.Status, r)
		}
	}
}

func TestAnAddressThatIsNotPublicIsAskedAboutByWhatItIs(t *testing.T) {
	who := &person{answer: make(chan bool, 1)}
	who.answer <- false
	w := newWorld(t, Config{Ask: who.ask})
	w.tunnel("10.1.2.3:8080")
	if !slices.Equal(who.saw, []string{"10.1.2.3:8080 a private address"}) {
		t.Errorf("%q", who.saw)
	}
}

// The addresses of a machine's own credentials, and those that only this machine reaches,
// are never asked about.
func TestAcceptedNameThatLeadsToCredentialsOrLoopbackIsRefused(t *testing.T) {
	for _, to := range []string{"169.254.169.254", "127.0.0.1", "169.254.1.1", "fd00:ec2::254", "64:ff9b::a00:1", "0.0.0.0"} {
		who := &person{answer: make(chan bool, 1)}
		who.answer <- true
		w := newWorld(t, Config{Ask: who.ask})
		w.name("new.org", to)
		_, res := w.tunnel("new.org:80")
		if r := w.took()[0]; res.StatusCode != 403 || r.Rule != Address || len(who.saw) != 1 {
			t.Errorf("%s: %+v, %q", to, r, who.saw)
		}
	}
}

func TestQuestionIsTakenBackWhenEveryClientIsGone(t *testing.T) {
	who := &person{answer: make(chan bool)}
	w := newWorld(t, Config{Ask: who.ask})
	one, two := w.connect(), w.connect()
	io.WriteString(one, "CONNECT new.org:443 HTTP/1.1\r\n\r\n")
	io.WriteString(two, "CONNECT new.org:443 HTTP/1.1\r\n\r\nearly data")
	soon(t, "both wait", func() bool {
		w.proxy.questions.mu.Lock()
		defer w.proxy.questions.mu.Unlock()
		q := w.proxy.questions.open["new.org:443"]
		return q != nil && q.waiting == 2
	})
	one.Close()
	time.Sleep(20 * time.Millisecond)
	if who.gone.Load() != 0 {
		t.Error("one client still waits")
	}
	two.Close()
	soon(t, "taken back", func() bool { return who.gone.Load() == 1 })
	soon(t, "no client", func() bool { return w.proxy.Stats().Open == 0 })
	if len(w.proxy.questions.declined) != 0 {
		t.Error("what was taken back was not declined")
	}
}

func TestQuestionsAreBounded(t *testing.T) {
	who := &person{answer: make(chan bool)}
	w := newWorld(t, Config{Ask: who.ask}, func(l *limits) { l.questions = 2 })
	for _, host := range []string{"a.org", "b.org"} {
		io.WriteString(w.connect(), "CONNECT "+host+":443 HTTP/1.1\r\n\r\n")
	}
	soon(t, "two questions", func() bool { return who.asked.Load() == 2 })
	if _, res := w.tunnel("c.org:443"); res.StatusCode != 403 || who.asked.Load() != 2 {
		t.Errorf("%s", res.Status)
	}
}
