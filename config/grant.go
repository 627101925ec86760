package config

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/executor/keys"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/egress"
)

// maxGrants is more than a list has that a person still oversees.
const maxGrants = 512

// Text is what g gives, for a person: its kind and its value.
func (g GrantOptions) Text() (kind, value string) {
	switch {
	case g.Host != "":
		return "host", g.Host
	case g.Read != "":
		return "read", g.Read
	case g.Write != "":
		return "write", g.Write
	case g.Key != "":
		return "key", g.Key
	case g.Credentials != "":
		return "credentials", g.Credentials
	case g.Command != "":
		return "command", g.Command
	}
	return "command", fmt.Sprintf("%q", g.Argv)
}

// Given is a copy of c with grants over it, as in a policy file of the user.
func (c Config) Given(list []GrantOptions) (Config, error) {
	return c.With(InitOptions{Policy: PolicyOptions{Grant: list}})
}

// remember gives what a person has said yes to for good.
func (c *Config) remember(list []GrantOptions) {
	for _, g := range list {
		switch {
		case g.Host != "":
			c.Hosts.Allow = joined(c.Hosts.Allow, []string{g.Host})
		case g.Read != "":
			c.Sandbox.Readable = joined(c.Sandbox.Readable, cleaned([]string{g.Read}))
		case g.Write != "":
			c.Sandbox.Writable = joined(c.Sandbox.Writable, cleaned([]string{g.Write}))
		case g.Key != "":
			loan, _ := keys.ReadLoan(g.Key)
			c.SSH.Loans = append(slices.Clip(c.SSH.Loans), loan)
		case g.Credentials != "":
			c.Sandbox.Logins = joined(c.Sandbox.Logins, []string{g.Credentials})
		default:
			c.Remembered = append(slices.Clip(c.Remembered), executor.Remembered{
				Command: g.Command, Argv: g.Argv, RuleIDs: g.Rules, Folder: g.Folder, Mode: g.Mode, Network: g.Network,
			})
		}
	}
}

// granted checks the rows of grants. A command's row names the rules that the person was
// asked about: what another rule finds later is asked about again.
func (c *checker) granted(list []GrantOptions) {
	if len(list) > maxGrants {
		c.add("/grant", fmt.Sprintf("at most %d grants", maxGrants), fmt.Sprint(len(list)))
		return
	}
	for i, g := range list {
		at := fmt.Sprintf("/grant/%d", i)
		text := g.Command != "" || len(g.Argv) > 0
		said := 0
		for _, is := range []bool{g.Host != "", g.Read != "", g.Write != "", g.Key != "", g.Credentials != "", g.Command != "", len(g.Argv) > 0} {
			if is {
				said++
			}
		}
		switch {
		case said != 1:
			c.add(at, "exactly one of host, read, write, key, credentials, command and argv", fmt.Sprint(said))
		case text && (len(g.Rules) == 0 || g.Mode == "" || g.Network == "" || !filepath.IsAbs(g.Folder)):
			c.add(at, "rules, mode, network and an absolute folder with a command", "less")
		case !text && (len(g.Rules) > 0 || g.Mode != "" || g.Network != "" || g.Folder != ""):
			c.add(at, "rules, mode, network and folder only with a command", "more")
		case g.Host != "":
			if err := (egress.Rules{Allow: []string{g.Host}}).Check(); err != nil {
				c.add(at+"/host", pattern, err.Error())
			}
		case g.Key != "":
			if _, ok := keys.ReadLoan(g.Key); !ok {
				c.add(at+"/key", `fingerprints ("SHA256:…"), or "host:port " and fingerprints`, quoted(g.Key))
			}
		case g.Credentials != "" && egress.CheckLogin(g.Credentials) != nil:
			c.add(at+"/credentials", "a name or an address, with :port or without", quoted(g.Credentials))
		}
		for member, p := range map[string]string{"read": g.Read, "write": g.Write} {
			if p != "" && !filepath.IsAbs(p) {
				c.add(at+"/"+member, "an absolute path", quoted(p))
			}
		}
		c.take(oneOf(at+"/mode", g.Mode, modes...))
		c.take(oneOf(at+"/network", g.Network, networks...))
	}
}

// remembered is tightened by leaving out.
func (f *comparison) remembered(base, now Config) {
	subset(f, "/policy/grant", base.Sandbox.Writable, now.Sandbox.Writable, quoted)
	for _, r := range now.Remembered {
		same := func(b executor.Remembered) bool { return reflect.DeepEqual(b, r) }
		if !slices.ContainsFunc(base.Remembered, same) {
			f.add("/policy/grant", "nothing that was not there", "more")
			return
		}
	}
}

// AskHosts is a copy of c for a person who can be asked about each host: an address book
// that is empty is as safe as no network until they say yes.
func (c Config) AskHosts() Config {
	c.asks = true
	c.reach(true)
	return c
}

// reach makes hosts that the user has listed reachable where nothing says that the
// network is another one: a list that does nothing misleads.
func (c *Config) reach(hosts bool) {
	if hosts && !c.networkChosen && c.Guard.ID == "balanced" && c.Sandbox.Network == sandbox.NetworkDeny {
		c.Sandbox.Network, c.NetworkImplied = sandbox.NetworkProxy, true
	}
}

// reaches says that g is for a host.
func (g GrantOptions) reaches() bool {
	loan, _ := keys.ReadLoan(g.Key)
	return g.Host+g.Credentials+loan.Host != ""
}
