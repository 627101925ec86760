package executor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/executor/infer"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// askedForge is a forge where somebody is asked. No policy names its logins; listed: one names the host.
func askedForge(t *testing.T, listed bool, change func(*Config), answers ...func(context.Context, Question) Answer) (*forge, *person) {
	t.Helper()
	p := &person{answers: answers}
	f := newForge(t, func(c *Config, f *forge) {
		c.Approver = p
		if listed {
			c.Hosts.Allow = append(c.Hosts.Allow, f.host)
		}
		if change != nil {
			change(c)
		}
	})
	return f, p
}

// wanted is what was asked for so far.
func (f *forge) wanted(p *person) string {
	var all []string
	for _, q := range p.questions() {
		all = append(all, string(q.Wants.Kind)+" "+strings.Replace(q.Wants.Value, f.host, "HOST", 1))
	}
	return fmt.Sprint(all)
}

func (f *forge) push() string { return "git push -q https://" + f.host + "/r.git main" }

// One question, while git waits, is the host and the login; the push goes on with the yes. The yes is
// the command's: until it ends.
func TestAPushOverHTTPSIsOneQuestion(t *testing.T) {
	for _, listed := range []bool{true, false} {
		f, p := askedForge(t, listed, nil, choose(Accept))
		res, _ := f.must(f.file(f.push() + " && git fetch -q https://" + f.host + "/old.git main && git clone -q https://" + f.host + "/r.git c && git rev-parse FETCH_HEAD HEAD"))
		out := strings.Fields(string(res.Output[Stdout].Inline))
		if len(out) != 2 || out[0] != out[1] || len(res.Violations) > 0 || f.wanted(p) != "[credentials HOST]" {
			t.Fatalf("listed %v: %s %s %+v", listed, f.wanted(p), res.Output[Stderr].Inline, res.Violations)
		}
		if res, _ = f.must(f.file(f.push())); *res.ExitCode != 0 || f.wanted(p) != "[credentials HOST credentials HOST]" {
			t.Errorf("listed %v: %s %s", listed, f.wanted(p), res.Output[Stderr].Inline)
		}
		f.diary.mu.Lock()
		if lines := strings.Join(f.lines, "\n"); !strings.Contains(lines, "login "+f.host+" r.git true ann") || strings.Contains(lines, secret) {
			t.Error(lines)
		}
		f.diary.mu.Unlock()
	}
}

// With a no git fails as it does where nobody is asked, and the result says what would have let it.
func TestANoLogsGitInNowhere(t *testing.T) {
	f, p := askedForge(t, true, nil, choose(Decline))
	res, _ := f.must(f.file(f.push() + "; " + f.push()))
	want := infer.LoginGrant(f.host)
	if *res.ExitCode == 0 || f.wanted(p) != "[credentials HOST]" || len(f.asked()) > 0 || len(res.Violations) != 1 || res.Violations[0].Grant != want {
		t.Errorf("%s %s %+v", f.wanted(p), res.Output[Stderr].Inline, res.Violations)
	}
	if text := string(res.Output[Stderr].Inline); !strings.Contains(text, "could not read Username") {
		t.Error(text)
	}
	f, p = askedForge(t, false, nil, choose(Decline))
	res, _ = f.must(f.file(f.push() + "; " + f.push()))
	want = infer.LoginGrant(f.host)
	if *res.ExitCode == 0 || f.wanted(p) != "[credentials HOST]" || len(f.asked()) > 0 || len(res.Violations) != 1 || res.Violations[0].Grant != want {
		t.Errorf("%s %s %+v", f.wanted(p), res.Output[Stderr].Inline, res.Violations)
	}
}

// What everybody may fetch is fetched as nobody, and no question is put about it but that of the network.
func TestNoLoginIsAskedForWhereNoneIsWanted(t *testing.T) {
	for listed, want := range map[bool]string{true: "[]", false: "[host HOST]"} {
		f, p := askedForge(t, listed, nil, choose(Accept))
		if out := f.says("git ls-remote https://" + f.host + "/public.git; git clone -q https://" + f.host + "/public.git c"); f.wanted(p) != want || len(f.asked()) > 0 || strings.Contains(out, "fatal") {
			t.Errorf("%s %s", f.wanted(p), out)
		}
	}
	// Where it is wanted after all, it is asked for then.
	f, p := askedForge(t, false, nil, choose(Accept))
	f.says(f.push())
	if out := f.says("git fetch -q https://" + f.host + "/r.git main"); f.wanted(p) != "[credentials HOST host HOST credentials HOST]" || out != "" {
		t.Errorf("%s %s", f.wanted(p), out)
	}
	// A user whose git has nothing to say is not asked, nor is anybody about a host that is denied.
	f, p = askedForge(t, true, nil, choose(Accept))
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	if out := f.says(f.push()); f.wanted(p) != "[]" || !strings.Contains(out, "could not read Username") {
		t.Errorf("%s %s", f.wanted(p), out)
	}
	f, p = askedForge(t, false, func(c *Config) { c.Hosts.Deny = []string{"example.com"} }, choose(Accept))
	if out := f.says(f.push()); f.wanted(p) != "[]" || !strings.Contains(out, "403") {
		t.Errorf("%s %s", f.wanted(p), out)
	}
}

