package executor

import (
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/egress"
)

// names are what a name server says, look-up by look-up; the last answer stays.
type names map[string]func() string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	answer, ok := n[strings.TrimSuffix(host, ".")]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return []netip.Addr{netip.MustParseAddr(answer())}, nil
}

func always(address string) func() string { return func() string { return address } }

// rawly says something to the proxy byte by byte, as a program would that plays
// tricks. It is a program: of a shell the guard would not let that pass.
func rawly(said string) string {
	return "curl raw " + hex.EncodeToString([]byte(said))
}

// The ways around a list of names that others' proxies fell for, tried from inside
// of a sandbox. What must not be reached is a server of this machine.
func TestTricksFromInsideDoNotPassTheProxy(t *testing.T) {
	var reached atomic.Int32
	inner := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { reached.Add(1); fmt.Fprint(w, "secret") }))
	_ = inner.Listener.Close()
	var port string
	known := names{
		"meta.test": always("169.254.169.254"), "inside.test": always("10.0.0.1"), "mapped.test": always("::ffff:127.0.0.3"),
		"nat64.test": always("64:ff9b::7f00:3"), "allowed.test": always("127.0.0.2"), "evil.test": always("127.0.0.3"),
	}
	turns := 0
	known["rebind.test"] = func() string {
		if turns++; turns == 1 {
			return "127.0.0.2"
		}
		return "127.0.0.3"
	}
	u := newUpstream(t, func(c *Config) {
		_, port, _ = net.SplitHostPort(c.Hosts.Allow[0])
		c.Names = known
		for name := range known {
			if name != "evil.test" {
				c.Hosts.Allow = append(c.Hosts.Allow, name+":*")
			}
		}
	})
	var err error
	if inner.Listener, err = net.Listen("tcp", "127.0.0.3:"+port); err != nil {
		t.Fatal(err)
	}
	inner.Start()
	t.Cleanup(inner.Close)

	// In files: the guard refuses them on a command line.
	for file, url := range map[string]string{"by-number": "http://169.254.169.254/", "by-mapped": "http://[::ffff:169.254.169.254]/"} {
		if err := os.WriteFile(u.ws+"/"+file, []byte("url = "+url+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if res, _ := u.must(sh("curl -sS http://allowed.test:" + port + "/x")); string(res.Output[Stdout].Inline) != "hello /x\n" {
		t.Fatalf("what is listed: %s%s", res.Output[Stdout].Inline, res.Output[Stderr].Inline)
	}
	for what, row := range map[string]struct{ script, rule string }{
		"a name that changes its address":         {"for i in 1 2 3; do curl -sS http://rebind.test:" + port + "/; curl -sSp http://rebind.test:" + port + "/; done", egress.Address},
		"metadata by name":                        {"curl -sS http://meta.test/latest/", egress.Address},
		"metadata by number":                      {"curl -sS -K by-number", egress.Address},
		"metadata by IPv4-mapped IPv6":            {"curl -sS -K by-mapped", egress.Address},
		"metadata by SOCKS":                       {"curl -sS --proxy socks5h://127.0.0.1:880 http://meta.test/", egress.Address},
		"a redirect to metadata":                  {"curl -sSL http://allowed.test:" + port + "/redirect?http://169.254.169.254/", egress.Address},
		"a redirect to a host that is not listed": {"curl -sSL http://allowed.test:" + port + "/redirect?http://evil.test:" + port + "/", egress.NotListed},
		"a private address by name":               {"curl -sS http://inside.test/", egress.Address},
		"loopback by IPv4-mapped IPv6":            {"curl -sS http://mapped.test:" + port + "/", egress.Address},
		"loopback by NAT64":                       {"curl -sS http://nat64.test:" + port + "/", egress.Address},
		"loopback by number":                      {"curl -sS --noproxy none http://127.0.0.3:" + port + "/", egress.Address},
		"NUL in a name":                           {rawly("CONNECT evil.test\x00.allowed.test:" + port + " HTTP/1.1\r\n\r\n"), egress.Malformed},
		"NUL in a name by SOCKS":                  {rawly("\x05\x01\x00\x05\x01\x00\x03\x17evil.test\x00.allowed.test\x00\x50"), egress.Malformed},
		"a line break in a name":                  {rawly("CONNECT evil.test\n.allowed.test:" + port + " HTTP/1.1\r\n\r\n"), egress.Malformed},
		"a zone":                                  {rawly("CONNECT [fe80::1%25lo]:80 HTTP/1.1\r\n\r\n"), egress.Malformed},
		"a user name before the host":             {rawly("CONNECT allowed.test@evil.test:" + port + " HTTP/1.1\r\n\r\n"), egress.Malformed},
		"a dot at the end":                        {rawly("CONNECT evil.test.:" + port + " HTTP/1.1\r\n\r\n"), egress.Malformed},
		"a number in another spelling":            {rawly("CONNECT 0x7f.0.0.3:" + port + " HTTP/1.1\r\n\r\n"), egress.Malformed},
		"a number without dots":                   {rawly("CONNECT 2130706435:" + port + " HTTP/1.1\r\n\r\n"), egress.Malformed},
		"letters of another script":               {rawly("CONNECT \xd0\xb0llowed.test:" + port + " HTTP/1.1\r\n\r\n"), egress.Malformed},
		"a Host header that says another":         {rawly("GET http://allowed.test:" + port + "/ HTTP/1.1\r\nHost: evil.test:" + port + "\r\n\r\n"), egress.Malformed},
	} {
		res, _ := u.must(sh(row.script))
		seen := connects(res.Violations)
		if out := string(res.Output[Stdout].Inline); len(seen) == 0 || !strings.Contains(strings.Join(seen, ", "), " "+row.rule+" ") || strings.Contains(out, "secret") {
			t.Errorf("%s: %q, want %s\n%s%s", what, seen, row.rule, out, res.Output[Stderr].Inline)
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("the server inside was reached %d times", n)
	}
}
