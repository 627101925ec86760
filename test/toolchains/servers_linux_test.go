package toolchains

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// stack is a server as people start it: who listens is a child of what was started. Its page
// begins with the work tree's name, which it reads for each request.
type stack struct {
	name, start string
	port        int
	needs       []string
	files       map[string]string
}

var stacks = []stack{
	{
		// Next.js starts a worker, which listens, and tells its parent when it is ready.
		name: "node", start: "npm run --silent dev", port: 3000, needs: []string{"node", "npm"},
		files: map[string]string{
			"package.json": `{"name": "site", "version": "1.0.0", "private": true, "scripts": {"dev": "node dev.js"}}`,
			"dev.js": `const worker = require("child_process").fork(require.resolve("./worker.js"));
worker.on("message", (m) => console.log(m));
worker.on("exit", (code) => process.exit(code));
`,
			"worker.js": `require("http").createServer(async (req, res) => {
  res.setHeader("content-type", "text/html");
  res.write(require("fs").readFileSync("tree", "utf8")); // and the rest when it is there
  setImmediate(() => res.end("<p>" + req.url));
}).listen(3000, () => process.send("ready"));
`,
		},
	},
	{
		name: "flask", start: "flask --app pages --debug run --port 5000", port: 5000, needs: []string{"flask"},
		files: map[string]string{"pages.py": `from flask import Flask, request
app = Flask(__name__)
@app.get("/<path:p>")
def page(p):
    return open("tree").read() + "<p>" + request.path
`},
	},
	{
		name: "go", start: "go run .", port: 8080,
		// net/http would be compiled for each user of a test: a minute.
		files: map[string]string{"go.mod": "module example.org/site\n\ngo 1.22\n", "main.go": `package main

import (
	"net"
	"os"
)

func main() {
	in, err := net.Listen("tcp", "127.0.0.1:8080") // a minimal machine has no name for it
	for err == nil {
		var c net.Conn
		if c, err = in.Accept(); err == nil {
			go serve(c)
		}
	}
	panic(err)
}

func serve(c net.Conn) {
	defer c.Close()
	head := make([]byte, 4096)
	n, _ := c.Read(head)
	path := head[len("GET "):n]
	for i, b := range path {
		if b == ' ' {
			path = path[:i]
			break
		}
	}
	text, _ := os.ReadFile("tree")
	_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + string(text) + "<p>" + string(path)))
}
`},
	},
}

// in is the user in another test.
func (u *user) in(t *testing.T) *user {
	other := *u
	other.t = t
	return &other
}

// served is a server that runs inside, with its port let out.
type served struct {
	cmd *exec.Cmd
	at  string // its address on the host
}

var letOut = regexp.MustCompile(`port \d+ of .* is at (http://127\.0\.0\.1:\d+)`)

// serve starts one in a work tree, and waits until its port is let out.
func (u *user) serve(dir string, s stack) *served {
	u.t.Helper()
	cmd := exec.Command(bin, "exec", "--no-timeout", "--forward", fmt.Sprint(s.port), "--", s.start)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + u.home, "PATH=" + u.path, "LANG=C.UTF-8", "GOFLAGS=-buildvcs=false"}
	told, err := cmd.StderrPipe()
	if err != nil {
		u.t.Fatal(err)
	}
	cmd = u.as(cmd)
	u.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	late := time.AfterFunc(8*time.Minute, func() { _ = cmd.Process.Kill() })
	var all strings.Builder
	for lines := bufio.NewScanner(told); lines.Scan(); {
		if m := letOut.FindStringSubmatch(lines.Text()); m != nil {
			late.Stop()
			go io.Copy(io.Discard, told) // until its end
			return &served{cmd, m[1]}
		}
		all.WriteString(lines.Text() + "\n")
	}
	u.t.Fatalf("%s was not let out:\n%s", s.start, &all)
	return nil
}

// end is what Ctrl-C in its terminal does.
func (s *served) end(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait()
}

// page is what a browser gets.
func (s *served) page(path string) string {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
	answer, err := client.Get(s.at + path)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return string(text)
}

