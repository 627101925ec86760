package toolchains

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	account "os/user"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// as starts a program of the user's that ends with the test.
func (u *user) as(cmd *exec.Cmd) *exec.Cmd {
	u.t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if os.Geteuid() != u.uid { // an agent serves its own user only
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(u.uid), Gid: uint32(u.uid)}
	}
	if err := cmd.Start(); err != nil {
		u.t.Fatal(err)
	}
	return cmd
}

// agent is one of the user's that has this key, and no file has it.
func (u *user) agent(key string) (socket string) {
	u.t.Helper()
	socket = filepath.Join(u.home, "agent.sock")
	agent := u.as(exec.Command("ssh-agent", "-D", "-a", socket))
	u.t.Cleanup(func() { _ = agent.Process.Kill(); _ = agent.Wait() })
	for end := time.Now().Add(time.Minute); !isSocket(socket) && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	u.outside(u.home, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ann", "-f", key)
	if out, code := u.run(u.home, []string{"SSH_AUTH_SOCK=" + socket}, "ssh-add", "-q", key); code != 0 {
		u.t.Fatal(out)
	}
	if err := os.Remove(key); err != nil {
		u.t.Fatal(err)
	}
	return socket
}

// sshd is a real server for each connection, which takes this key. Its host key is in the
// user's known_hosts.
func (u *user) sshd(key string) (address string) {
	u.t.Helper()
	path := needs.SSHD(u.t)
	in, err := net.Listen("tcp", "127.0.0.2:0") // 127.0.0.1 is the sandbox's own
	if err != nil {
		u.t.Fatal(err)
	}
	dir, address := filepath.Join(u.home, "sshd"+fmt.Sprint(in.Addr().(*net.TCPAddr).Port)), in.Addr().String()
	host := filepath.Join(dir, "host")
	u.write(filepath.Join(dir, "conf"), fmt.Sprintf("HostKey %s\nAuthorizedKeysFile %s.pub\nStrictModes no\nUsePAM no\nPidFile none\nLogLevel ERROR\nPermitRootLogin yes\n", host, key))
	u.outside(u.home, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", host)
	public, err := os.ReadFile(host + ".pub")
	if err != nil {
		u.t.Fatal(err)
	}
	name, port, _ := net.SplitHostPort(address)
	known := filepath.Join(u.home, ".ssh/known_hosts")
	old, _ := os.ReadFile(known)
	u.write(known, string(old)+fmt.Sprintf("[%s]:%s %s", name, port, public))
	var served sync.WaitGroup
	served.Go(func() {
		for {
			c, err := in.Accept()
			if err != nil {
				return
			}
			end, err := c.(*net.TCPConn).File()
			_ = c.Close()
			if err != nil {
				continue
			}
			cmd := exec.Command(path, "-i", "-f", filepath.Join(dir, "conf"))
			cmd.Stdin, cmd.Stdout = end, end
			served.Go(func() { defer end.Close(); _ = cmd.Run() })
		}
	})
	u.t.Cleanup(func() { _ = in.Close(); served.Wait() })
	return address
}

// Commits are signed, and pushed to a granted host, with a key that no command has.
func TestGitWithTheUsersKeys(t *testing.T) {
	long.Test(t)
	needs.Program(t, "ssh-agent", "ssh-add", "ssh-keygen", "ssh")
	everyUser(t, func(u *user) {
		if !u.namespaced() {
			return // it is refused: see executor and sandbox/policy
		}
		key := filepath.Join(u.home, ".ssh/id")
		u.write(filepath.Join(u.home, ".ssh/known_hosts"), "")
		socket := u.agent(key)
		public, err := os.ReadFile(key + ".pub")
		if err != nil {
			t.Fatal(err)
		}
		u.write(filepath.Join(u.home, "signers"), "ann@example.org "+string(public))
		u.write(filepath.Join(u.home, ".gitconfig"), "[user]\n\tname = Ann Example\n\temail = ann@example.org\n\tsigningKey = ~/.ssh/id.pub\n[gpg]\n\tformat = ssh\n[gpg \"ssh\"]\n\tallowedSignersFile = ~/signers\n\tprogram = ssh-keygen\n[commit]\n\tgpgSign = true\n")
		dir := u.project("c")
		u.repository(dir)
		inside := func(script string) (string, int) {
			u.t.Helper()
			return u.run(dir, []string{"SSH_AUTH_SOCK=" + socket}, bin, "exec", "--quiet", "--timeout", "8m", "--", script)
		}
		policy := filepath.Join(u.home, ".config/pillion/policy.toml")
		u.write(policy, "[ssh]\nkeys = [\"~/.ssh/id.pub\"]\n")
		commit := "date >>new && git add new && git commit -qm two"
		if out, code := inside(commit + " -S"); code == 0 {
			t.Errorf("without sign: %s", out)
		}
		if out, code := inside(commit + " && git log -1 --format=%G?"); code != 0 || out != "N\n" {
			t.Errorf("without -S it is as before: %s", out)
		}
		u.write(policy, "[ssh]\nkeys = [\"~/.ssh/id.pub\"]\nsign = true\n")
		if out, code := inside(commit + " && git tag -s v1 -m v1"); code != 0 {
			t.Errorf("it is not signed: %s", out)
		}
		u.outside(dir, "git", "verify-commit", "HEAD")
		u.outside(dir, "git", "verify-tag", "v1")
		// Hooks and settings are sealed as ever, and another program gets nothing to sign.
		if out, code := inside("git config gpg.ssh.program /bin/evil || echo x >.git/hooks/pre-commit"); code == 0 {
			t.Errorf("git's settings were changed: %s", out)
		}
		if os.Geteuid() == u.uid {
			u.pushes(dir, policy, key, inside)
		}
	})
}

// pushes goes to a granted host, and not to another one that the network lets it reach.
func (u *user) pushes(dir, policy, key string, inside func(string) (string, int)) {
	granted, strange := u.sshd(key), u.sshd(key)
	u.outside(u.home, "git", "init", "-q", "--bare", filepath.Join(u.home, "there"))
	u.write(policy, fmt.Sprintf("[network]\nallow = [%q, %q]\n[ssh]\nkeys = [\"~/.ssh/id.pub\"]\nhosts = [%q]\n", granted, strange, granted))
	me, err := account.Current()
	if err != nil {
		u.t.Fatal(err)
	}
	// ssh asks the system where a home is, not HOME.
	u.write(filepath.Join(dir, "git.sh"), "GIT_SSH_COMMAND=\"$GIT_SSH_COMMAND -o BatchMode=yes -o UserKnownHostsFile=$HOME/.ssh/known_hosts\" exec git \"$@\"\n")
	to := func(host string) string { return fmt.Sprintf("ssh://%s@%s%s/there", me.Username, host, u.home) }
	if out, code := inside("sh git.sh push -q " + to(granted) + " HEAD:refs/heads/main && sh git.sh fetch -q " + to(granted) + " main"); code != 0 {
		u.t.Errorf("no push: %s", out)
	}
	head := u.outside(dir, "git", "rev-parse", "HEAD")
	if got := u.outside(filepath.Join(u.home, "there"), "git", "rev-parse", "main"); got != head {
		u.t.Errorf("%s was pushed, not %s", got, head)
	}
	// An ssh that does not care whom it speaks to.
	u.write(filepath.Join(dir, "evil.sh"), "GIT_SSH_COMMAND=\"$GIT_SSH_COMMAND -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null\" exec git \"$@\"\n")
	evil := "sh evil.sh push -q " + to(strange) + " HEAD:refs/heads/evil"
	out, code := u.run(dir, []string{"SSH_AUTH_SOCK=" + filepath.Join(u.home, "agent.sock")}, bin, "exec", "--timeout", "8m", "--", evil)
	if code == 0 || !strings.Contains(out, "is not granted") {
		u.t.Errorf("pushed to another host: %s", out)
	}
	u.write(policy, fmt.Sprintf("[network]\nallow = [%q]\nsockets = [\"$SSH_AUTH_SOCK\"]\n", strange))
	if out, code := inside(evil); code != 0 {
		u.t.Errorf("it does not bite: %s", out)
	}
}
