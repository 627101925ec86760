package config

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const aKey = "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU"

func TestAWrongKeyOrHostOfSSHIsNamedWithItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		`keys = ["` + aKey + `", "~/.ssh/id_ed25519.pub"]`:     "",
		`keys = ["~/.ssh/id_ed25519"]`:                         "policy.toml:2:9: ssh.keys[0]: expected a fingerprint",
		`keys = ["id.pub"]`:                                    "policy.toml:2:9: ssh.keys[0]: expected a fingerprint",
		`keys = ["MD5:aa"]`:                                    "policy.toml:2:9: ssh.keys[0]: expected a fingerprint",
		`sign = true`:                                          "policy.toml:1:2: ssh.keys: expected the keys that are granted",
		"keys = [\"" + aKey + "\"]\nhosts = [\"*.example\"]":   "policy.toml:3:10: ssh.hosts[0]: expected a host's name",
		"keys = [\"" + aKey + "\"]\nhosts = [\"git@a.test\"]":  "policy.toml:3:10: ssh.hosts[0]: expected a host's name",
		"keys = [\"" + aKey + "\"]\nhosts = [\"a.test:2222\"]": "",
	} {
		_, err := parse(UserFile, "policy.toml", []byte("[ssh]\n"+text))
		var wrong *FileError
		if want == "" && err == nil {
			continue
		}
		if !errors.As(err, &wrong) || want == "" || !strings.HasPrefix(wrong.First(), want) {
			t.Errorf("%s: %v, want %q…", text, err, want)
		}
	}
	if _, err := parse(WorkspaceFileKind, WorkspaceFileName, []byte("[ssh]\nkeys = [\""+aKey+"\"]")); err == nil || !strings.Contains(err.Error(), "can only tighten") {
		t.Error(err)
	}
}

// Commands have no keys without a policy, and none without an agent. With both, that agent
// is not shown to them under another name.
func TestKeysAreOfTheUsersAgent(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	agent, other, link := filepath.Join(dir, "agent"), filepath.Join(dir, "other"), filepath.Join(dir, "link")
	for _, at := range []string{agent, other} {
		l, err := net.Listen("unix", at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
	}
	if err := os.Symlink(agent, link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SSH_AUTH_SOCK", link)
	c := Config{Home: "/home/dev", Sockets: []string{"$SSH_AUTH_SOCK", agent, other}}
	resolve := func(path string) string { at, _ := filepath.EvalSymlinks(path); return at }
	if paths, vars := c.HostSockets(resolve); c.Keys().Socket != "" || !slices.Equal(paths, []string{agent, other}) || len(vars) != 1 {
		t.Errorf("%+v %v %v", c.Keys(), paths, vars)
	}
	c.SSH.Keys, c.SSH.Sign = []string{"~/.ssh/id.pub", aKey}, true
	k := c.Keys()
	if k.Socket != link || !k.Rules.Sign || !slices.Equal(k.Rules.Keys, []string{filepath.FromSlash("/home/dev/.ssh/id.pub"), aKey}) ||
		!slices.Contains(k.KnownHosts, filepath.FromSlash("/home/dev/.ssh/known_hosts")) {
		t.Errorf("%+v", k)
	}
	if paths, vars := c.HostSockets(resolve); !slices.Equal(paths, []string{other}) || len(vars) != 0 {
		t.Errorf("%v %v", paths, vars)
	}
	t.Setenv("SSH_AUTH_SOCK", "")
	if got := c.Keys(); got.Socket != "" {
		t.Errorf("%+v", got)
	}
}

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"

// A key that makes git's signatures is git's in the private home, and nothing that names a
// program or a file comes with it. Without the grant signing does nothing.
func TestGitSignsWithGrantedKeysOnly(t *testing.T) {
	home := t.TempDir()
	t.Setenv("SSH_AUTH_SOCK", filepath.Join(home, "agent"))
	write := func(name, text string) string {
		at := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		return at
	}
	write(".ssh/id.pub", publicKey+" ann\n")
	write(".ssh/other.pub", strings.Replace(publicKey, "IAAB", "IAAC", 1)+" ann\n")
	settings := func(git string, lend SSHOptions) (signing []string) {
		write(".gitconfig", "[user]\n\tname = Ann\n"+git)
		env := func(string) string { return "" }
		c := Config{Home: home}
		c.Sandbox.HomeFiles = gitFiles(env, home)
		c.lend(lend)
		var text string
		for _, f := range c.homeFiles(env) {
			text += f.Text
		}
		all, err := parseGit(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			if s.key() != "user.name" {
				signing = append(signing, s.key()+"="+s.value)
			}
		}
		return signing
	}
	granted := SSHOptions{Keys: []string{"~/.ssh/id.pub"}, Sign: true}
	const gpg = "[gpg]\n\tformat = ssh\n\tprogram = /evil\n[gpg \"ssh\"]\n\tprogram = /evil\n\tdefaultKeyCommand = /evil\n\tallowedSignersFile = /x\n[commit]\n\tgpgSign = true\n"
	want := []string{"gpg.format=ssh", "user.signingkey=key::" + publicKey, "commit.gpgsign=true"}
	for _, key := range []string{"~/.ssh/id", "~/.ssh/id.pub", filepath.Join(home, ".ssh/id"), "key::" + publicKey, publicKey + " ann"} {
		if got := settings(gpg+"[user]\n\tsigningKey = \""+key+"\"\n", granted); !slices.Equal(got, want) {
			t.Errorf("%s: %q", key, got)
		}
	}
	for git, lend := range map[string]SSHOptions{
		gpg + "[user]\n\tsigningKey = ~/.ssh/id\n":                            {Keys: granted.Keys},
		gpg + "[user]\n\tsigningKey =   ~/.ssh/id\n":                          {},
		gpg + "[user]\n\tsigningKey = ~/.ssh/other\n":                         granted,
		gpg + "[user]\n\tsigningKey = ~/.ssh/gone\n":                          granted,
		gpg + "[user]\n\tsigningKey = id.pub\n":                               granted,
		gpg:                                                                   granted,
		"[commit]\n\tgpgSign = true\n[user]\n\tsigningKey = ~/.ssh/id\n":      granted,
		"[gpg]\n\tformat = x509\n[user]\n\tsigningKey = ~/.ssh/id\n":          granted,
		gpg + "[gpg]\n\tformat = openpgp\n[user]\n\tsigningKey = ~/.ssh/id\n": granted,
	} {
		if got := settings(git, lend); len(got) > 0 {
			t.Errorf("%q: %q", git, got)
		}
	}
}
