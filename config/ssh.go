package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/executor/keys"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// maxSSH is more than anybody grants.
const maxSSH = 64

// ssh checks the names of keys and hosts.
func (c *checker) ssh(o SSHOptions) {
	for _, m := range []struct {
		member, expected string
		said             []string
		ok               func(string) bool
	}{
		{"keys", `a fingerprint ("SHA256:…"), or the path of a public key ("~/.ssh/NAME.pub")`, o.Keys, func(k string) bool { return keys.ValidKey(inHome(k, "/home")) }},
		{"hosts", "a host's name, with :port or without", o.Hosts, keys.ValidHost},
	} {
		if len(m.said) > maxSSH {
			c.add("/ssh/"+m.member, fmt.Sprintf("at most %d", maxSSH), fmt.Sprint(len(m.said)))
			continue
		}
		for i, s := range m.said {
			if !m.ok(s) {
				c.add(fmt.Sprintf("/ssh/%s/%d", m.member, i), m.expected, quoted(s))
			}
		}
	}
	if len(o.Keys) == 0 && (len(o.Hosts) > 0 || o.Sign) {
		c.add("/ssh/keys", "the keys that are granted", "none")
	}
}

func texts(loans []keys.Loan) (out []string) {
	for _, l := range loans {
		out = append(out, l.String())
	}
	return out
}

func (c *Config) lend(o SSHOptions) {
	c.SSH.Keys = joined(c.SSH.Keys, o.Keys)
	c.SSH.Hosts = joined(c.SSH.Hosts, o.Hosts)
	c.SSH.Sign = c.SSH.Sign || o.Sign
}

// ssh is tightened by fewer keys and hosts.
func (f *comparison) ssh(base, now keys.Rules) {
	subset(f, "/policy/ssh/keys", base.Keys, now.Keys, quoted)
	subset(f, "/policy/ssh/hosts", base.Hosts, now.Hosts, quoted)
	subset(f, "/policy/grant", texts(base.Loans), texts(now.Loans), quoted)
	f.flag("/policy/ssh/sign", base.Sign, now.Sign)
}

// Keys are the ssh keys that commands may use, of the agent that this program was started
// with. Without one there are none: a policy is written for several machines.
func (c Config) Keys() keys.Config {
	socket := os.Getenv(agentVariable)
	if !c.offersKeys() || !filepath.IsAbs(socket) {
		return keys.Config{}
	}
	k := keys.Config{Rules: c.SSH, Socket: socket, KnownHosts: []string{
		below(c.Home, ".ssh/known_hosts"), below(c.Home, ".ssh/known_hosts2"), "/etc/ssh/ssh_known_hosts",
	}}
	k.Rules.Keys = nil
	for _, key := range c.SSH.Keys {
		k.Rules.Keys = append(k.Rules.Keys, inHome(key, c.Home))
	}
	if c.asks {
		_, k.Rules.Git, _ = k.Rules.SigningKey(c.signingKey(os.Getenv))
	}
	return k
}

// offersKeys says that commands have an ssh agent of ours: keys are named, or a person can be
// asked, and has not given them the real one.
func (c Config) offersKeys() bool {
	return len(c.SSH.Keys)+len(c.SSH.Loans) > 0 || c.asks && !slices.Contains(c.Sockets, "$"+agentVariable) && !slices.Contains(c.Sockets, os.Getenv(agentVariable))
}

// signingKey is what git signs with outside, if that is an ssh key.
func (c Config) signingKey(env getenv) (key string) {
	format := ""
	for _, s := range userGit(env, c.Home) {
		switch s.key() {
		case "user.signingkey":
			key = inHome(s.value, c.Home)
		case "gpg.format":
			format = s.value
		}
	}
	if format != "ssh" {
		return ""
	}
	return key
}

// agentVariable names the socket of an ssh agent.
const agentVariable = "SSH_AUTH_SOCK"

// lends says that commands have an ssh agent of ours: then they get no other one, whatever
// name its socket was granted by.
func (c Config) lends(path string, env getenv, resolve func(string) string) bool {
	socket := env(agentVariable)
	return len(c.SSH.Keys)+len(c.SSH.Loans) > 0 && filepath.IsAbs(socket) && resolve(socket) == path
}

// HomeFiles are what lies in the private home: the ordinary files, the keys of hosts that are
// granted, and which key makes git's signatures, and for a granted one when it does. The program
// that signs is git's own.
func (c Config) HomeFiles() []sandbox.HomeFile { return c.homeFiles(os.Getenv) }

func (c Config) homeFiles(env getenv) []sandbox.HomeFile {
	k, files := c.Keys(), c.Sandbox.HomeFiles
	if k.Socket == "" { // git's settings need not be read once more
		return files
	}
	if len(k.Rules.Hosts) > 0 {
		if text := k.HostKeys(k.Rules.Hosts...); text != "" {
			files = append(slices.Clone(files), sandbox.HomeFile{Path: ".ssh/known_hosts", Text: text})
		}
	}
	text := renderGit(signing(userGit(env, c.Home), k.Rules, c.Home))
	if text == "" {
		return files
	}
	files = slices.Clone(files)
	i := slices.IndexFunc(files, func(f sandbox.HomeFile) bool { return f.Path == gitSettings })
	if i < 0 {
		return append(files, sandbox.HomeFile{Path: gitSettings, Text: text})
	}
	files[i].Text += text
	return files
}

// signing are the settings with which git signs by a key, if the user's are for ssh. One that is
// asked about signs only where a command says so.
func signing(own []gitSetting, rules keys.Rules, home string) []gitSetting {
	last := map[string]gitSetting{}
	for _, s := range own {
		last[s.key()] = s
	}
	key, _, granted := rules.SigningKey(inHome(last["user.signingkey"].value, home))
	if key == "" || !granted && rules.Git == "" || last["gpg.format"].value != "ssh" {
		return nil
	}
	all := []gitSetting{{section: "gpg", name: "format", value: "ssh"}, {section: "user", name: "signingkey", value: key}}
	if !granted {
		return all
	}
	for _, name := range []string{"commit.gpgsign", "tag.gpgsign", "tag.forcesignannotated"} {
		if s := last[name]; slices.Contains([]string{"true", "yes", "on", "1"}, strings.ToLower(s.value)) {
			all = append(all, s)
		}
	}
	return all
}
