package executor

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The client that commands of these tests call as curl is this test binary: what is
// tried is the proxy, not curl, which a machine may lack (egress tries the real one). It
// has the few options that the tests use.

const clientName = "curl"

// client puts the client on the commands' PATH.
func client(t testing.TB, c *Config) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(exe, filepath.Join(dir, clientName)); err != nil {
		t.Fatal(err)
	}
	c.Policy.Readable = append(c.Policy.Readable, dir, exe)
	if c.OwnEnv == nil {
		c.OwnEnv = map[string]string{}
	}
	c.OwnEnv["PATH"] = dir + ":" + os.Getenv("PATH")
}

// clientMain is the client's side.
func clientMain() (code int, ok bool) {
	if filepath.Base(os.Args[0]) != clientName {
		return 0, false
	}
	if err := get(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "curl:", err)
		return 1, true
	}
	return 0, true
}

type getter struct {
	proxy          string // "" is that of the environment
	direct         bool
	tunnel, follow bool
	url            string
}

// get is curl [-s] [-S] [-p] [-L] [-x PROXY] [--noproxy LIST] [-K FILE] [URL], or
// curl raw HEX.
func get(args []string) error {
	if len(args) == 2 && args[0] == "raw" {
		return raw(args[1])
	}
	var g getter
	for ; len(args) > 0; args = args[1:] {
		value := func() string { args = args[1:]; return args[0] }
		switch a := args[0]; {
		case a == "-x" || a == "--proxy":
			g.proxy = value()
		case a == "--noproxy":
			g.direct = value() == "*"
		case a == "-K":
			b, err := os.ReadFile(value())
			if err != nil {
				return err
			}
			g.url = strings.TrimSpace(strings.TrimPrefix(string(b), "url = "))
		case strings.HasPrefix(a, "-"):
			g.tunnel = g.tunnel || strings.Contains(a, "p")
			g.follow = g.follow || strings.Contains(a, "L")
		default:
			g.url = a
		}
	}
	return g.print()
}

func (g getter) print() error {
	c := http.Client{Timeout: 20 * time.Second}
	c.Transport = &http.Transport{Proxy: g.through, DialContext: g.dial(), TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	if !g.follow {
		c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	res, err := c.Get(g.url)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, err = io.Copy(os.Stdout, res.Body)
	return err
}

// through is the proxy for a request; none where the connection itself is a tunnel.
func (g getter) through(r *http.Request) (*url.URL, error) {
	if g.direct || g.tunnel {
		return nil, nil
	}
	if p := g.proxyFor(r.URL.Scheme); p != "" {
		return url.Parse(p)
	}
	return nil, nil
}

func (g getter) proxyFor(scheme string) string {
	return cmp.Or(g.proxy, os.Getenv(strings.ToUpper(scheme)+"_PROXY"), os.Getenv("ALL_PROXY"))
}

// dial connects, with -p by a CONNECT for plain HTTP as well.
func (g getter) dial() func(ctx context.Context, network, address string) (net.Conn, error) {
	if !g.tunnel {
		return nil
	}
	return func(ctx context.Context, _, address string) (net.Conn, error) {
		at, err := url.Parse(g.proxyFor("http"))
		if err != nil {
			return nil, err
		}
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", at.Host)
		if err != nil {
			return nil, err
		}
		r := http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: http.Header{}}
		if at.User != nil {
			secret, _ := at.User.Password()
			basic := http.Request{Header: http.Header{}}
			basic.SetBasicAuth(at.User.Username(), secret)
			r.Header.Set("Proxy-Authorization", basic.Header.Get("Authorization"))
		}
		if err := r.Write(conn); err != nil {
			return nil, err
		}
		res, err := http.ReadResponse(bufio.NewReader(conn), &r)
		if err != nil {
			return nil, err
		}
		if res.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("CONNECT: %s", res.Status)
		}
		return conn, nil
	}
}

// raw says something to the proxy byte by byte, as a program would that plays tricks.
func raw(said string) error {
	b, err := hex.DecodeString(said)
	if err != nil {
		return err
	}
	conn, err := net.DialTimeout("tcp", "127.0.0.1:880", 5*time.Second)
	if err != nil {
		return err
	}
	if _, err := conn.Write(b); err != nil {
		return err
	}
	answer := make([]byte, 400)
	n, err := io.ReadAtLeast(conn, answer, 1)
	if err == nil && answer[0] == 5 && n < 12 { // SOCKS answers in two parts
		var more int
		more, _ = conn.Read(answer[n:])
		n += more
	}
	fmt.Printf("%q", answer[:n])
	return nil
}