// A yes for the session is for exactly that host, in every command; for good it is a row.
func TestALoginIsAskedAboutOnceForTheSession(t *testing.T) {
	for _, choice := range []Choice{AcceptForSession, AcceptAlways} {
		var kept []Permanent
		f, p := askedForge(t, false, func(c *Config) {
			c.Remember = func(p Permanent) error { kept = append(kept, p); return nil }
		}, choose(choice), choose(Decline))
		for range 3 {
			if out := f.says(f.push()); out != "" {
				t.Error(out)
			}
		}
		if f.wanted(p) != "[credentials HOST]" {
			t.Error(f.wanted(p))
		}
		if choice == AcceptAlways && fmt.Sprint(kept) != fmt.Sprint([]Permanent{{Access: Access{Kind: GrantCredentials, Value: f.host}}}) {
			t.Error(kept)
		}
		if out := f.says("git ls-remote https://" + f.away + "/r.git"); !strings.Contains(out, "403") {
			t.Error(out)
		}
	}
}

// What a command has left running has a connection at which git was logged in. It is none when the
// command has ended, also while another one runs that was given nothing.
func TestALoginEndsWithTheCommand(t *testing.T) {
	needs.Program(t, "python3")
	f, p := askedForge(t, true, nil, choose(Accept))
	left := strings.ReplaceAll(`import base64, http.client, os, socket, ssl, urllib.parse
proxy = urllib.parse.urlsplit(os.environ["GIT_CONFIG_VALUE_0"])
s = socket.create_connection((proxy.hostname, proxy.port))
login = base64.b64encode((proxy.username + ":" + proxy.password).encode()).decode()
s.sendall(("CONNECT HOST HTTP/1.1\r\nHost: HOST\r\nProxy-Authorization: Basic %s\r\n\r\n" % login).encode())
s.recv(4096)
h = http.client.HTTPConnection("example.com")
h.sock = ssl.create_default_context(cafile=os.environ["GIT_CONFIG_VALUE_1"]).wrap_socket(s, server_hostname="example.com")
def ask():
	h.request("GET", "/r.git/info/refs?service=git-upload-pack", headers={"Host": "HOST"})
	r = h.getresponse()
	r.read()
	return r.status
print(ask(), file=open("first", "w"), flush=True)
open("go").read()
print(ask(), file=open("second", "w"), flush=True)
open("ready", "w").close()
`, "HOST", f.host)
	if err := os.WriteFile(filepath.Join(f.ws, "left.py"), []byte(left), 0o644); err != nil {
		t.Fatal(err)
	}
	req := f.file("mkfifo go ready; git ls-remote -q https://" + f.host + "/r.git; python3 left.py >log 2>&1 & until test -s first; do sleep 0.05; done")
	req.OnBackground, req.Sandbox.Name = Leave, "a"
	f.must(req)
	req = f.file("echo >go; cat ready first second")
	req.Sandbox.Name = "a"
	res, _ := f.must(req)
	out := string(res.Output[Stdout].Inline)
	if f.wanted(p) != "[credentials HOST]" || out != "200\n403\n" {
		t.Errorf("%s %s", f.wanted(p), out)
	}
}

// Git LFS is given a token by the host, so it gets no login; it says why.
func TestLFSIsNotLoggedIn(t *testing.T) {
	needs.Program(t, "git-lfs")
	f, _ := askedForge(t, true, nil, choose(Accept))
	out := f.says("git lfs install --local --skip-repo; git lfs track '*.bin' && echo x >a.bin && git add . && git commit -qm lfs; git lfs push https://" + f.host + "/r.git main")
	if !strings.Contains(out, "Git LFS would be given a token of yours") || shows(out) {
		t.Error(out)
	}
	for _, s := range f.asked() {
		if strings.Contains(s, "lfs") {
			t.Errorf("asked as ann: %s", s)
		}
	}
}
