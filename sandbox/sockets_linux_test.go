package sandbox

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// hear prints what a socket's owner says.
func hear(path string) error {
	c, err := net.Dial("unix", path)
	var op *net.OpError
	if errors.As(err, &op) {
		err = errors.Unwrap(op.Err)
	}
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = io.Copy(os.Stdout, c)
	return err
}

// onSocketRungs runs a test on every rung that can show a socket of the host.
func onSocketRungs(t *testing.T, f func(t *testing.T, b *bench)) {
	t.Helper()
	onEveryRung(t, func(t *testing.T, rung string) {
		if !policy.OwnNamespaces(rung) {
			return // TestEscapes holds it to its refusal
		}
		b := newBench(t)
		exe, err := os.Executable()
		must(t, err)
		b.env = []string{"SELF=" + exe, "WS=" + b.ws}
		f(t, b)
	})
}

// says listens at a path of the host and answers everybody with a word. Directories
// that are missing are made, and go with the test.
func says(t *testing.T, path, word string) net.Listener {
	t.Helper()
	if dir := filepath.Dir(path); os.Mkdir(dir, 0o700) == nil {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
	}
	l, err := net.Listen("unix", path)
	must(t, err)
	answer(t, l, word)
	return l
}

func TestAHostSocketThatThePolicyNamesIsReachedWhereverItLies(t *testing.T) {
	onSocketRungs(t, func(t *testing.T, b *bench) {
		tmp, err := os.MkdirTemp("/tmp", "ssh-")
		must(t, err)
		defer os.RemoveAll(tmp)
		places := []string{b.out + "/agent", tmp + "/agent.123", realHome() + "/.ssh-" + mark() + "/agent", realHome() + "/agents-" + mark() + "/agent"}
		if os.Geteuid() == 0 {
			places = append(places, "/run/pillion-"+mark()+"/agent")
		}
		for _, p := range places {
			says(t, p, "it is me")
			says(t, p+"-2", "not I")
		}
		b.policy.Sockets = places
		for _, reads := range []Reads{ReadsPrivate, ReadsAll} {
			b.policy.Reads = reads
			for _, p := range places {
				if o := b.sh("$SELF hear " + p); o.out != "it is me" {
					t.Errorf("%s %s: %+v", reads, p, o)
				}
				if o := b.sh("ls -A " + filepath.Dir(p) + "; $SELF hear " + p + "-2"); reads == ReadsPrivate && (o.out != "agent\nno such file or directory\n" && o.out != "agent.123\nno such file or directory\n") {
					t.Errorf("%s beside %s: %+v", reads, p, o)
				}
			}
		}
	})
}

// Where the whole disk can be read, a connect needs no more: the sockets that would
// give the machine away are hidden as secrets are.
func TestSocketsOfContainerEnginesAreHiddenWhereTheHomeIsSeen(t *testing.T) {
	onSocketRungs(t, func(t *testing.T, b *bench) {
		engine := realHome() + "/.colima/docker.sock"
		says(t, engine, "root")
		b.policy.Reads = ReadsAll
		if o := b.sh("ls " + realHome() + " && $SELF hear " + engine); o.status.Code == 0 {
			t.Errorf("%+v", o)
		}
	})
}

// A command must not become the agent of the commands after it.
func TestNoCommandPutsASocketInThePlaceOfAGrantedOne(t *testing.T) {
	onSocketRungs(t, func(t *testing.T, b *bench) {
		dir, err := os.MkdirTemp("/tmp", "ssh-")
		must(t, err)
		defer os.RemoveAll(dir)
		says(t, dir+"/agent", "it is me")
		b.policy.Sockets = []string{dir + "/agent"}
		if o := b.sh("mv " + dir + " /tmp/other; rm -rf " + dir + "; ln -sfT /tmp/mine " + dir + "/agent; : > " + dir + "/new"); o.status.Code == 0 {
			t.Errorf("%+v", o)
		}
		if o := b.sh("ls -A " + dir + "; $SELF hear " + dir + "/agent"); o.out != "agent\nit is me" {
			t.Errorf("%+v", o)
		}
	})
}

