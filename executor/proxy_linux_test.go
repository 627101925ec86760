package executor

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/egress"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// upstream is a web server of the host, and a rig whose commands may reach it, and
// nothing else, by way of the proxy.
type upstream struct {
	*rig
	url, address string
}

func newUpstream(t *testing.T, change func(*Config)) *upstream {
	t.Helper()
	needs.Namespaces(t)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(serveHello))
	_ = srv.Listener.Close()
	var err error
	// Not 127.0.0.1: that is the sandbox's own for every tool.
	if srv.Listener, err = net.Listen("tcp", "127.0.0.2:0"); err != nil {
		t.Fatal(err)
	}
	srv.Start()
	t.Cleanup(srv.Close)
	u := &upstream{url: srv.URL, address: srv.Listener.Addr().String()}
	u.rig = newRig(t, func(c *Config) {
		c.Policy.Network = sandbox.NetworkProxy
		c.Hosts.Allow = []string{u.address}
		client(t, c)
		if change != nil {
			change(c)
		}
	})
	return u
}

// serveHello greets, or sends a client on to somebody else.
func serveHello(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/redirect" {
		http.Redirect(w, r, r.URL.RawQuery, http.StatusFound)
		return
	}
	fmt.Fprintf(w, "hello %s\n", r.URL.Path)
}

// connects are the rows about connections, shortly.
func connects(rows []sandbox.Violation) (out []string) {
	for _, v := range rows {
		if v.Op == "connect" {
			out = append(out, fmt.Sprintf("%s %s %s %d", v.Path, v.Rule, v.Attribution, v.Count))
		}
	}
	return out
}

func TestProxyReachesWhatIsListedAndNothingElse(t *testing.T) {
	u := newUpstream(t, nil)
	res, _ := u.must(sh("curl -sS " + u.url + "/a && curl -sS -p -x $HTTP_PROXY " + u.url + "/b && curl -sS --proxy socks5h://${HTTP_PROXY#http://} " + u.url + "/c"))
	if out := string(res.Output[Stdout].Inline); out != "hello /a\nhello /b\nhello /c\n" || len(res.Violations) > 0 {
		t.Errorf("%s%s%v", out, res.Output[Stderr].Inline, res.Violations)
	}
	begin := time.Now()
	res, _ = u.must(sh("curl -sS https://unlisted.example/; curl -sS http://10.0.0.1/; curl -sS --noproxy '*' " + u.url))
	if took := time.Since(begin); took > atOnce {
		t.Errorf("refused after %s", took)
	}
	got := strings.Join(connects(res.Violations), ", ")
	if want := "unlisted.example:443 not listed reported 1, 10.0.0.1:80 address reported 1"; got != want || res.Violated != 2 {
		t.Fatalf("violations %s (%d), want %s\n%s", got, res.Violated, want, res.Output[Stderr].Inline)
	}
	if grant := res.Violations[0].Grant; grant != `policy.network.allow "unlisted.example:443"` {
		t.Errorf("grant %s", grant)
	}
}

func TestProxyRefusalIsToldWhileTheCommandRuns(t *testing.T) {
	u := newUpstream(t, nil)
	told := make(chan string, 1)
	run, err := u.admit(streamed("curl -sS https://unlisted.example/; curl -sS https://unlisted.example/; read _"))
	if err != nil {
		t.Fatal(err)
	}
	rec := &watched{record: record{t: t, out: map[Stream]*strings.Builder{}}, told: told}
	ended := make(chan *Result, 1)
	go func() { // a test's own
		res, err := run.Do(rec)
		if err != nil {
			t.Error(err)
		}
		ended <- res
	}()
	select {
	case first := <-told:
		if first != "unlisted.example:443" {
			t.Errorf("told of %s", first)
		}
	case <-time.After(time.Minute):
		t.Fatal("nothing was told")
	}
	res := <-ended
	if got := connects(res.Violations); len(got) != 1 || got[0] != "unlisted.example:443 not listed reported 2" {
		t.Errorf("%v", got)
	}
	if len(rec.violations) != 1 {
		t.Errorf("told %d times of one", len(rec.violations))
	}
}

// watched reports violations as they come.
type watched struct {
	record
	told chan<- string
}

func (w *watched) Violation(v Violation) error {
	select {
	case w.told <- v.Path:
	default:
	}
	return w.record.Violation(v)
}

// The client has a random name that doesn't identify the command; without it any command
// of the sandbox may have been it.
func TestProxyTellsCommandsApartByToken(t *testing.T) {
	u := newUpstream(t, nil)
	req := sh("echo $HTTP_PROXY; curl -sS https://one.example/; sleep 1")
	other := sh("curl -sS https://two.example/; sleep 1; curl -sS -x http://127.0.0.1:880 https://three.example/")
	var wait sync.WaitGroup
	results := make([]*Result, 2)
	for i, r := range []Request{req, other} {
		wait.Go(func() { results[i], _ = u.must(r) })
	}
	wait.Wait()
	if got := connects(results[0].Violations); len(got) == 0 || got[0] != "one.example:443 not listed reported 1" || strings.Contains(fmt.Sprint(got), "two.example") {
		t.Errorf("the first: %v", got)
	}
	if got := fmt.Sprint(connects(results[1].Violations)); got != "[two.example:443 not listed reported 1 three.example:443 not listed inferred 1]" {
		t.Errorf("the second: %v", got)
	}
	token := string(results[0].Output[Stdout].Inline)
	if strings.Contains(token, "one.example") || len(token) > 80 {
		t.Errorf("the token is %s", token)
	}
}

