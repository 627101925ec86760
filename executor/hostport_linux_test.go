package executor

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/egress"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// greeting listens on the host's loopback and answers each line with it, until the test
// ends.
func greeting(t *testing.T, network, at string) (port int) {
	t.Helper()
	return accepting(t, network, at, func(c net.Conn) {
		_, _ = io.WriteString(c, "hello ")
		_, _ = io.Copy(c, c)
	})
}

// accepting serves one connection after the other, until the test ends.
func accepting(t *testing.T, network, at string, serve func(net.Conn)) (port int) {
	t.Helper()
	l, err := net.Listen(network, at)
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serve(c)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-over })
	return l.Addr().(*net.TCPAddr).Port
}

// plainClient is a plain client of TCP, which knows no proxy.
const plainClient = `import socket, sys
c = socket.create_connection((sys.argv[1], int(sys.argv[2])))
c.sendall(("to " + sys.argv[2]).encode())
c.shutdown(socket.SHUT_WR)
while said := c.recv(100):
	sys.stdout.write(said.decode())
`

// say has it say something, and tells what it heard.
func (r *rig) say(host string, port int, network sandbox.Network) (*Result, string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.ws, "client.py"), []byte(plainClient), 0o644); err != nil {
		r.t.Fatal(err)
	}
	req := sh("python3 client.py " + host + " " + strconv.Itoa(port))
	req.Sandbox.Network = network
	res, _ := r.must(req)
	return res, string(res.Output[Stdout].Inline)
}

func TestAPortOfTheHostIsReachedByGrantAndNoOther(t *testing.T) {
	needs.Namespaces(t)
	needs.Program(t, "python3")
	var ports []int
	for range 5 {
		ports = append(ports, greeting(t, "tcp4", "127.0.0.1:0"))
	}
	given := ports[0]
	r := newRig(t, func(c *Config) {
		alone(t, c)
		c.Policy.Network, c.Policy.HostPorts = sandbox.NetworkProxy, []int{given}
	})
	want := fmt.Sprintf("hello to %d", given)
	for range 2 {
		if res, out := r.say(sandbox.HostName, given, ""); out != want || res.Violated > 0 {
			t.Errorf("%q, %+v", out, res.Violations)
		}
	}
	if res, _ := r.must(sh("grep -q localhost /etc/hosts")); *res.ExitCode != 0 {
		t.Error("the host's own names are gone")
	}
	for _, port := range ports[1:] {
		grant := sandbox.HostPortGrant(port)
		for _, host := range []string{sandbox.HostName, "127.0.80.1", "::ffff:127.0.80.1"} {
			res, out := r.say(host, port, "")
			if strings.Contains(out, "hello") || res.Violated != 1 || res.Violations[0].Grant != grant || res.Violations[0].Rule != "port" {
				t.Errorf("%s %d: %q, %+v", host, port, out, res.Violations)
			}
		}
	}
	for _, host := range []string{"127.0.0.1", "::1", "localhost", "127.0.80.2"} {
		for _, port := range ports {
			if _, out := r.say(host, port, ""); strings.Contains(out, "hello") {
				t.Errorf("%s %d: %q", host, port, out)
			}
		}
	}
	if _, out := r.say(sandbox.HostName, given, sandbox.NetworkDeny); out != "" {
		t.Errorf("network deny reaches it: %q", out)
	}
}

// No server listens in its place, and the proxy is not a way round.
func TestAPortOfTheHostIsNobodyElses(t *testing.T) {
	needs.Namespaces(t)
	needs.Program(t, "python3")
	needs.Program(t, "curl")
	given, other := greeting(t, "tcp6", "[::1]:0"), greeting(t, "tcp4", "127.0.0.1:0")
	r := newRig(t, func(c *Config) {
		alone(t, c)
		c.Policy.Network, c.Policy.HostPorts = sandbox.NetworkProxy, []int{given}
		c.Hosts = egress.Rules{Allow: []string{"proxy.example"}}
	})
	if _, out := r.say(sandbox.HostName, given, ""); out != fmt.Sprintf("hello to %d", given) {
		t.Errorf("a server of ::1: %q", out)
	}
	for _, at := range []string{sandbox.HostName, "0.0.0.0"} {
		res, _ := r.must(sh(fmt.Sprintf("python3 -c 'import socket; socket.create_server((\"%s\", %d), reuse_port=True)'", at, given)))
		if !strings.Contains(string(res.Output[Stderr].Inline), "in use") {
			t.Errorf("%s: %s", at, res.Output[Stderr].Inline)
		}
	}
	res, _ := r.must(sh(fmt.Sprintf("curl -sS --noproxy '' http://%s:%d/", sandbox.HostName, other)))
	if got := connects(res.Violations); len(got) != 1 || res.Violations[0].Grant != sandbox.HostPortGrant(other) {
		t.Errorf("%+v", res.Violations)
	}
}

// A name that means nothing says which line of the policy would give it a meaning.
func TestAHostWithoutAGrantIsNamed(t *testing.T) {
	needs.Namespaces(t)
	r := newRig(t, nil)
	res, _ := r.must(sh("echo 'psql: error: could not translate host name \"host.pillion\" to address: Name or service not known' >&2; exit 2"))
	if len(res.Violations) != 1 || res.Violations[0].Grant != "policy.network.ports" || res.Violations[0].Path != sandbox.HostName {
		t.Errorf("%+v", res.Violations)
	}
}

func TestAPortOfTheHostIsRefusedByNameWithoutNamespaces(t *testing.T) {
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Network: sandbox.NetworkDeny, HostPorts: []int{5432}}
	m := p.Unserved(sandbox.RungNoUserns)
	if len(m) != 1 || m[0].Feature != "ports" || m[0].Hint == "" {
		t.Errorf("%+v", m)
	}
	p.Require = sandbox.RequireBestEffort
	if m := p.Unserved(sandbox.RungNoUserns); len(m) > 0 {
		t.Errorf("best effort: %+v", m)
	}
	var no *sandbox.UnavailableError
	r := newRig(t, func(c *Config) { c.Policy.HostPorts = []int{0}; c.Policy.Network = sandbox.NetworkProxy })
	if _, _, err := r.run(sh("true")); !errors.As(err, &no) {
		t.Errorf("a port that is none: %v", err)
	}
}

// What a grant lets a command reach of this machine, the guard takes for this machine.
func TestTheGuardKnowsTheHostByItsName(t *testing.T) {
	if !place.LocalHost(sandbox.HostName) {
		t.Errorf("%s is another machine", sandbox.HostName)
	}
}
