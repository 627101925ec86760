package egress

import (
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

const public = "93.184.216.34"

func TestListedHostIsReachedByItsCheckedAddress(t *testing.T) {
	w := newWorld(t, allowing("ok.org"))
	w.name("ok.org", public)
	w.host(public+":443", echo(t))
	conn, res := w.tunnel("ok.org:443")
	if res.StatusCode != 200 || !echoes(conn, "hello") {
		t.Errorf("%v", res.Status)
	}
	if got := w.dials(); !slices.Equal(got, []string{public + ":443"}) {
		t.Errorf("dialled %q", got)
	}
}

func TestHostThatIsNotListedIsRefusedAndNotLookedUp(t *testing.T) {
	w := newWorld(t, allowing("ok.org", "*.ok.org"))
	for _, host := range []string{"secret-data.evil.com:443", "ok.org.evil.com:443", "notok.org:443", "ok.org:22"} {
		_, res := w.tunnel(host)
		body, _ := io.ReadAll(res.Body)
		r := w.took()[0]
		if res.StatusCode != 403 || r.Rule != NotListed || r.Grant != host {
			t.Errorf("%s: %s %+v", host, res.Status, r)
		}
		for _, part := range []string{host + " is refused", "not in the list", "add " + host} {
			if !strings.Contains(string(body), part) {
				t.Errorf("%q doesn't say %q", body, part)
			}
		}
	}
	if got := w.lookups(); len(got) != 0 {
		t.Errorf("looked up %q", got)
	}
}

func TestDenyWins(t *testing.T) {
	w := newWorld(t, Config{Rules: Rules{Allow: []string{"*.org", "93.184.0.0/16"}, Deny: []string{"bad.org", "93.184.216.35"}}})
	w.name("sneaky.org", "93.184.216.35")
	for _, host := range []string{"bad.org:443", "BAD.org:443", "93.184.216.35:443", "sneaky.org:443"} {
		_, res := w.tunnel(host)
		if r := w.took()[0]; res.StatusCode != 403 || r.Rule != Denied || r.Grant != "" {
			t.Errorf("%s: %s %+v", host, res.Status, r)
		}
	}
	if got := w.dials(); len(got) != 0 {
		t.Errorf("dialled %q", got)
	}
}

func TestListedNameThatLeadsInsideIsRefused(t *testing.T) {
	w := newWorld(t, allowing("ok.org"))
	for answer, c := range map[string]struct{ addr, grant string }{
		"127.0.0.1":          {"127.0.0.1", "127.0.0.1:443"},
		"10.0.0.1":           {"10.0.0.1", "10.0.0.1:443"},
		"169.254.169.254":    {"169.254.169.254", "169.254.169.254:443"},
		"0.0.0.0":            {"0.0.0.0", ""},
		"::1":                {"::1", "[::1]:443"},
		"::":                 {"::", ""},
		"fd00:ec2::254":      {"fd00:ec2::254", "[fd00:ec2::254]:443"},
		"::ffff:127.0.0.1":   {"127.0.0.1", "127.0.0.1:443"}, // what it would be dialled as
		"64:ff9b::127.0.0.1": {"64:ff9b::7f00:1", "[64:ff9b::7f00:1]:443"},
		"2002:7f00:1::":      {"2002:7f00:1::", "[2002:7f00:1::]:443"},
		"255.255.255.255":    {"255.255.255.255", ""},
	} {
		w.name("ok.org", answer)
		_, res := w.tunnel("ok.org:443")
		if r := w.took()[0]; res.StatusCode != 403 || r.Rule != Address || r.Host != "ok.org" || r.Addr != c.addr || r.Grant != c.grant {
			t.Errorf("%s: %s %+v", answer, res.Status, r)
		}
	}
	if got := w.dials(); len(got) != 0 {
		t.Errorf("dialled %q", got)
	}
}

func TestListedNameAtAListedAddressIsReached(t *testing.T) {
	w := newWorld(t, allowing("npm.corp", "10.1.2.3"))
	w.name("npm.corp", "10.1.2.3")
	w.host("10.1.2.3:443", echo(t))
	if conn, res := w.tunnel("npm.corp:443"); res.StatusCode != 200 || !echoes(conn, "x") {
		t.Error(res.Status)
	}
}

// A name server may give a public address to the check and a private one to the dial:
// there is one look-up for both, and the next connection has its own.
func TestRebindingNameIsDialledWhereItWasChecked(t *testing.T) {
	w := newWorld(t, allowing("rebind.org"))
	var answers atomic.Int32
	w.leads("rebind.org", func(v6 bool) []string {
		if v6 || answers.Add(1) == 1 {
			return []string{public}
		}
		return []string{"127.0.0.1"}
	})
	w.host(public+":443", echo(t))
	if _, res := w.tunnel("rebind.org:443"); res.StatusCode != 200 || answers.Load() != 1 {
		t.Errorf("%s after %d look-ups", res.Status, answers.Load())
	}
	for range 3 {
		if _, res := w.tunnel("rebind.org:443"); res.StatusCode != 403 {
			t.Error(res.Status)
		}
	}
	if got := w.dials(); !slices.Equal(got, []string{public + ":443"}) {
		t.Errorf("dialled %q", got)
	}
}

// An empty list once meant that nothing was checked, elsewhere.
func TestEmptyListAllowsNothing(t *testing.T) {
	w := newWorld(t, Config{})
	for _, host := range []string{"ok.org:443", "localhost:80", public + ":443", "127.0.0.1:80"} {
		if _, res := w.tunnel(host); res.StatusCode != 403 {
			t.Errorf("%s: %s", host, res.Status)
		}
	}
	if len(w.dials()) != 0 || len(w.lookups()) != 0 {
		t.Errorf("%q %q", w.dials(), w.lookups())
	}
}

// A name with a good and a bad address is reached at the good one only.
func TestNameWithSeveralAddressesIsDialledAtThoseThatMayBe(t *testing.T) {
	w := newWorld(t, allowing("mixed.org"))
	w.name("mixed.org", "169.254.169.254", "93.184.216.99", "::1", public, "fd00::1")
	w.host(public+":443", echo(t))
	if conn, res := w.tunnel("mixed.org:443"); res.StatusCode != 200 || !echoes(conn, "x") {
		t.Errorf("%s", res.Status)
	}
	for _, d := range w.dials() {
		if d != public+":443" && d != "93.184.216.99:443" {
			t.Errorf("dialled %s", d)
		}
	}
}

func TestHostThatCannotBeReachedIsNoRefusal(t *testing.T) {
	w := newWorld(t, allowing("nowhere.org", "closed.org", "127.0.0.1:*"))
	l := listen(t)
	closed := l.Addr().String()
	l.Close()
	w.name("closed.org", public)
	for _, host := range []string{"nowhere.org:443", "closed.org:443", closed} {
		if _, res := w.tunnel(host); res.StatusCode != 502 {
			t.Errorf("%s: %s", host, res.Status)
		}
	}
	if len(w.refusals) != 0 {
		t.Errorf("%+v", w.refusals)
	}
}

func TestLiveGrantOpensAHost(t *testing.T) {
	w := newWorld(t, Config{})
	w.name("ok.org", public)
	w.host(public+":443", echo(t))
	if _, res := w.tunnel("ok.org:443"); res.StatusCode != 403 {
		t.Errorf("before: %s", res.Status)
	}
	if err := w.proxy.Allow(w.took()[0].Grant); err != nil {
		t.Fatal(err)
	}
	if _, res := w.tunnel("ok.org:443"); res.StatusCode != 200 {
		t.Errorf("after: %s", res.Status)
	}
	if w.proxy.Allow("ok.org/") == nil {
		t.Error("a bad pattern was granted")
	}
}
