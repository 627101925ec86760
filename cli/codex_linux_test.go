package cli_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// codexServer is a real server in a workspace, spoken to as Codex 0.169.0 does.
type codexServer struct {
	t    *testing.T
	dir  string
	in   interface{ WriteString(string) (int, error) }
	out  *bufio.Scanner
	id   int
	seen string // all that came
}

func newCodexServer(t *testing.T) *codexServer {
	t.Helper()
	s := &codexServer{t: t, dir: t.TempDir()}
	if err := os.MkdirAll(filepath.Join(s.dir, ".git", "hooks"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(filepath.Join(bin, "pillion"), "codex-server")
	c.Dir, c.Env = s.dir, append(os.Environ(), "HOME="+t.TempDir())
	in, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdin, c.Stderr, s.in = in, os.Stderr, w
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewScanner(out)
	s.out.Buffer(nil, 1<<20)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.Close()
		for s.out.Scan() {
		}
		if err := c.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
		_ = in.Close()
	})
	return s
}

// ask sends a request and returns its answer, and what was notified before it.
func (s *codexServer) ask(method, params string) string {
	s.t.Helper()
	s.id++
	fmt.Fprintf(writer{s: s}, `{"id":%d,"method":%q,"params":%s}`+"\n", s.id, method, strings.ReplaceAll(params, "DIR", "file://"+s.dir))
	return s.next(fmt.Sprintf(`{"id":%d,`, s.id))
}

type writer struct{ s *codexServer }

func (w writer) Write(p []byte) (int, error) { return w.s.in.WriteString(string(p)) }

// until waits for what may have come already, before the answer to what was asked.
func (s *codexServer) until(want string) string {
	s.t.Helper()
	if strings.Contains(s.seen, want) {
		return s.seen
	}
	return s.next(want)
}

func (s *codexServer) next(want string) string {
	s.t.Helper()
	all := ""
	for s.out.Scan() {
		all += s.out.Text() + "\n"
		s.seen += s.out.Text() + "\n"
		if strings.Contains(s.out.Text(), want) {
			return all
		}
	}
	s.t.Fatalf("no %s came: %s", want, all)
	return ""
}

func TestCodexRunsAndWritesInTheSandbox(t *testing.T) {
	s := newCodexServer(t)
	start := func(id, command string) string {
		return s.ask("process/start", fmt.Sprintf(`{"processId":%q,"metadata":{"toolCallId":"c0"},"argv":["/bin/sh","-c",%q],"cwd":"DIR","env":{"TERM":"dumb","CODEX_CI":"1"},"tty":false,"pipeStdin":false,"arg0":null,"sandbox":{"permissions":{"type":"managed","file_system":{"type":"restricted","entries":[{"path":{},"access":"write"}]}},"workspaceRoots":["DIR"]}}`, id, command))
	}
	s.ask("initialize", `{"clientName":"codex-environment","resumeSessionId":null}`)
	if a := start("p1", "echo hi; echo made > made; exit 3"); !strings.Contains(a, `"processId":"p1"`) {
		t.Fatal(a)
	}
	if a := s.until(`"process/closed"`); !strings.Contains(a, `"exitCode":3`) {
		t.Error(a)
	}
	hi := base64.StdEncoding.EncodeToString([]byte("hi\n"))
	if a := s.ask("process/read", `{"processId":"p1","afterSeq":null,"maxBytes":null,"waitMs":0}`); !strings.Contains(a, hi) || !strings.Contains(a, `"closed":true`) {
		t.Error(a)
	}
	if a := start("p2", "rm -rf ~"); !strings.Contains(a, "fs/delete") || !strings.Contains(a, "Only the user") || !strings.Contains(a, `"error"`) {
		t.Error(a)
	}
	for name, refused := range map[string]bool{"new.txt": false, ".git/hooks/post-commit": true} {
		a := s.ask("fs/writeFile", `{"path":"DIR/`+name+`","dataBase64":"aGVsbG8=","sandbox":null}`)
		if refused != strings.Contains(a, `"error"`) {
			t.Errorf("%s: %s", name, a)
		}
		b, err := os.ReadFile(filepath.Join(s.dir, name))
		if refused == (err == nil) || !refused && string(b) != "hello" {
			t.Errorf("%s has %q: %v", name, b, err)
		}
	}
	if a := s.ask("fs/remove", `{"path":"DIR/new.txt","recursive":false,"force":false,"sandbox":null}`); strings.Contains(a, `"error"`) {
		t.Error(a)
	}
}

// What Codex calls read-only is read-only.
func TestCodexTightens(t *testing.T) {
	s := newCodexServer(t)
	s.ask("process/start", `{"processId":"p","argv":["/bin/sh","-c","echo x > made"],"cwd":"DIR","env":{},"tty":false,"sandbox":{"permissions":{"type":"managed","file_system":{"type":"restricted","entries":[{"access":"read"}]}},"workspaceRoots":["DIR"]}}`)
	s.until(`"process/closed"`)
	if _, err := os.Stat(filepath.Join(s.dir, "made")); err == nil {
		t.Error("a read-only command has written")
	}
}

// A process that runs is stopped by Codex, and input reaches one that asks for it.
func TestCodexTalksToProcesses(t *testing.T) {
	s := newCodexServer(t)
	s.ask("process/start", `{"processId":"p","argv":["/bin/sh","-c","read x; echo got $x; sleep 1000"],"cwd":"DIR","env":{},"tty":false,"pipeStdin":true}`)
	if a := s.ask("process/write", `{"processId":"p","chunk":"`+base64.StdEncoding.EncodeToString([]byte("hi\n"))+`","writeId":"w"}`); !strings.Contains(a, "accepted") {
		t.Error(a)
	}
	s.until(base64.StdEncoding.EncodeToString([]byte("got hi\n")))
	if a := s.ask("process/terminate", `{"processId":"p"}`); !strings.Contains(a, `"running":true`) {
		t.Error(a)
	}
	s.until(`"process/closed"`)
}