// What settings take away is away for the commands to come, in a sandbox of their
// own; and what they had was theirs.
func TestProxyOfAnotherAddressBookIsAnotherOne(t *testing.T) {
	u := newUpstream(t, nil)
	get := "curl -sS " + u.url + "/"
	if res, _ := u.must(sh(get)); string(res.Output[Stdout].Inline) != "hello /\n" {
		t.Errorf("%s", res.Output[Stderr].Inline)
	}
	c := u.e.conf
	c.Hosts.Deny = []string{"127.0.0.0/8"}
	u.e = u.e.With(c)
	res, _ := u.must(sh(get))
	if got := fmt.Sprint(connects(res.Violations)); got != "["+u.address+" denied reported 1]" {
		t.Errorf("%s\n%s", got, res.Output[Stdout].Inline)
	}
}

func TestProxyHasToBeInThePolicy(t *testing.T) {
	needs.Namespaces(t)
	r := newRig(t, nil)
	_, err := r.admit(Request{Command: "true", Sandbox: SandboxRequest{Network: sandbox.NetworkProxy}})
	if p, ok := err.(*ParamError); !ok || p.Path != "/sandbox/network" {
		t.Errorf("%v", err)
	}
	for name, change := range map[string]func(*Config){
		"granted": func(c *Config) { c.Grants.Network = true },
		"allow":   func(c *Config) { c.Policy.Network = sandbox.NetworkAllow },
	} {
		r := newRig(t, change)
		res, _ := r.must(Request{Command: "echo $HTTPS_PROXY", Sandbox: SandboxRequest{Network: sandbox.NetworkProxy}})
		if out := string(res.Output[Stdout].Inline); !strings.HasPrefix(out, "http://") || res.Sandbox.Access != sandbox.NetworkProxy {
			t.Errorf("%s: %s %s", name, out, res.Sandbox.Access)
		}
	}
}

func TestProxyIsGoneWithItsSandboxAndItsCountersAreNot(t *testing.T) {
	u := newUpstream(t, nil)
	for range 2 {
		u.must(sh("curl -sS " + u.url + "/; curl -sS https://unlisted.example/"))
		if _, err := u.e.Reset("default", false); err != nil {
			t.Fatal(err)
		}
	}
	deadline := time.Now().Add(time.Minute)
	for open := 1; open > 0 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		u.e.gateways.mu.Lock()
		open = len(u.e.gateways.open)
		u.e.gateways.mu.Unlock()
	}
	host, _, _ := net.SplitHostPort(u.address)
	hosts := map[string]egress.HostStats{}
	for _, h := range u.e.Hosts() {
		hosts[h.Host] = h
	}
	if h := hosts[host]; h.Connections != 2 || h.In == 0 || h.Out == 0 || hosts["unlisted.example"].Refused != 2 {
		t.Errorf("%+v", hosts)
	}
}

// What leads to the proxy is there where the proxy is, and gives way to what the
// user or the request says.
func TestProxyVariables(t *testing.T) {
	u := newUpstream(t, func(c *Config) {
		c.Grants.Off = true
		c.OwnEnv["NO_PROXY"] = "policy"
	})
	mine := "request"
	show := "echo ${HTTPS_PROXY%%:*} ${https_proxy%%:*} ${ALL_PROXY%%:*} $NO_PROXY $no_proxy $NODE_USE_ENV_PROXY $GIT_SSH_COMMAND"
	for want, req := range map[string]Request{
		`http http http policy localhost,127.0.0.1,::1 1 ssh -o 'ProxyCommand=bash -c "$PILLION_TUNNEL" tunnel %h %p'`:       {Command: show},
		`http http http policy localhost,127.0.0.1,::1 request ssh -o 'ProxyCommand=bash -c "$PILLION_TUNNEL" tunnel %h %p'`: {Command: show, Env: map[string]*string{"NODE_USE_ENV_PROXY": &mine}},
		"policy":  {Command: show, Sandbox: SandboxRequest{Network: sandbox.NetworkDeny}},
		"policy ": {Command: show + ` ""`, Sandbox: SandboxRequest{Mode: sandbox.Off}},
	} {
		res, _ := u.must(req)
		if out := strings.Join(strings.Fields(string(res.Output[Stdout].Inline)), " "); out != strings.TrimSpace(want) {
			t.Errorf("got %s, want %s", out, want)
		}
	}
}
