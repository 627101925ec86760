package executor

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/pillion-sidecar/pillion/executor/keys"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// sshForge is an OpenSSH server with a repository, which takes the first key of the user's agent.
// It has the names git.example, which the user knows, other.example with another key of the
// host's, and new.example, which the user does not know. No policy names a host or key.
type sshForge struct {
	*rig
	*person
	dir, port, user string
	prints          []string
}

func newSSHForge(t *testing.T, change func(*Config), answers ...func(context.Context, Question) Answer) *sshForge {
	t.Helper()
	needs.Namespaces(t)
	sshd := needs.SSHD(t)
	needs.Program(t, "git", "bash")
	socket, lines := heldKeys(t)
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	f := &sshForge{person: &person{answers: answers}, dir: t.TempDir(), user: me.Username}
	for _, line := range lines {
		key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		f.prints = append(f.prints, keys.Fingerprint(key))
	}
	at := func(name string) string { return filepath.Join(f.dir, name) }
	f.write(t, "authorized_keys", lines[0])
	f.make(t, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", at("host"))
	f.make(t, "git", "init", "-q", "--bare", "-b", "main", at("r.git"))
	f.write(t, "conf", fmt.Sprintf("HostKey %s\nAuthorizedKeysFile %s\nStrictModes no\nUsePAM no\nPidFile none\nLogLevel ERROR\nPasswordAuthentication no\nPermitRootLogin yes\n", at("host"), at("authorized_keys")))
	f.port = inetd(t, sshd, "-i", "-f", at("conf"))
	public, _ := os.ReadFile(at("host.pub"))
	known := f.write(t, "known_hosts", fmt.Sprintf("[git.example]:%s %s[other.example]:%s %s", f.port, public, f.port, public))
	f.rig = newRig(t, func(c *Config) {
		alone(t, c)
		c.Approver = f.person
		c.Policy.Network, c.Names = sandbox.NetworkProxy, oneServer{}
		c.Hosts.Allow = []string{"127.0.0.2:" + f.port}
		c.Keys = keys.Config{Socket: socket, KnownHosts: []string{known}, Rules: keys.Rules{Git: f.prints[0]}}
		c.Policy.HomeFiles = []sandbox.HomeFile{{Path: ".gitconfig", Text: "[user]\n\tname = Ann\n\temail = ann@example.com\n\tsigningkey = key::" + strings.TrimSpace(lines[0]) + "\n[gpg]\n\tformat = ssh\n[init]\n\tdefaultBranch = main\n"}}
		if change != nil {
			change(c)
		}
	})
	f.must(f.file("git init -q . && echo one >a && git add a && git commit -qm one"))
	return f
}

func (f *sshForge) write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(f.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (f *sshForge) make(t *testing.T, program string, args ...string) {
	t.Helper()
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// inetd starts a program for each connection, as its standard streams.
func inetd(t *testing.T, program string, args ...string) (port string) {
	t.Helper()
	return strconv.Itoa(accepting(t, "tcp", "127.0.0.2:0", func(c net.Conn) {
		file, err := c.(*net.TCPConn).File()
		if err != nil {
			return
		}
		cmd := exec.Command(program, args...)
		cmd.Stdin, cmd.Stdout = file, file
		if cmd.Start() == nil {
			go func() { _ = cmd.Wait() }()
		}
		_ = file.Close()
	}))
}

// file is a request to run a script that the guard doesn't look into.
func (f *sshForge) file(script string) Request {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.ws, "script"), []byte(script), 0o644); err != nil {
		f.t.Fatal(err)
	}
	return sh("sh script")
}

func (f *sshForge) push(host string) string {
	return fmt.Sprintf("git push -q ssh://%s@%s:%s%s/r.git main", f.user, host, f.port, f.dir)
}

func (f *sshForge) pushed() string {
	out, _ := exec.Command("git", "-C", filepath.Join(f.dir, "r.git"), "log", "--format=%s", "main").Output()
	return strings.TrimSpace(string(out))
}

// wants is what was asked for so far.
func (f *sshForge) wants() (all []string) {
	for _, q := range f.questions() {
		all = append(all, string(q.Wants.Kind)+" "+strings.NewReplacer(f.port, "PORT", f.prints[0], "FIRST", f.prints[1], "SECOND").Replace(q.Wants.Value))
	}
	return all
}

// Who reads what ssh says gets its end with ssh's, also where the host has not yet heard of that.
func TestNothingOfATunnelOutlivesItsSSH(t *testing.T) {
	f := newSSHForge(t, nil, choose(Accept))
	res, _ := f.must(f.file(`for i in 1 2 3 4 5; do
	out=$(sh -c "$GIT_SSH_COMMAND -p ` + f.port + " " + f.user + `@git.example 'nothing there'" 2>&1 <&-)
	echo $out $?
done`))
	if out := string(res.Output[Stdout].Inline); res.Reason != Exited || strings.Count(out, "not found 127\n") != 5 {
		t.Errorf("%s %s %s", res.Reason, out, res.Output[Stderr].Inline)
	}
}

// One question, while ssh waits, is the host and the keys; the push goes on with the yes. The yes is the
// command's: until it ends, and for that host.
func TestAPushIsOneQuestion(t *testing.T) {
	f := newSSHForge(t, nil, choose(Accept))
	const one = "key git.example:PORT FIRST SECOND"
	res, _ := f.must(f.file("ssh-add -L; " + f.push("git.example") + " && git fetch -q " + strings.TrimPrefix(f.push("git.example"), "git push -q ")))
	if *res.ExitCode != 0 || len(res.Violations) > 0 || f.pushed() != "one" {
		t.Fatalf("%s %s %+v", res.Output[Stdout].Inline, res.Output[Stderr].Inline, res.Violations)
	}
	if out := string(res.Output[Stdout].Inline); strings.Contains(out, "second") {
		t.Errorf("a key was listed before: %s", out)
	}
	if got := fmt.Sprint(f.wants()); got != "["+one+"]" {
		t.Error(got)
	}
	// Another host of the same command is another question, and so is another command.
	res, _ = f.must(f.file(f.push("git.example") + "; " + f.push("other.example")))
	if got := fmt.Sprint(f.wants()); *res.ExitCode != 0 || got != fmt.Sprintf("[%s %s key other.example:PORT FIRST SECOND]", one, one) {
		t.Errorf("%s %s", got, res.Output[Stderr].Inline)
	}
}

// cargo's own git knows neither the tunnel nor the keys.
func TestCargoFetchesOverSSHByGit(t *testing.T) {
	needs.Program(t, "cargo")
	f := newSSHForge(t, nil, choose(Accept))
	crate := "printf '[package]\\nname = \"%s\"\\nversion = \"0.1.0\"\\nedition = \"2021\"\\n' "
	res, _ := f.must(f.file("set -e; mkdir src; touch src/lib.rs; " + crate + "own >Cargo.toml; git add Cargo.toml src; git commit -qm crate; " + f.push("git.example") +
		"; mkdir -p c/src; cd c; touch src/lib.rs; " + crate + "c >Cargo.toml; printf '[workspace]\\n[dependencies]\\nown = { git = \"" + strings.Fields(f.push("git.example"))[3] + "\" }\\n' >>Cargo.toml; cargo fetch -q; cat Cargo.lock"))
	if out := string(res.Output[Stdout].Inline); *res.ExitCode != 0 || !strings.Contains(out, "git+ssh://") {
		t.Errorf("%s %s", out, res.Output[Stderr].Inline)
	}
}

func TestANoPushesNothing(t *testing.T) {
	f := newSSHForge(t, nil, choose(Decline))
	res, _ := f.must(f.file(f.push("git.example") + "; " + f.push("git.example") + "; ssh-add -L"))
	if n := len(f.questions()); n != 1 || f.pushed() != "" || strings.Contains(string(res.Output[Stdout].Inline), "second") {
		t.Errorf("%d questions, %s %s", n, res.Output[Stdout].Inline, res.Output[Stderr].Inline)
	}
	// The network is the policy's, and the keys are not.
	f = newSSHForge(t, func(c *Config) { c.Hosts.Allow = append(c.Hosts.Allow, "*.example:*") }, choose(Decline))
	res, _ = f.must(f.file(f.push("git.example")))
	if got := fmt.Sprint(f.wants()); *res.ExitCode == 0 || f.pushed() != "" || got != "[key git.example:PORT FIRST SECOND]" {
		t.Errorf("%s %s", got, res.Output[Stderr].Inline)
	}
}

// A yes for the session is for exactly that, in every command; for good it is a row.
func TestAPushIsAskedAboutOnceForTheSession(t *testing.T) {
	var kept []Permanent
	f := newSSHForge(t, func(c *Config) {
		c.Remember = func(p Permanent) error { kept = append(kept, p); return nil }
	}, choose(AcceptForSession), choose(AcceptAlways), choose(Decline))
	for _, host := range []string{"git.example", "git.example", "other.example", "other.example"} {
		if res, _ := f.must(f.file(f.push(host))); *res.ExitCode != 0 {
			t.Errorf("%s: %s", host, res.Output[Stderr].Inline)
		}
	}
	if len(f.questions()) != 2 || len(kept) != 1 || kept[0].Access.Kind != GrantKey || !strings.HasPrefix(kept[0].Access.Value, "other.example:"+f.port) {
		t.Errorf("%v %+v", f.wants(), kept)
	}
	// What is kept is what is not asked about in another session.
	loan, ok := keys.ReadLoan(kept[0].Access.Value)
	if !ok {
		t.Fatal(kept)
	}
	conf := f.e.conf
	conf.Keys.Rules.Loans = []keys.Loan{loan}
	f.e = f.e.With(conf)
	f.e.Revoke("")
	if res, _ := f.must(f.file(f.push("other.example"))); *res.ExitCode != 0 || len(f.questions()) != 2 {
		t.Errorf("%v %s", f.wants(), res.Output[Stderr].Inline)
	}
}

// No yes makes a login possible where the host is not known: the question is the network's. Where the
// policy grants the keys and the host, it is that, too.
func TestKeysAreNotAskedForWhereTheyAreOfNoUse(t *testing.T) {
	f := newSSHForge(t, nil, choose(Accept))
	if res, _ := f.must(f.file(f.push("new.example"))); *res.ExitCode == 0 || fmt.Sprint(f.wants()) != "[host new.example:PORT]" {
		t.Errorf("%v %s", f.wants(), res.Output[Stderr].Inline)
	}
	f = newSSHForge(t, func(c *Config) { c.Hosts.Deny = []string{"git.example"} }, choose(Accept))
	if res, _ := f.must(f.file(f.push("git.example"))); *res.ExitCode == 0 || len(f.questions()) != 0 {
		t.Errorf("%v %s", f.wants(), res.Output[Stderr].Inline)
	}
	f = newSSHForge(t, func(c *Config) { c.Approver = nil }, choose(Accept))
	if res, _ := f.must(f.file(f.push("git.example") + "; git commit -S --allow-empty -qm signed")); *res.ExitCode == 0 || len(f.questions()) != 0 || f.pushed() != "" {
		t.Errorf("%v %s", f.wants(), res.Output[Stderr].Inline)
	}
}

// git commit -S with the key that the user's git signs with is one question. Nothing else is signed by it.
func TestASignedCommitIsOneQuestion(t *testing.T) {
	f := newSSHForge(t, nil, choose(Accept))
	res, _ := f.must(f.file("git commit -S --allow-empty -qm two && git commit -S --allow-empty -qm three && git cat-file commit HEAD && ssh-add -L >k.pub; cat k.pub; ssh-keygen -Y sign -q -f k.pub -n file <a"))
	out := string(res.Output[Stdout].Inline)
	if !strings.Contains(out, "BEGIN SSH SIGNATURE") || strings.Contains(out, "second") || fmt.Sprint(f.wants()) != "[key FIRST]" {
		t.Errorf("%v %s %s", f.wants(), out, res.Output[Stderr].Inline)
	}
	if len(res.Violations) != 1 || !strings.Contains(res.Violations[0].Rule, `the namespace "file"`) {
		t.Errorf("%+v", res.Violations)
	}
	// The yes to sign is none to log in, and the other way round.
	res, _ = f.must(f.file(f.push("git.example") + "; git commit -S --allow-empty -qm four"))
	if got := fmt.Sprint(f.wants()); *res.ExitCode != 0 || got != "[key FIRST key git.example:PORT FIRST SECOND key FIRST]" {
		t.Errorf("%v %s", got, res.Output[Stderr].Inline)
	}
	f = newSSHForge(t, nil, choose(Decline))
	res, _ = f.must(f.file("git commit -S --allow-empty -qm two; git commit -S --allow-empty -qm two; git log --format=%s"))
	if out := string(res.Output[Stdout].Inline); out != "one\n" || len(f.questions()) != 1 {
		t.Errorf("%v %s", f.wants(), out)
	}
}
