package keys

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh/agent"

	"github.com/pillion-sidecar/pillion/test/needs"
)

// patienceOfTests is for programs on a busy machine.
const patienceOfTests = 2 * time.Minute

// scene is a user with an agent of their own that has two keys, "named" and "other".
type scene struct {
	t    *testing.T
	dir  string
	own  string // socket of the user's agent
	mu   sync.Mutex
	uses []Use
}

func newScene(t *testing.T) *scene {
	needs.Program(t, "ssh-agent", "ssh-add", "ssh-keygen", "ssh")
	dir, err := os.MkdirTemp("", "keys") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &scene{t: t, dir: dir, own: filepath.Join(dir, "own")}
	real := exec.Command("ssh-agent", "-D", "-a", s.own)
	if err := real.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = real.Process.Kill(); _ = real.Wait() })
	s.until("the agent listens", func() bool { _, err := os.Stat(s.own); return err == nil })
	for _, name := range []string{"named", "other"} {
		s.key(name)
		s.must(s.own, "ssh-add", "-q", s.at(name))
		if err := os.Remove(s.at(name)); err != nil { // or ssh-keygen would take it
			t.Fatal(err)
		}
	}
	return s
}

func (s *scene) at(name string) string { return filepath.Join(s.dir, name) }

func (s *scene) key(name string) {
	s.must("", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", s.at(name))
}

func (s *scene) write(name, text string) string {
	s.t.Helper()
	if err := os.WriteFile(s.at(name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return s.at(name)
}

func (s *scene) read(name string) string {
	s.t.Helper()
	text, err := os.ReadFile(s.at(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

func (s *scene) until(what string, yes func() bool) {
	s.t.Helper()
	for end := time.Now().Add(patienceOfTests); !yes(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatal("never: ", what)
		}
	}
}

// run starts a program that has the agent at a socket.
func (s *scene) run(socket, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patienceOfTests)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "SSH_AUTH_SOCK="+socket, "HOME="+s.dir, "SSH_ASKPASS=/bin/false", "DISPLAY=")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

func (s *scene) must(socket, program string, args ...string) string {
	s.t.Helper()
	out, err := s.run(socket, program, args...)
	if err != nil {
		s.t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
	return out
}

// lend serves an Agent that lends the key "named", and is its socket.
func (s *scene) lend(r Rules) string {
	s.t.Helper()
	if r.Keys == nil {
		r.Keys = []string{s.at("named.pub")}
	}
	at := s.at("lent")
	_ = os.Remove(at)
	in, err := net.Listen("unix", at)
	if err != nil {
		s.t.Fatal(err)
	}
	a := New(Config{Rules: r, Socket: s.own, KnownHosts: []string{s.at("known_hosts"), s.at("absent")}, Told: func(u Use) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.uses = append(s.uses, u)
		return true
	}})
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() { defer close(over); a.Serve(ctx, in) }()
	s.t.Cleanup(func() { cancel(); <-over })
	return at
}

// refused says that something was refused, and why.
func (s *scene) refused(why string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.ContainsFunc(s.uses, func(u Use) bool { return strings.Contains(u.Refused, why) }) {
		s.t.Errorf("nothing was refused because %q: %+v", why, s.uses)
	}
	s.uses = nil
}

// used is the one use there was.
func (s *scene) used() Use {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.uses) != 1 || s.uses[0].Refused != "" {
		s.t.Fatalf("%+v", s.uses)
	}
	u := s.uses[0]
	s.uses = nil
	return u
}

// client speaks to an agent without any program.
func (s *scene) client(socket string) agent.ExtendedAgent {
	s.t.Helper()
	c, err := net.Dial("unix", socket)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	return agent.NewClient(c)
}
