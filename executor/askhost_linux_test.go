package executor

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

func people(answers ...func(context.Context, Question) Answer) []func(context.Context, Question) Answer {
	return answers
}

// localName is a web server of the host under a name that is not listed though its
// address is, with the command that fetches from it and a person who is asked.
func localName(t *testing.T, p *person, change func(*Config)) (r *rig, name, get string) {
	t.Helper()
	needs.Namespaces(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "hello") }))
	t.Cleanup(srv.Close)
	_, port, _ := net.SplitHostPort(srv.Listener.Addr().String())
	r = newRig(t, func(c *Config) {
		c.Policy.Network, c.Approver = sandbox.NetworkProxy, p
		c.Hosts.Allow = []string{srv.Listener.Addr().String()}
		client(t, c)
		if change != nil {
			change(c)
		}
	})
	name = "localhost:" + port
	return r, name, "curl -sS --noproxy '' http://" + name + "; "
}

func TestAskHostOpensWhatAPersonAccepts(t *testing.T) {
	p := &person{answers: people(choose(Accept))}
	r, name, get := localName(t, p, nil)
	res, _ := r.must(sh(get + get))
	if out := string(res.Output[Stdout].Inline); out != "hello\nhello\n" || len(res.Violations) > 0 {
		t.Errorf("%s%s%v", out, res.Output[Stderr].Inline, res.Violations)
	}
	asked := p.questions()
	if len(asked) != 1 || asked[0].Wants != (Access{Kind: GrantHost, Value: name}) || asked[0].ExecID != res.ID || asked[0].Command == "" || asked[0].Sandbox.Access != sandbox.NetworkProxy {
		t.Errorf("asked %+v", asked)
	}
	// The whole sandbox, so the next command, too; another sandbox is asked about anew.
	r.must(sh(get))
	if n := len(p.questions()); n != 1 {
		t.Errorf("asked %d times", n)
	}
	r.must(Request{Command: get, Sandbox: SandboxRequest{Name: "other"}})
	if n := len(p.questions()); n != 2 {
		t.Errorf("asked %d times", n)
	}
}

func TestAskHostForTheSessionOpensEverySandbox(t *testing.T) {
	p := &person{answers: people(choose(AcceptForSession), choose(Decline))}
	r, name, get := localName(t, p, nil)
	r.must(sh(get))
	res, _ := r.must(Request{Command: get, Sandbox: SandboxRequest{Name: "other"}})
	if out := string(res.Output[Stdout].Inline); out != "hello\n" || len(p.questions()) != 1 {
		t.Errorf("%s, asked %d times", out, len(p.questions()))
	}
	list := r.e.Grants()
	if len(list) != 1 || list[0].Rule.Wants.Value != name || list[0].Uses != 1 {
		t.Fatalf("%+v", list)
	}
	// What is taken back is closed to the sandboxes that have used it, too.
	r.e.Revoke(list[0].ID)
	res, _ = r.must(Request{Command: get, Sandbox: SandboxRequest{Name: "other"}})
	if got := connects(res.Violations); len(got) != 1 || len(p.questions()) != 2 {
		t.Errorf("%v, asked %d times", got, len(p.questions()))
	}
}

// A command's first connection may come before its start has returned.
func TestAskHostOfACommandThatIsKnownToRun(t *testing.T) {
	long.Test(t)
	var r *rig
	var states []State
	look := func(context.Context, Question) Answer {
		for _, i := range r.e.List(false) {
			states = append(states, i.State)
		}
		return Answer{Choice: Decline}
	}
	for range 10 {
		var get string
		states = nil
		r, _, get = localName(t, &person{answers: people(look)}, nil)
		r.must(sh(get))
		if len(states) != 1 || states[0] != StateRunning {
			t.Errorf("%v", states)
		}
	}
}

// One question at a time is open for a host, however many connections wait.
func TestAskHostAsksOnceForManyConnections(t *testing.T) {
	t.Parallel()
	long.Test(t)
	p := &person{answers: people(func(context.Context, Question) Answer {
		time.Sleep(2 * time.Second) // all of them wait by then
		return Answer{Choice: Accept}
	})}
	r, _, get := localName(t, p, nil)
	res, _ := r.must(sh("for i in 1 2 3 4 5 6 7 8; do " + strings.TrimSuffix(get, "; ") + " & done; wait"))
	if n := strings.Count(string(res.Output[Stdout].Inline), "hello"); n != 8 || len(p.questions()) != 1 {
		t.Errorf("%d connections, %d questions", n, len(p.questions()))
	}
}

func TestAskHostAnythingElseDeclines(t *testing.T) {
	for name, answer := range map[string]func(context.Context, Question) Answer{
		"decline": choose(Decline), "cancel": choose(Withdraw), "nothing": choose(""), "edit": says(Answer{Choice: Edit, Command: "true"}), "too late": silent,
	} {
		t.Run(name, func(t *testing.T) {
			p := &person{answers: people(answer)}
			r, _, get := localName(t, p, func(c *Config) { c.ApprovalTimeout = 200 * time.Millisecond })
			res, _ := r.must(sh(get))
			if got := fmt.Sprint(connects(res.Violations)); !strings.Contains(got, "not listed reported 1") || len(p.questions()) != 1 || res.Reason != Exited {
				t.Errorf("%s, asked %d times, %s", got, len(p.questions()), res.Output[Stdout].Inline)
			}
		})
	}
}

func TestAskHostAsksNobodyWhereNobodyCanBe(t *testing.T) {
	r, _, get := localName(t, nil, func(c *Config) { c.Approver = nil })
	begin := time.Now()
	res, _ := r.must(sh(get))
	if got := connects(res.Violations); len(got) != 1 || time.Since(begin) > atOnce {
		t.Errorf("%v after %s", got, time.Since(begin))
	}
}

// A command that makes up names could ask until a person tires.
func TestAskHostStopsAskingWhenAPersonHasSaidNo(t *testing.T) {
	p := &person{answers: people(choose(Decline))}
	r, _, _ := localName(t, p, nil)
	res, _ := r.must(sh("for i in 1 2 3 4 5 6 7 8 9; do curl -s https://a$i.example/; done"))
	if n := len(p.questions()); n != maxHostDeclines || len(connects(res.Violations)) != 9 {
		t.Errorf("asked %d times, refused %v", n, connects(res.Violations))
	}
}

// What waits for an answer ends with its command, and the question with it.
func TestAskHostIsTakenBackWhenTheCommandEnds(t *testing.T) {
	var r *rig
	gone := make(chan struct{})
	p := &person{answers: people(func(ctx context.Context, _ Question) Answer {
		r.e.CancelAll()
		<-ctx.Done()
		close(gone)
		return Answer{Choice: Accept}
	})}
	r, _, get := localName(t, p, nil)
	if res, _ := r.must(sh(get)); res.Reason != Cancelled {
		t.Errorf("%s", res.Reason)
	}
	select {
	case <-gone:
	case <-time.After(time.Minute):
		t.Error("the question is still open")
	}
}

func TestAskHostIsNotAskedAboutWhatIsDenied(t *testing.T) {
	p := &person{answers: people(choose(Accept))}
	r, _, get := localName(t, p, func(c *Config) { c.Hosts.Deny = []string{"localhost"} })
	res, _ := r.must(sh(get + "curl -sS http://169.254.1.1/"))
	got := fmt.Sprint(connects(res.Violations))
	if !strings.Contains(got, "denied") || !strings.Contains(got, "169.254.1.1:80 address") || len(p.questions()) != 0 {
		t.Errorf("%s, asked %d times", got, len(p.questions()))
	}
}
