package egress

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/test/needs"
)

// run runs a real client and answers what it printed.
func run(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0"}, env...)
	cmd.WaitDelay = time.Second
	out, _ := cmd.CombinedOutput()
	return string(out)
}

func TestCurlGoesWhereItMay(t *testing.T) {
	needs.Program(t, "curl")
	w := newWorld(t, allowing("ok.org"))
	w.name("ok.org", public)
	page := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(rw, "%s %s %d", r.Host, r.URL, len(body))
	})
	plain, tls := httptest.NewServer(page), httptest.NewTLSServer(page)
	t.Cleanup(plain.Close)
	t.Cleanup(tls.Close)
	w.host(public+":80", plain.Listener.Addr().String())
	w.host(public+":443", tls.Listener.Addr().String())
	upload := filepath.Join(t.TempDir(), "upload")
	if err := os.WriteFile(upload, make([]byte, 3<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	http, socks := "http://token:x@"+w.at, "socks5h://token:x@"+w.at
	const status = "|%{http_code} %{http_connect}\n"
	for what, c := range map[string]struct {
		args string
		want string
	}{
		"http":                     {"-x " + http + " http://ok.org/a?b=c", "ok.org /a?b=c 0|200 000\n"},
		"http, a big upload":       {"-x " + http + " -T " + upload + " http://ok.org/u", "ok.org /u 3145728|200 000\n"},
		"http, chunked upload":     {"-x " + http + " -H Transfer-Encoding:chunked -T " + upload + " http://ok.org/u", "ok.org /u 3145728|200 000\n"},
		"http, a tunnel":           {"-p -x " + http + " http://ok.org/a", "ok.org /a 0|200 200\n"},
		"https":                    {"-k -x " + http + " https://ok.org/a", "ok.org /a 0|200 200\n"},
		"https, HTTP/1.0 to proxy": {"-k --proxy1.0 " + w.at + " https://ok.org/a", "ok.org /a 0|200 200\n"},
		"socks5h":                  {"-x " + socks + " http://ok.org/a", "ok.org /a 0|200 000\n"},
		"socks5h, https":           {"-k -x " + socks + " https://ok.org/a", "ok.org /a 0|200 000\n"},
		"http, refused":            {"-x " + http + " http://evil.com/", "pillion: evil.com:80 is refused: it is not in the list of allowed hosts; to allow it, add evil.com:80 to the allowed hosts\n|403 000\n"},
		"https, refused":           {"-k -x " + http + " https://evil.com/", "curl: (56) CONNECT tunnel failed, response 403\n|000 403\n"},
		"socks5h, refused":         {"-x " + socks + " http://evil.com/", "curl: (97) Can't complete SOCKS5 connection to evil.com. (2)\n|000 000\n"},
		"octal address":            {"-x " + http + " http://0177.0.0.1/", "pillion: 127.0.0.1:80 is refused: it leads to 127.0.0.1, a loopback address; to allow it, add 127.0.0.1:80 to the allowed hosts\n|403 000\n"},
		"two at once":              {"-x " + http + " http://ok.org/1 http://ok.org/2", "ok.org /1 0|200 000\nok.org /2 0|200 000\n"},
	} {
		args := append([]string{"-sS", "-q", "--noproxy", "", "--max-time", "20", "-w", status}, strings.Fields(c.args)...)
		if got := run(t, nil, "curl", args...); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", what, got, c.want)
		}
	}
	for _, r := range w.refusals {
		if r.Peer.Token != "token" && r.Rule != Malformed {
			t.Errorf("%+v", r)
		}
	}
}

func TestGitGoesWhereItMay(t *testing.T) {
	dir := t.TempDir()
	run(t, nil, "git", "init", "-q", dir+"/src")
	run(t, nil, "git", "-C", dir+"/src", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "hello", "--allow-empty")
	run(t, nil, "git", "clone", "-q", "--bare", dir+"/src", dir+"/served.git")
	run(t, nil, "git", "-C", dir+"/served.git", "update-server-info")
	files := http.FileServer(http.Dir(dir))
	plain, tls := httptest.NewServer(files), httptest.NewTLSServer(files)
	t.Cleanup(plain.Close)
	t.Cleanup(tls.Close)
	w := newWorld(t, allowing("git.ok.org"))
	w.name("git.ok.org", public)
	w.host(public+":80", plain.Listener.Addr().String())
	w.host(public+":443", tls.Listener.Addr().String())
	for i, scheme := range []string{"http", "https"} {
		to := fmt.Sprint(dir, "/clone", i)
		// Without the last, git shows who it is only if the proxy insists.
		env := []string{"http_proxy=http://token:x@" + w.at, "https_proxy=http://token:x@" + w.at, "GIT_SSL_NO_VERIFY=1", "GIT_HTTP_PROXY_AUTHMETHOD=basic"}
		out := run(t, env, "git", "clone", scheme+"://git.ok.org/served.git", to)
		if log := run(t, nil, "git", "-C", to, "log", "--format=%s"); log != "hello\n" {
			t.Errorf("%s: %s%s", scheme, out, log)
		}
		out = run(t, env, "git", "clone", scheme+"://evil.com/served.git", to+"x")
		if r := w.took()[0]; !strings.Contains(out, "403") || r.Host != "evil.com" || r.Peer.Token != "token" {
			t.Errorf("%s: %s%+v", scheme, out, r)
		}
	}
}
