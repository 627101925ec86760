package executor

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/egress"
	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// secret is the password that the user's own git has for the forge.
const secret = "tok-5cret-of-ann"

// forge is an HTTPS server with git's own http-backend and an API, both for ann alone, and
// a rig of commands whose user has her password in a credential helper.
type forge struct {
	*rig
	*diary
	host  string // its name and port
	dir   string // of its repositories
	away  string // another server, with this one's certificate
	trust string // that certificate, in the workspace

	mu   sync.Mutex
	seen []string // what was asked with the password, of which server
}

// oneServer leads every name to the servers of a test.
type oneServer struct{}

func (oneServer) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.2")}, nil
}

func (f *forge) serve(t *testing.T, h http.HandlerFunc) (port string, cert *x509.Certificate) {
	t.Helper()
	srv := httptest.NewUnstartedServer(h)
	_ = srv.Listener.Close()
	var err error
	if srv.Listener, err = net.Listen("tcp", "127.0.0.2:0"); err != nil {
		t.Fatal(err)
	}
	srv.StartTLS()
	t.Cleanup(srv.Close)
	_, port, _ = net.SplitHostPort(srv.Listener.Addr().String())
	return port, srv.Certificate()
}

func newForge(t *testing.T, change func(*Config, *forge)) *forge {
	t.Helper()
	needs.Namespaces(t)
	needs.Program(t, "git", "curl")
	f := &forge{diary: new(diary), dir: t.TempDir()}
	port, cert := f.serve(t, f.answer)
	f.host = "example.com:" + port // which httptest's certificate has
	port, _ = f.serve(t, func(w http.ResponseWriter, r *http.Request) { f.note("away", r) })
	f.away = "example.com:" + port
	store := filepath.Join(t.TempDir(), "store")
	settings := store + ".conf"
	for name, text := range map[string]string{
		store:    fmt.Sprintf("https://ann:%s@%s\nhttps://ann:%s@%s\n", secret, strings.Replace(f.host, ":", "%3a", 1), secret, strings.Replace(f.away, ":", "%3a", 1)),
		settings: fmt.Sprintf("[credential]\n\thelper = store --file=%s\n", store),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GIT_CONFIG_GLOBAL", settings)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	system, _ := os.ReadFile(egress.RootsFile())
	t.Setenv("SSL_CERT_FILE", filepath.Join(f.dir, "roots.pem"))
	if err := os.WriteFile(os.Getenv("SSL_CERT_FILE"), append(system, pemOf(cert)...), 0o600); err != nil {
		t.Fatal(err)
	}
	f.rig = newRig(t, func(c *Config) {
		alone(t, c)
		c.Recorder = f.diary
		c.Policy.Network, c.Names = sandbox.NetworkProxy, oneServer{}
		c.Policy.HomeFiles = []sandbox.HomeFile{{Path: ".gitconfig", Text: "[user]\n\tname = Ann\n\temail = ann@example.com\n[init]\n\tdefaultBranch = main\n"}}
		c.Hosts.Allow = []string{strings.Replace(f.host, "example.com", "127.0.0.2", 1), strings.Replace(f.away, "example.com", "127.0.0.2", 1)}
		c.Roots = x509.NewCertPool()
		c.Roots.AddCert(cert)
		if change != nil {
			change(c, f)
		}
	})
	f.trust = filepath.Join(f.ws, "server.pem")
	if err := os.WriteFile(f.trust, []byte(pemOf(cert)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "init", "-q", "--bare", "-b", "main", filepath.Join(f.dir, "r.git")).CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	if out := f.says("git init -q . && echo one >a && git add a && git commit -qm one"); out != "" {
		t.Fatal(out)
	}
	return f
}

func pemOf(c *x509.Certificate) string {
	return "-----BEGIN CERTIFICATE-----\n" + base64.StdEncoding.EncodeToString(c.Raw) + "\n-----END CERTIFICATE-----\n"
}

func (f *forge) note(server string, r *http.Request) bool {
	user, password, _ := r.BasicAuth()
	if user != "ann" || password != secret {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = append(f.seen, server+" "+r.Method+" "+r.RequestURI)
	return true
}

// asked is what was asked with the password since the last time.
func (f *forge) asked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.seen
	f.seen = nil
	return out
}

func (f *forge) answer(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Set-Cookie", "session=of-ann")
	switch {
	case strings.HasPrefix(r.URL.Path, "/public.git/"):
		r.URL.Path = strings.Replace(r.URL.Path, "public", "r", 1)
		f.backend(w, r)
	case !f.note("forge", r):
		w.Header().Set("WWW-Authenticate", `Basic realm="forge"`)
		http.Error(w, "who are you?", http.StatusUnauthorized)
	case strings.HasPrefix(r.URL.Path, "/away.git"):
		http.Redirect(w, r, "https://"+f.away+r.URL.RequestURI(), http.StatusFound)
	case strings.HasPrefix(r.URL.Path, "/old.git"):
		http.Redirect(w, r, "https://"+f.host+strings.Replace(r.URL.RequestURI(), "old", "r", 1), http.StatusMovedPermanently)
	case !strings.HasPrefix(r.URL.Path, "/r.git/"):
		fmt.Fprintln(w, "keys of ann")
	default:
		f.backend(w, r)
	}
}

func (f *forge) backend(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // CGI has no chunks
	r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	git, _ := exec.LookPath("git")
	(&cgi.Handler{Path: git, Args: []string{"http-backend"}, Env: []string{"GIT_PROJECT_ROOT=" + f.dir, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=ann", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}}).ServeHTTP(w, r)
}

// file is a request to run a script that the guard doesn't look into.
func (f *forge) file(script string) Request {
	f.rig.t.Helper()
	if err := os.WriteFile(filepath.Join(f.ws, "script"), []byte(script), 0o644); err != nil {
		f.rig.t.Fatal(err)
	}
	return sh("sh script")
}

func (f *forge) says(script string) string {
	f.rig.t.Helper()
	res, _ := f.must(f.file(script))
	return string(res.Output[Stdout].Inline) + string(res.Output[Stderr].Inline)
}

func lending(c *Config, f *forge) { c.Policy.Logins = []string{f.host} }

// lendings are the ways to the grant. Where somebody is asked, first is what asks for it.
var lendings = map[string]struct {
	lend  func(*Config, *forge)
	first string
}{
	"granted": {lending, ""},
	"asked": {func(c *Config, _ *forge) {
		c.Approver = &person{answers: []func(context.Context, Question) Answer{choose(Accept)}}
	}, "git ls-remote -q https://$HOST/r.git >/dev/null || echo not lent; "},
}

// Without a grant the push fails, and says with which one it does not. With it, git pushes and
// fetches, and each request is recorded.
func TestGitIsLoggedInByOneGrant(t *testing.T) {
	f := newForge(t, func(c *Config, f *forge) {
		c.Hosts.Allow = append(c.Hosts.Allow, f.host)
	})
	push := "git push -q https://" + f.host + "/r.git main"
	res, _ := f.must(f.file("GIT_SSL_CAINFO=" + f.trust + " " + push))
	want := fmt.Sprintf("policy.network.credentials %q", f.host)
	if *res.ExitCode == 0 || len(res.Violations) != 1 || res.Violations[0].Grant != want || len(f.asked()) > 0 {
		t.Fatalf("%s %+v", res.Output[Stderr].Inline, res.Violations)
	}
	given := func(script string) Request {
		r := f.file(script)
		r.Sandbox.Given = []Access{{Kind: GrantCredentials, Value: f.host}}
		return r
	}
	res, _ = f.must(given(push + " && git fetch -q https://" + f.host + "/old.git main && git rev-parse FETCH_HEAD HEAD"))
	if out := strings.Fields(string(res.Output[Stdout].Inline)); len(out) != 2 || out[0] != out[1] || res.Violated > 0 {
		t.Errorf("%s %+v", res.Output[Stderr].Inline, res.Violations)
	}
	f.diary.mu.Lock()
	lines := strings.Join(f.lines, "\n")
	f.diary.mu.Unlock()
	if !strings.Contains(lines, "login "+f.host+" r.git true ann") || !strings.Contains(lines, "login "+f.host+" old.git false ann") || strings.Contains(lines, secret) {
		t.Error(lines)
	}
	// More than git sends at once, and so much to say of what it has that it is packed.
	big := "head -c 3000000 /dev/urandom >big && git add big && git commit -qm big && git push -q https://" + f.host + "/r.git main && git clone -q https://" + f.host + "/r.git c && cmp big c/big && " +
		"cd c && for i in $(seq 60); do printf 'commit refs/heads/own\\ncommitter a <a@b> 20000000%02d +0000\\ndata 1\\nx\\nM 644 inline f\\ndata 3\\n%03d\\n' $i $i; done | git fast-import --quiet && " +
		"cd .. && git commit -qm more --allow-empty && git push -q https://" + f.host + "/r.git main && cd c && GIT_CURL_VERBOSE=1 git fetch origin 2>&1 | grep -i 'content-encoding: gzip' && git rev-parse origin/main"
	if res, _ := f.must(given(big)); *res.ExitCode != 0 {
		t.Errorf("%s", res.Output[Stderr].Inline)
	}
	denied := f.file(push)
	denied.Sandbox.Network = sandbox.NetworkDeny
	if res, _ := f.must(denied); *res.ExitCode == 0 {
		t.Error("pushed without a network")
	}
}

// What a command can do with the grant is fetch and push. Every attack works with a token that
// is handed over, in a variable.
func TestTheTokenIsUsedAndNeverHad(t *testing.T) {
	long.Test(t)
	for how, way := range lendings {
		t.Run(how, func(t *testing.T) { usedAndNeverHad(t, way.lend, way.first) })
	}
}

func usedAndNeverHad(t *testing.T, lend func(*Config, *forge), first string) {
	plain := newForge(t, func(c *Config, f *forge) { c.Hosts.Allow = append(c.Hosts.Allow, f.host, f.away) })
	lent := newForge(t, lend)
	const has = `curl -sS -u ann:$TOKEN --cacert server.pem `
	lends := strings.ReplaceAll(first, "$HOST", lent.host) + `proxy=$GIT_CONFIG_VALUE_0; curl -sS --proxy-basic -x $proxy --cacert $GIT_CONFIG_VALUE_1 `
	json := ` -H 'Content-Type: application/json' -d '{"title":"a key"}' `
	for name, attack := range map[string]struct{ script, bites string }{
		"the API":            {"https://$HOST/api/v4/user", "keys of ann"},
		"by dots":            {"--path-as-is 'https://$HOST/x/../api/v4/info/refs?service=git-upload-pack'", "keys of ann"},
		"by a coded slash":   {"'https://$HOST/api%2fv4/info/refs?service=git-upload-pack'", "keys of ann"},
		"an answer of HTML":  {"'https://$HOST/api/v4/info/refs?service=git-upload-pack'", "keys of ann"},
		"more of a query":    {"'https://$HOST/api/info/refs?service=git-upload-pack&page=1'", "keys of ann"},
		"JSON":               {json + "https://$HOST/api/git-receive-pack", "keys of ann"},
		"JSON, named git's":  {json + "-H 'Content-Type: application/x-git-receive-pack-request' https://$HOST/api/git-receive-pack", "keys of ann"},
		"another method":     {"-X DELETE https://$HOST/api/git-receive-pack", "keys of ann"},
		"a cookie":           {"-i 'https://$HOST/r.git/info/refs?service=git-upload-pack'", "session=of-ann"},
		"a redirect":         {"-L --location-trusted -o /dev/null -w went:%{num_redirects} 'https://$HOST/away.git/info/refs?service=git-upload-pack'", "went:1"},
		"another Host":       {"-H 'Host: $AWAY' 'https://$HOST/api/info/refs?service=git-upload-pack'", "keys of ann"},
		"one's own password": {"-H 'Authorization: Basic '$(printf eve:x | base64) https://$HOST/api/v4/user; echo tried", "tried"},
	} {
		t.Run(name, func(t *testing.T) {
			tried := func(f *forge, with, token string) string {
				req := f.file(with + strings.NewReplacer("$HOST", f.host, "$AWAY", f.away).Replace(attack.script))
				req.Env = map[string]*string{"TOKEN": &token}
				res, _ := f.must(req)
				return string(res.Output[Stdout].Inline) + string(res.Output[Stderr].Inline)
			}
			if out := tried(plain, has, secret); !strings.Contains(out, attack.bites) {
				t.Fatalf("it does not bite: %s", out)
			}
			if out := tried(lent, lends, ""); attack.bites != "tried" && strings.Contains(out, attack.bites) || shows(out) || strings.Contains(out, "not lent") {
				t.Error(out)
			}
			for _, s := range lent.asked() {
				if strings.HasPrefix(s, "away") || strings.Contains(s, "api/v4/user") || strings.Contains(s, "receive-pack") {
					t.Errorf("asked as ann: %s", s)
				}
			}
		})
	}
	// The requests of somebody who logs in as ann and is not the granted host: git, with
	// all its settings.
	out := lent.says(strings.ReplaceAll(first, "$HOST", lent.host) + "git -c http.sslVerify=false -c http.https://" + lent.away + ".proxy=$GIT_CONFIG_VALUE_0 ls-remote https://" + lent.away + "/r.git")
	if asked := lent.asked(); slices.ContainsFunc(asked, func(s string) bool { return strings.HasPrefix(s, "away") }) || shows(out) {
		t.Errorf("%v %s", asked, out)
	}
}

// shows says that the password is in a text, in one of its forms.
func shows(text string) bool {
	coded := base64.StdEncoding.EncodeToString([]byte("ann:" + secret))
	return strings.Contains(text, secret) || strings.Contains(text, coded)
}

// While git works, all that a command can read of itself: variables, files, the processes of its
// sandbox, and what git says of its own requests.
func TestTheTokenIsInNothingThatACommandReads(t *testing.T) {
	look := func(helper string) string {
		return `export GIT_TRACE_CURL=$PWD/trace GIT_TRACE_REDACT=0 GIT_TRACE=1
git ` + helper + ` push https://$HOST/r.git main & while kill -0 $! 2>/dev/null; do cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; done 2>/dev/null | tr '\0' '\n' | sort -u
wait; env; cat trace; printf 'protocol=https\nhost=$HOST\n\n' | GIT_TERMINAL_PROMPT=0 git ` + helper + ` credential fill
find $HOME $PWD $TMPDIR -type f ! -path '*/objects/*' -exec cat {} + 2>/dev/null`
	}
	plain := newForge(t, func(c *Config, f *forge) { c.Hosts.Allow = append(c.Hosts.Allow, f.host) })
	token := secret
	req := plain.file(strings.ReplaceAll("export GIT_SSL_CAINFO=server.pem; "+look(`-c credential.helper='!f() { echo username=ann; echo password=$TOKEN; }; f'`), "$HOST", plain.host))
	req.Env = map[string]*string{"TOKEN": &token}
	res, _ := plain.must(req)
	if out := string(res.Output[Stdout].Inline); !shows(out) {
		t.Fatalf("it does not bite: %s", out)
	}
	for how, way := range lendings {
		t.Run(how, func(t *testing.T) {
			lent := newForge(t, way.lend)
			out := lent.says(strings.ReplaceAll(look(""), "$HOST", lent.host))
			if shows(out) || !strings.Contains(out, "receive-pack") {
				t.Error(out)
			}
			if asked := lent.asked(); !slices.Contains(asked, "forge POST /r.git/git-receive-pack") {
				t.Errorf("nothing was pushed: %v", asked)
			}
		})
	}
}

// What a command has left logs in to nothing, nor is a helper run that it could have written.
func TestNoHelperOfACommandsIsAsked(t *testing.T) {
	for how, way := range lendings {
		t.Run(how, func(t *testing.T) { asksNoHelper(t, way.lend) })
	}
}

func asksNoHelper(t *testing.T, lend func(*Config, *forge)) {
	f := newForge(t, lend)
	bin := filepath.Join(f.ws, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	ran := filepath.Join(f.dir, "ran")
	for _, name := range []string{"git", "git-credential-mine"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho >"+ran+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	settings := filepath.Join(f.dir, "conf")
	if err := os.WriteFile(settings, []byte("[credential]\n\thelper = mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", settings)
	if out := f.says("git config credential.helper store; git ls-remote https://" + f.host + "/r.git"); !strings.Contains(out, "there are none") {
		t.Error(out)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a command's program was run outside")
	}
}
