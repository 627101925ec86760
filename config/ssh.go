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

func (c *Config) lend(o SSHOptions) {
	c.SSH.Keys = joined(c.SSH.Keys, o.Keys)
	c.SSH.Hosts = joined(c.SSH.Hosts, o.Hosts)
	c.SSH.Sign = c.SSH.Sign || o.Sign
}

// ssh is tightened by fewer keys and hosts.
func (f *comparison) ssh(base, now keys.Rules) {
	subset(f, "/policy/ssh/keys", base.Keys, now.Keys, quoted)
	subset(f, "/policy/ssh/hosts", base.Hosts, now.Hosts, quoted)
	f.flag("/policy/ssh/sign", base.Sign, now.Sign)
}

// Keys are the ssh keys that commands may use, of the agent that this program was started
// with. Without one there are none: a policy is written for several machines.
func (c Config) Keys() keys.Config {
	socket := os.Getenv(agentVariable)
	if len(c.SSH.Keys) == 0 || !filepath.IsAbs(socket) {
		return keys.Config{}
	}
	k := keys.Config{Rules: c.SSH, Socket: socket, KnownHosts: []string{
		below(c.Home, ".ssh/known_hosts"), below(c.Home, ".ssh/known_hosts2"), "/etc/ssh/ssh_known_hosts",
	}}
	k.Rules.Keys = nil
	for _, key := range c.SSH.Keys {
		k.Rules.Keys = append(k.Rules.Keys, inHome(key, c.Home))
	}
	return k
}

// agentVariable names the socket of an ssh agent.
const agentVariable = "SSH_AUTH_SOCK"

// lends says that commands have an ssh agent of ours: then they get no other one, whatever
// name its socket was granted by.
func (c Config) lends(path string, env getenv, resolve func(string) string) bool {
	socket := env(agentVariable)
	return len(c.SSH.Keys) > 0 && filepath.IsAbs(socket) && resolve(socket) == path
}

// HomeFiles are what lies in the private home: the ordinary files, the keys of hosts that are
// granted, and where a key makes git's signatures that key and when it does. The program that
// signs is git's own.
func (c Config) HomeFiles() []sandbox.HomeFile { return c.homeFiles(os.Getenv) }

func (c Config) homeFiles(env getenv) []sandbox.HomeFile {
	k, files := c.Keys(), c.Sandbox.HomeFiles
	if len(k.Rules.Keys) == 0 { // git's settings need not be read once more
		return files
	}
	if len(k.Rules.Hosts) > 0 {
		if text := k.HostKeys(); text != "" {
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

// signing are the settings with which git signs by a granted key, if the user's are for ssh.
func signing(own []gitSetting, rules keys.Rules, home string) []gitSetting {
	last := map[string]gitSetting{}
	for _, s := range own {
		last[s.key()] = s
	}
	key, ok := rules.SigningKey(inHome(last["user.signingkey"].value, home))
	if !ok || last["gpg.format"].value != "ssh" {
		return nil
	}
	all := []gitSetting{{section: "gpg", name: "format", value: "ssh"}, {section: "user", name: "signingkey", value: key}}
	for _, name := range []string{"commit.gpgsign", "tag.gpgsign", "tag.forcesignannotated"} {
		if s := last[name]; slices.Contains([]string{"true", "yes", "on", "1"}, strings.ToLower(s.value)) {
			all = append(all, s)
		}
	}
	return all
}