// A server of each kind, in two work trees at once, is reached through its own port of the host,
// which stays the same, until its command ends, and no longer.
func TestServersAreReachedThroughForwardedPorts(t *testing.T) {
	long.Test(t)
	everyUser(t, func(u *user) {
		if !u.namespaced() {
			return // it is refused: see executor
		}
		for _, s := range stacks {
			t.Run(s.name, func(t *testing.T) {
				u := u.in(t)
				needs.Program(t, s.needs...)
				main := filepath.Join(u.work, s.name)
				for name, text := range s.files {
					u.write(filepath.Join(main, name), text)
				}
				u.write(filepath.Join(main, "tree"), "main")
				u.repository(main)
				beside := filepath.Join(u.work, s.name+"-beside")
				u.outside(main, "git", "worktree", "add", "-q", beside)
				u.write(filepath.Join(beside, "tree"), "beside")

				if s.name == "go" {
					u.compiled()
					u.outside(main, "go", "build", "-o", os.DevNull, ".")
				}

				first, second := u.serve(main, s), u.serve(beside, s)
				if first.at == second.at {
					t.Errorf("both are at %s", first.at)
				}
				for want, s := range map[string]*served{"main<p>/a": first, "beside<p>/a": second} {
					if got := s.page("/a"); got != want {
						t.Errorf("%s has %q, want %q", s.at, got, want)
					}
				}
				first.end(t)
				if got := first.page("/a"); got != "" {
					t.Errorf("after its end: %q", got)
				}
				u.write(filepath.Join(beside, "tree"), "changed")
				if got := second.page("/b"); got != "changed<p>/b" {
					t.Errorf("the other one has %q", got)
				}
				if again := u.serve(main, s); again.at != first.at || again.page("/c") != "main<p>/c" {
					t.Errorf("again at %s, not at %s", again.at, first.at)
				}
			})
		}
	})
}

// A database of the host is reached by the port that is granted, and nothing else of its loopback.
func TestThePostgresOfTheHostIsReachedByItsPortAlone(t *testing.T) {
	long.Test(t)
	needs.Program(t, "psql", "python3")
	everyUser(t, func(u *user) {
		if !u.namespaced() {
			return
		}
		port := u.postgres()
		dir := u.project("c")
		ask := fmt.Sprintf("psql -X -At -h host.pillion -p %d -U ann -d postgres -c \"create table if not exists t (x int); insert into t values (6 * 7); select x from t limit 1\"", port)
		if out, code := u.inside(dir, ask, "--host-port", fmt.Sprint(port)); code != 0 || !strings.Contains(out, "42") {
			t.Errorf("%d %s", code, out)
		}
		if out, code := u.inside(dir, ask); code == 0 {
			t.Errorf("without the grant: %s", out)
		}
		// All of its ports by name, and by the other addresses those at which the host has somebody.
		u.write(filepath.Join(dir, "scan.py"), `import socket, sys
def open(host, ports):
    for port in ports:
        with socket.socket() as s:
            if s.connect_ex((host, port)) == 0 and s.getsockname() != s.getpeername(): yield f"{host}:{port}"
heard = [int(p) for p in sys.argv[1:]]
print(*open("host.pillion", range(1, 65536)), *open("127.0.0.1", heard), *open("127.0.80.1", heard))
`)
		heard := listening(t)
		if !slices.Contains(heard, fmt.Sprint(port)) {
			t.Fatalf("the database is not at %d: %v", port, heard)
		}
		out, code := u.inside(dir, "python3 scan.py "+strings.Join(heard, " "), "--host-port", fmt.Sprint(port))
		want := fmt.Sprintf("host.pillion:%d 127.0.80.1:%d", port, port)
		if first, _, _ := strings.Cut(out, "\n"); code != 0 || first != want {
			t.Errorf("open are %q, want %q", first, want)
		}
	})
}

// listening are the ports at which somebody listens on this machine.
func listening(t *testing.T) (ports []string) {
	t.Helper()
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) < 4 || f[3] != "0A" {
				continue
			}
			port, err := strconv.ParseUint(f[1][strings.LastIndexByte(f[1], ':')+1:], 16, 16)
			if err != nil {
				t.Fatal(err)
			}
			if port != 880 { // inside it is the proxy's
				ports = append(ports, fmt.Sprint(port))
			}
		}
	}
	return ports
}

// postgres is a real one on the host's loopback, of a user that is not root.
func (u *user) postgres() (port int) {
	u.t.Helper()
	programs := needs.Postgres(u.t)
	dir, err := os.MkdirTemp("/var/tmp", "pg-") // a socket's path is short
	if err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l := listen(u.t)
	_, digits, _ := strings.Cut(l.Addr().String(), ":")
	_, _ = fmt.Sscan(digits, &port)
	_ = l.Close()
	own := *u
	if own.uid == 0 {
		own.uid = nobody
	}
	if err := os.Chown(dir, own.uid, own.uid); err != nil {
		u.t.Fatal(err)
	}
	own.outside(dir, filepath.Join(programs, "initdb"), "-D", filepath.Join(dir, "data"), "-U", "ann", "-A", "trust", "--no-sync")
	server := exec.Command(filepath.Join(programs, "postgres"), "-D", filepath.Join(dir, "data"), "-p", digits, "-h", "127.0.0.1", "-k", dir, "-F")
	server.Dir = dir
	own.as(server)
	u.t.Cleanup(func() { _ = server.Process.Signal(syscall.SIGINT); _ = server.Wait() }) // fast shutdown
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, code := u.run("/", nil, "psql", "-X", "-h", "127.0.0.1", "-p", digits, "-U", "ann", "-d", "postgres", "-c", "select 1"); code == 0 {
			return port
		}
		if time.Now().After(end) {
			u.t.Fatal("the database does not come up")
		}
	}
}
