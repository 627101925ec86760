package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/egress"
)

// maxHosts is more than an address book has that a person still oversees.
const maxHosts = 1024

func (c *checker) network(o NetworkOptions) {
	c.hosts("allow", o.Allow, func(p string) egress.Rules { return egress.Rules{Allow: []string{p}} })
	c.hosts("deny", o.Deny, func(p string) egress.Rules { return egress.Rules{Deny: []string{p}} })
	if len(o.Ports) > sandbox.MaxHostPorts {
		c.add("/network/ports", fmt.Sprintf("at most %d ports", sandbox.MaxHostPorts), fmt.Sprint(len(o.Ports)))
		return
	}
	for i, p := range o.Ports {
		if !sandbox.ValidPort(p) {
			c.add(fmt.Sprintf("/network/ports/%d", i), "a port, 1 to 65535", fmt.Sprint(p))
		}
	}
	if len(o.Credentials) > maxSSH {
		c.add("/network/credentials", fmt.Sprintf("at most %d hosts", maxSSH), fmt.Sprint(len(o.Credentials)))
		return
	}
	for i, host := range o.Credentials {
		if egress.CheckLogin(host) != nil {
			c.add(fmt.Sprintf("/network/credentials/%d", i), "a name or an address, with :port or without", quoted(host))
		}
	}
	if len(o.Sockets) > maxPaths {
		c.add("/network/sockets", fmt.Sprintf("at most %d sockets", maxPaths), fmt.Sprint(len(o.Sockets)))
		return
	}
	for i, s := range o.Sockets {
		name, variable := strings.CutPrefix(s, "$")
		if variable && !variableName(name) || !variable && !filepath.IsAbs(s) {
			c.add(fmt.Sprintf("/network/sockets/%d", i), `an absolute path, or "$NAME" of a variable that holds one`, quoted(s))
		}
	}
}

func (c *checker) hosts(member string, patterns []string, alone func(string) egress.Rules) {
	if len(patterns) > maxHosts {
		c.add("/network/"+member, fmt.Sprintf("at most %d hosts", maxHosts), fmt.Sprint(len(patterns)))
		return
	}
	for i, p := range patterns {
		if err := alone(p).Check(); err != nil && len(c.bad) < maxProblems {
			c.add(fmt.Sprintf("/network/%s/%d", member, i), pattern, err.Error())
		}
	}
}

// pattern is a host of the address book; egress says itself what is wrong with one.
const pattern = "a name, *.name or an address, with :port or without"

func variableName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" && (s[0] < '0' || s[0] > '9')
}

// fewer takes from the address book what a file of the workspace doesn't list
// either, and adds what it denies. Only entries that are spelled the same stay:
// what lies below one of the user's may be another's server.
func (c *Config) fewer(o NetworkOptions) {
	c.Hosts.Allow = kept(c.Hosts.Allow, o.Allow)
	c.Sockets = kept(c.Sockets, o.Sockets)
	c.Sandbox.HostPorts = kept(c.Sandbox.HostPorts, o.Ports)
	c.Sandbox.Logins = kept(c.Sandbox.Logins, o.Credentials)
	c.Hosts.Deny = joined(c.Hosts.Deny, o.Deny)
}

// kept is what is in both lists; nil is unset.
func kept[T comparable](have, want []T) []T {
	if want == nil {
		return have
	}
	return slices.DeleteFunc(slices.Clone(have), func(s T) bool { return !slices.Contains(want, s) })
}

// network is tightened by fewer hosts, sockets and ports, and by more that are denied.
func (f *comparison) network(base, now Config) {
	subset(f, "/policy/network/allow", base.Hosts.Allow, now.Hosts.Allow, quoted)
	subset(f, "/policy/network/sockets", base.Sockets, now.Sockets, quoted)
	subset(f, "/policy/network/ports", base.Sandbox.HostPorts, now.Sandbox.HostPorts, strconv.Itoa)
	subset(f, "/policy/network/credentials", base.Sandbox.Logins, now.Sandbox.Logins, quoted)
	for _, host := range base.Hosts.Deny {
		if !slices.Contains(now.Hosts.Deny, host) {
			f.add("/policy/network/deny", "all that was there", "less")
			return
		}
	}
}

// HostSockets are the sockets that the policy names, where resolve says that their
// links lead, and the variables by which programs find them. One that isn't there now
// is left out: a policy is written for several machines, and an agent need not run.
func (c Config) HostSockets(resolve func(path string) string) (paths []string, vars map[string]string) {
	return c.hostSockets(os.Getenv, resolve)
}

func (c Config) hostSockets(env getenv, resolve func(string) string) (paths []string, vars map[string]string) {
	vars = map[string]string{}
	for _, entry := range c.Sockets {
		name, variable := strings.CutPrefix(entry, "$")
		at := entry
		if variable {
			at = env(name)
		}
		if !filepath.IsAbs(at) {
			continue
		}
		path := resolve(at)
		if !isSocket(path) || c.lends(path, env, resolve) {
			continue
		}
		paths = joined(paths, []string{path})
		if variable {
			vars[name] = path
		}
	}
	return paths, vars
}

func isSocket(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Type() == os.ModeSocket
}
