package executor

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/executor/keys"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// lender is a rig of a user whose agent has two keys; commands have the first one.
type lender struct {
	*rig
	*diary
	keys []string // their lines
}

// heldKeys starts an agent of the user's. Its keys are in no file.
func heldKeys(t *testing.T) (socket string, lines []string) {
	t.Helper()
	needs.Program(t, "ssh-agent", "ssh-add", "ssh-keygen")
	needs.Namespaces(t)
	dir, err := os.MkdirTemp("", "keys") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket = filepath.Join(dir, "own")
	agent := exec.Command("ssh-agent", "-D", "-a", socket)
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = agent.Process.Kill(); _ = agent.Wait() })
	for _, name := range []string{"first", "second"} {
		key := filepath.Join(dir, name)
		script := fmt.Sprintf("ssh-keygen -q -t ed25519 -N '' -C %s -f %s && until test -S %s; do sleep 0.01; done && ssh-add -q %s && cat %s.pub && rm %s %s.pub", name, key, socket, key, key, key, key)
		cmd := exec.Command("sh", "-c", script)
		cmd.Env = append(os.Environ(), "SSH_AUTH_SOCK="+socket)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(out))
	}
	return socket, lines
}

func newLender(t *testing.T, rules keys.Rules, change func(*Config)) *lender {
	t.Helper()
	socket, lines := heldKeys(t)
	l := &lender{diary: new(diary), keys: lines}
	public := filepath.Join(t.TempDir(), "first.pub")
	if err := os.WriteFile(public, []byte(lines[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	rules.Keys = []string{public}
	l.rig = newRig(t, func(c *Config) {
		c.Recorder = l.diary
		c.Keys = keys.Config{Rules: rules, Socket: socket}
		if change != nil {
			change(c)
		}
	})
	return l
}

func (l *lender) says(script string) string {
	l.t.Helper()
	res, _ := l.must(sh(script))
	return string(res.Output[Stdout].Inline) + string(res.Output[Stderr].Inline)
}

// The commands' agent has the named key, also without a network, and makes what was
// granted. A refusal is reported, and a signature is recorded.
func TestCommandsHaveAnAgentOfTheirOwn(t *testing.T) {
	l := newLender(t, keys.Rules{Sign: true}, nil)
	if out := l.says("ssh-add -L"); out != l.keys[0] {
		t.Errorf("%q", out)
	}
	sign := "echo x >x; ssh-add -L >k.pub; ssh-keygen -Y sign -q -f k.pub -n %s <x"
	if out := l.says(fmt.Sprintf(sign, "git")); !strings.Contains(out, "BEGIN SSH SIGNATURE") {
		t.Error(out)
	}
	if !slices.ContainsFunc(l.lines, func(line string) bool { return strings.Contains(line, " key   sha512:") }) {
		t.Errorf("%q", l.lines)
	}
	res, _ := l.must(sh(fmt.Sprintf(sign, "file") + "; ssh-add -D"))
	if out := string(res.Output[Stdout].Inline); strings.Contains(out, "SIGNATURE") || len(res.Violations) != 2 {
		t.Errorf("%s %+v", out, res.Violations)
	}
	for i, want := range []string{`the signature is for the namespace "file", not for git`, "the agent does not give keys up"} {
		if v := res.Violations[i]; v.Op != "ssh" || v.Rule != want || v.Attribution != sandbox.AttributionReported {
			t.Errorf("%+v", v)
		}
	}
	if out := l.says("ssh-add -L"); out != l.keys[0] {
		t.Errorf("%q", out)
	}
}

// Another sandbox has an agent of its own and does not see this one; one that has none
// gets to neither. Here is also where a program in the sandbox that knows the path fails.
func TestNoOtherSandboxReachesAnAgent(t *testing.T) {
	l := newLender(t, keys.Rules{Sign: true}, func(c *Config) { c.Grants.ReadsAll, c.Grants.Network = true, true })
	at := strings.TrimSpace(l.says("echo $SSH_AUTH_SOCK"))
	if info, err := os.Stat(filepath.Dir(at)); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatal(info, err)
	}
	for _, other := range []SandboxRequest{{Name: "other"}, {Reads: sandbox.ReadsAll}, {Network: sandbox.NetworkAllow}} {
		res, _ := l.must(Request{Command: "ssh-add -L; SSH_AUTH_SOCK=" + at + " ssh-add -L", Sandbox: other})
		if out := string(res.Output[Stdout].Inline); out != l.keys[0] {
			t.Errorf("%+v: %s%s", other, out, res.Output[Stderr].Inline)
		}
	}
	conf := l.e.conf
	conf.Keys = keys.Config{}
	l.e = l.e.With(conf)
	res, _ := l.must(sh("echo $SSH_AUTH_SOCK; SSH_AUTH_SOCK=" + at + " ssh-add -L"))
	if out := string(res.Output[Stdout].Inline); out != "\n" {
		t.Errorf("%s%s", out, res.Output[Stderr].Inline)
	}
}

// The user's own agent stays out of reach.
func TestTheUsersAgentIsNotShown(t *testing.T) {
	l := newLender(t, keys.Rules{Sign: true}, nil)
	res, _ := l.must(sh("SSH_AUTH_SOCK=" + l.e.conf.Keys.Socket + " ssh-add -L"))
	if out := string(res.Output[Stdout].Inline); out != "" {
		t.Error(out)
	}
}

// A process that a command has left has no client that would learn of it.
func TestWhatACommandLeavesSignsNothing(t *testing.T) {
	l := newLender(t, keys.Rules{Sign: true}, nil)
	left := "ssh-add -L >k.pub; mkfifo go; sh -c 'read _ <go; ssh-keygen -Y sign -q -f k.pub -n git k.pub; echo $? >code' >/dev/null 2>&1 &"
	l.must(Request{Command: left, Sandbox: SandboxRequest{Name: "a"}, OnBackground: Leave})
	// No command of its sandbox runs; this one has another.
	l.must(Request{Command: "echo >go", Sandbox: SandboxRequest{Name: "b"}})
	code := filepath.Join(l.ws, "code")
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if text, err := os.ReadFile(code); err == nil && len(text) > 1 {
			if string(text) == "0\n" {
				t.Error("it has signed")
			}
			return
		}
		if time.Now().After(end) {
			t.Fatal("it has not ended")
		}
	}
}

// A public key that commands can write names none: they would choose which key is meant.
func TestFilesOfCommandsNameNoKeys(t *testing.T) {
	l := newLender(t, keys.Rules{Sign: true}, nil)
	if err := os.WriteFile(filepath.Join(l.ws, "second.pub"), []byte(l.keys[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.pub")
	if err := os.Symlink(filepath.Join(l.ws, "second.pub"), link); err != nil {
		t.Fatal(err)
	}
	conf := l.e.conf
	conf.Keys.Rules.Keys = append(conf.Keys.Rules.Keys, filepath.Join(l.ws, "second.pub"), link)
	l.e = l.e.With(conf)
	if out := l.says("ssh-add -L"); out != l.keys[0] {
		t.Error(out)
	}
}

// With sandbox.mode "off" nothing is held back, and no agent of ours would say otherwise.
func TestNoAgentWithoutASandbox(t *testing.T) {
	l := newLender(t, keys.Rules{Sign: true}, func(c *Config) { c.Grants.Off = true })
	res, _ := l.must(Request{Command: "echo $SSH_AUTH_SOCK", Sandbox: SandboxRequest{Mode: sandbox.Off}})
	if out := string(res.Output[Stdout].Inline); strings.Contains(out, "pillion-ssh-") {
		t.Error(out)
	}
}
