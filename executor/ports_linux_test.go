package executor

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/executor/forward"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// hearing is a rig that reports ports.
func hearing(t *testing.T) (*rig, <-chan Port) {
	t.Helper()
	heard := make(chan Port, 64)
	r := newRig(t, func(c *Config) {
		alone(t, c)
		c.Listens = func(p Port) { heard <- p }
		c.Limits.DefaultTimeout = 2 * time.Minute
	})
	return r, heard
}

// next is the next news of a port.
func next(t *testing.T, heard <-chan Port) Port {
	t.Helper()
	select {
	case p := <-heard:
		return p
	case <-time.After(time.Minute):
		t.Fatal("no news of a port within a minute")
		return Port{}
	}
}

const page = "echo up; echo a page of the workspace > index.html; exec python3 -m http.server "

// open fetches the page, as a browser would.
func open(port int) (string, error) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
	answer, err := client.Get(fmt.Sprintf("http://127.0.0.1:%d/", port))
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return string(text), err
}

func TestAServerIsOpenedThroughAForwardedPortUntilItEnds(t *testing.T) {
	needs.Namespaces(t)
	needs.Program(t, "python3")
	r, heard := hearing(t)
	ends := map[string]func(run *Run){
		"cancelled": func(run *Run) { run.Cancel(Cancelled, false) },
		"stopped":   func(*Run) { r.e.Stop(Shutdown, 0) }, // the sidecar's end
	}
	for _, how := range []string{"cancelled", "stopped"} {
		req := sh(page + "8765 --bind 127.0.0.1")
		req.ID, req.Output.Stream = how, true
		run, _, got := r.soon(req)
		p := next(t, heard)
		if p.ID != how || p.Number != 8765 || p.Address != "127.0.0.1" || !p.Listening || p.Process == "" {
			t.Fatalf("%+v", p)
		}
		at, err := r.e.Forward(how, 8765, 0)
		if err != nil || at < forward.FirstPort || at >= forward.FirstPort+forward.Ports {
			t.Fatalf("%d, %v", at, err)
		}
		if text, err := open(at); text != "a page of the workspace\n" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		if again, err := r.e.Forward(how, 8765, 0); again != at || err != nil {
			t.Errorf("asked again: %d, %v", again, err)
		}
		var bad *ParamError
		if _, err := r.e.Forward(how, 8766, 0); !errors.As(err, &bad) || bad.Path != "/port" {
			t.Errorf("a port on which nobody listens: %v", err)
		}
		idle, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", at)) // none of it may stay
		if err != nil {
			t.Fatal(err)
		}
		ends[how](run)
		<-got
		if p := next(t, heard); p.Number != 8765 || p.Listening {
			t.Errorf("at its end: %+v", p)
		}
		if _, err := io.Copy(io.Discard, idle); err != nil {
			t.Logf("the open connection ended with %v", err)
		}
		_ = idle.Close()
		if text, err := open(at); err == nil {
			t.Errorf("after its end: %q", text)
		}
	}
}

func TestAForwardedPortIsOfTheLoopbackOnlyAndAsWasAsked(t *testing.T) {
	needs.Namespaces(t)
	needs.Program(t, "python3")
	r, heard := hearing(t)
	req := leaving("dev", "echo left > index.html; python3 -m http.server 8080 > log 2>&1 &")
	req.ID = "server"
	r.must(req)
	p := next(t, heard) // its command is over, the server is not
	if p.ID != "server" || p.Number != 8080 || p.Address != "0.0.0.0" || !p.Listening {
		t.Fatalf("%+v", p)
	}
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host := taken.Addr().(*net.TCPAddr).Port
	var bad *ParamError
	if _, err := r.e.Forward("server", 8080, host); !errors.As(err, &bad) || bad.Path != "/hostPort" {
		t.Errorf("a host port that is taken: %v", err)
	}
	_ = taken.Close()
	at, err := r.e.Forward("server", 8080, 0)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := open(at); text != "left\n" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	others, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range others {
		ip, _, _ := net.ParseCIDR(a.String())
		if ip.IsLoopback() {
			continue
		}
		if c, err := net.DialTimeout("tcp", net.JoinHostPort(ip.String(), fmt.Sprint(at)), time.Second); err == nil {
			t.Errorf("%s reaches it, too", ip)
			_ = c.Close()
		}
	}
	if _, err := r.e.Reset("dev", true); err != nil {
		t.Fatal(err)
	}
	if p := next(t, heard); p.Number != 8080 || p.Listening {
		t.Errorf("at its end: %+v", p)
	}
	if text, err := open(at); err == nil {
		t.Errorf("after its end: %q", text)
	}
}

func TestWithoutANetworkOfItsOwnNothingIsForwarded(t *testing.T) {
	r, _ := hearing(t)
	req := sh("echo up; sleep 60")
	req.ID, req.Output.Stream = "shared", true
	r.e.conf.Grants.Network, req.Sandbox.Network = true, sandbox.NetworkAllow
	run, _, got := r.soon(req)
	<-run.up
	var none *sandbox.UnavailableError
	if _, err := r.e.Forward("shared", 8080, 0); !errors.As(err, &none) || none.Missing[0].Feature != "ports" {
		t.Errorf("%v", err)
	}
	run.Cancel(Cancelled, true)
	<-got
	var unknown *UnknownError
	if _, err := r.e.Forward("nobody", 8080, 0); !errors.As(err, &unknown) {
		t.Errorf("%v", err)
	}
}