func TestASocketThatIsReplacedLeadsNowhereElse(t *testing.T) {
	onSocketRungs(t, func(t *testing.T, b *bench) {
		agent, other := b.out+"/agent", b.out+"/other"
		b.policy.Sockets = []string{agent}
		says(t, other, "somebody else")
		for name, replace := range map[string]func(){
			"a link":  func() { must(t, os.Symlink(other, agent+".new")); must(t, os.Rename(agent+".new", agent)) },
			"another": func() { must(t, os.Rename(other, agent)); says(t, other, "somebody else") },
			"a file":  func() { must(t, os.WriteFile(agent+".new", nil, 0o666)); must(t, os.Rename(agent+".new", agent)) },
			"nothing": func() { must(t, os.Remove(agent)) },
		} {
			_ = os.Remove(agent)
			l := says(t, agent, "it is me").(*net.UnixListener)
			l.SetUnlinkOnClose(false)
			b.policy.Name = strings.ReplaceAll(name, " ", "-")
			if o := b.sh("$SELF hear " + agent); o.out != "it is me" {
				t.Errorf("%s, before: %+v", name, o)
			}
			replace()
			if o := b.sh("$SELF hear " + agent); o.out != "it is me" { // what was granted is the socket, not its name
				t.Errorf("%s: %+v", name, o)
			}
			must(t, l.Close())
			if o := b.sh("$SELF hear " + agent); o.status.Code != 1 || o.out != "connection refused\n" {
				t.Errorf("%s, and its program is gone: %+v", name, o)
			}
			if o := b.sh("$SELF hear " + other); o.status.Code != 1 {
				t.Errorf("%s: the other one: %+v", name, o)
			}
		}
	})
}

func TestWhatIsNoSocketIsNotGrantedAsOne(t *testing.T) {
	onSocketRungs(t, func(t *testing.T, b *bench) {
		says(t, b.out+"/real", "x")
		must(t, os.WriteFile(b.out+"/file", nil, 0o600))
		must(t, os.Symlink("real", b.out+"/link"))
		must(t, os.Symlink("nowhere", b.out+"/dangling"))
		must(t, os.Symlink(b.out, b.out+"/dir"))
		for path, want := range map[string]string{
			"/file": "is no UNIX socket", "": "is no UNIX socket", "/link": "name that", "/dangling": "is no UNIX socket", "/dir/real": "name that",
		} {
			b.policy.Sockets = []string{b.out + path}
			_, err := b.m.Sandbox(b.policy)
			var setup *SetupError
			if !errors.As(err, &setup) || !strings.Contains(err.Error(), b.out+path) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", path, err)
			}
		}
		b.policy.Sockets = []string{b.out + "/none"}
		if o := b.sh("echo fine"); o.out != "fine\n" {
			t.Errorf("a socket that does not exist: %+v", o)
		}
	})
}

// What it is for: the keys stay with the agent, and the command can use them.
func TestAnSSHAgentCanBeAsked(t *testing.T) {
	needs.Program(t, "ssh-agent")
	onSocketRungs(t, func(t *testing.T, b *bench) {
		dir, err := os.MkdirTemp("/tmp", "ssh-")
		must(t, err)
		defer os.RemoveAll(dir)
		agent := exec.Command("ssh-agent", "-D", "-a", dir+"/agent.1")
		must(t, agent.Start())
		defer func() { _ = agent.Process.Kill(); _ = agent.Wait() }()
		waitForFile(t, dir+"/agent.1")
		b.env = append(b.env, "SSH_AUTH_SOCK="+dir+"/agent.1")
		if o := b.sh("ssh-add -l"); o.status.Code != 2 {
			t.Errorf("without a grant: %+v", o)
		}
		b.policy.Sockets = []string{dir + "/agent.1"}
		key := `ssh-keygen -q -t ed25519 -N "" -C mine -f $HOME/key && ssh-add -q $HOME/key && ssh-add -l`
		if o := b.sh(key); o.status.Code != 0 || !strings.Contains(o.out, "mine") {
			t.Errorf("%+v", o)
		}
		if o := b.sh("ssh-add -l"); o.status.Code != 0 || !strings.Contains(o.out, "mine") {
			t.Errorf("the next command: %+v", o)
		}
	})
}
