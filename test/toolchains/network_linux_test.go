package toolchains

import (
	"archive/zip"
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// listen is a port of the host that is not on 127.0.0.1, which tools take for the
// sandbox's own.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// web serves a directory of the host.
func (u *user) web(dir string, secure bool) (server *httptest.Server, address string) {
	u.t.Helper()
	s := httptest.NewUnstartedServer(http.FileServer(http.Dir(dir)))
	_ = s.Listener.Close()
	s.Listener = listen(u.t)
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	u.t.Cleanup(s.Close)
	return s, s.Listener.Addr().String()
}

// What the address book lists is reached by ordinary tools without settings of
// their own.
func TestNetworkOfAnAddressBook(t *testing.T) {
	long.Test(t)
	everyUser(t, func(u *user) {
		site := filepath.Join(u.home, "site")
		u.write(filepath.Join(site, "hello"), "hello from the host\n")
		plain, address := u.web(site, false)
		secure, secureAddress := u.web(site, true)
		source := filepath.Join(u.home, "source")
		u.write(filepath.Join(source, "file"), "cloned\n")
		u.repository(source)
		u.outside(u.home, "git", "clone", "-q", "--bare", source, filepath.Join(site, "repo.git"))
		u.outside(filepath.Join(site, "repo.git"), "git", "update-server-info")
		fetch := func(url string) string { return "curl -sSf --connect-timeout 5 " + url }
		u.do(u.project("c"), []job{
			{name: "curl http", script: fetch(plain.URL + "/hello"), says: "hello from the host", own: true, needs: "curl"},
			{name: "curl https", script: fetch("-k " + secure.URL + "/hello"), says: "hello from the host", own: true, needs: "curl"},
			{name: "curl socks5h", script: fetch("-k --proxy socks5h://127.0.0.1:880 " + secure.URL + "/hello"), says: "hello from the host", own: true, needs: "curl"},
			{name: "python urllib", script: "python3 -c 'import urllib.request; print(urllib.request.urlopen(\"" + plain.URL + "/hello\").read())'", says: "hello from the host", own: true, needs: "python3"},
			{name: "git clone", script: "git clone -q " + plain.URL + "/repo.git clone && cat clone/file", says: "cloned", own: true},
			{name: "unlisted", script: "! " + fetch("https://unlisted.example/") + " 2>&1", says: "403", own: true, needs: "curl"},
			{name: "not past the proxy", script: "! " + fetch("--noproxy '*' "+plain.URL+"/hello"), own: true, needs: "curl"},
		}, "--host", address, "--host", secureAddress)
	})
}

// git over ssh comes out at the host that it names. Nothing more of ssh is tested:
// what answers here says hello and hangs up.
func TestNetworkOfGitOverSSH(t *testing.T) {
	long.Test(t)
	needs.Program(t, "ssh")
	everyUser(t, func(u *user) {
		l := listen(t)
		defer l.Close()
		said := make(chan string, 1)
		go func() { // ends with l
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			_, _ = conn.Write([]byte("SSH-2.0-test\r\n"))
			b := make([]byte, 64)
			_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
			n, _ := conn.Read(b)
			said <- string(b[:n])
		}()
		out, _ := u.inside(u.project("c"), "git ls-remote ssh://git@"+l.Addr().String()+"/repo.git", "--host", l.Addr().String())
		if !u.namespaced() {
			return // network "proxy" is refused, which other tests show
		}
		select {
		case hello := <-said:
			if !strings.HasPrefix(hello, "SSH-2.0-") {
				t.Errorf("the host was told %q", hello)
			}
		case <-time.After(time.Minute):
			t.Errorf("nobody came: %s", out)
		}
		out, _ = u.inside(u.project("npm-dep"), "git ls-remote ssh://git@unlisted.example/repo.git", "--host", l.Addr().String())
		if !strings.Contains(out, "connecting to unlisted.example:22 was refused: 403") {
			t.Errorf("%s", out)
		}
	})
}

// Package managers with registries of the host.
func TestNetworkOfPipAndCargo(t *testing.T) {
	long.Test(t)
	needs.Program(t, "cargo", "gcc", "pip3")
	everyUser(t, func(u *user) {
		crate := u.crateProject()
		registry := filepath.Join(u.home, "registry")
		s, address := u.web(registry, false)
		u.write(filepath.Join(registry, "index/config.json"), `{"dl":"`+s.URL+`/dl/{crate}-{version}.crate"}`)
		index := filepath.Join(registry, "index")
		u.outside(index, "git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qam", "by way of the web")
		u.outside(index, "git", "update-server-info")
		u.write(filepath.Join(crate, ".cargo/config.toml"), "[net]\ngit-fetch-with-cli = true # what serves it is not smart\n[registries.mine]\nindex = \""+s.URL+"/index/.git\"\n")
		u.write(filepath.Join(registry, "simple/dep/dep-1.0-py3-none-any.whl"), wheel(t))
		u.write(filepath.Join(registry, "simple/dep/index.html"), `<a href="dep-1.0-py3-none-any.whl">dep-1.0-py3-none-any.whl</a>`)
		jobs := []job{
			{name: "cargo", script: "rm Cargo.lock && cargo run -q", says: "sum 3", own: true},
			{name: "pip", script: "python3 -m pip install -q --target lib --index-url " + s.URL + "/simple/ --trusted-host 127.0.0.2 dep && PYTHONPATH=lib python3 -c 'import dep; print(dep.name)'", says: "the dep", own: true},
		}
		u.do(crate, jobs, "--host", address)
	})
}

// wheel is a package of Python with one module.
func wheel(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"dep.py":                     "name = 'the dep'\n",
		"dep-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: dep\nVersion: 1.0\n",
		"dep-1.0.dist-info/WHEEL":    "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		"dep-1.0.dist-info/RECORD":   "dep.py,,\ndep-1.0.dist-info/METADATA,,\ndep-1.0.dist-info/WHEEL,,\ndep-1.0.dist-info/RECORD,,\n",
	} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What this machine's npm and go are set to, whatever that is.
func TestNetworkOfNpmAndGo(t *testing.T) {
	long.Test(t)
	needs.Full(t)
	needs.Program(t, "npm")
	registry := asked(t, "npm", "config", "get", "registry")
	proxies := asked(t, "go", "env", "GOPROXY")
	module := asked(t, "go", "list", "-m", "-f", "{{.Path}}@{{.Version}}", "github.com/google/go-cmp")
	everyUser(t, func(u *user) {
		site := filepath.Join(u.home, "site")
		u.write(filepath.Join(site, "hello"), "hello from the host\n")
		web, address := u.web(site, false)
		fetch := `fetch("` + web.URL + `/hello").then(r => r.text()).then(console.log)`
		u.do(u.project("npm-dep"), []job{
			{name: "npm install", script: "npm install --no-audit --no-fund --no-save is-number@7.0.0 && node -p 'require(\"is-number\")(3)'", says: "true", own: true},
			{name: "fetch of Node 24", script: "npm install --no-audit --no-fund --no-save node@24 && node_modules/.bin/node -e '" + fetch + "'", says: "hello from the host", own: true},
		}, append(hosts(t, registry), "--host", address, "--env", "npm_config_registry="+registry)...)
		first, _, _ := strings.Cut(strings.ReplaceAll(proxies, "|", ","), ",")
		u.do(u.project("c"), []job{
			{name: "go mod download", script: "mkdir m && cd m && go mod init example.org/m && go mod download -json " + module, says: `"Zip"`, own: true},
		}, append(hosts(t, first), "--env", "GOPROXY="+first)...)
	})
}

func asked(t *testing.T, argv ...string) string {
	t.Helper()
	out, err := exec.Command(argv[0], argv[1:]...).Output()
	if err != nil {
		t.Fatalf("%q: %v", argv, err)
	}
	return strings.TrimSpace(string(out))
}

// hosts are the flags that allow a server: its name, and where that leads, for it
// may be a server of the user's own network.
func hosts(t *testing.T, address string) (flags []string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	at, err := net.LookupHost(u.Hostname())
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range append(at, u.Hostname()) {
		flags = append(flags, "--host", net.JoinHostPort(h, port))
	}
	return flags
}

// The user's agent, and no other socket of the host.
func TestNetworkOfTheUsersAgent(t *testing.T) {
	long.Test(t)
	needs.Program(t, "ssh-agent")
	everyUser(t, func(u *user) {
		socket, other := filepath.Join(u.home, "agent.sock"), filepath.Join(u.home, "other.sock")
		for _, at := range []string{socket, other} {
			agent := exec.Command("ssh-agent", "-D", "-a", at)
			if os.Geteuid() != u.uid { // an agent serves its own user only
				agent.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(u.uid), Gid: uint32(u.uid)}}
			}
			if err := agent.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = agent.Process.Kill(); _ = agent.Wait() })
		}
		deadline := time.Now().Add(time.Minute)
		for _, at := range []string{socket, other} {
			for !isSocket(at) && time.Now().Before(deadline) {
				time.Sleep(10 * time.Millisecond)
			}
		}
		u.write(filepath.Join(u.home, ".config/pillion/policy.toml"), "[sandbox]\nnetwork = \"proxy\"\n[network]\nsockets = [\"$SSH_AUTH_SOCK\"]\n")
		dir := u.project("c")
		for _, c := range []struct {
			script, says string
			reached      bool
		}{
			{"ssh-add -l", "no identities", true},
			{"SSH_AUTH_SOCK=" + other + " ssh-add -l", "rror connecting to agent", true},
			{"ls -A ~", "agent.sock", true},
			{"ls -A ~", "other.sock", false},
		} {
			argv := []string{bin, "exec", "--quiet", "--", c.script}
			out, _ := u.run(dir, []string{"SSH_AUTH_SOCK=" + socket}, argv...)
			if u.namespaced() && strings.Contains(out, c.says) != c.reached {
				t.Errorf("%s: %s", c.script, out)
			}
		}
		if out, _ := u.run(dir, []string{"SSH_AUTH_SOCK=" + socket}, bin, "exec", "--quiet", "--network", "deny", "--", "ssh-add -l; ls -A ~"); strings.Contains(out, "identities") || strings.Contains(out, "agent.sock") {
			t.Errorf("with no network: %s", out)
		}
	})
}

func isSocket(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Type() == os.ModeSocket
}
