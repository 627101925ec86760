package keys

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"
)

// known reads what the user's known_hosts say. They are read anew each time: the user gets
// to know hosts. A line that can't be read makes all of them invalid, or a revocation
// could be missed.
func (c Config) known() (ssh.HostKeyCallback, error) {
	files := slices.DeleteFunc(slices.Clone(c.KnownHosts), func(f string) bool {
		_, err := os.Stat(f)
		return errors.Is(err, os.ErrNotExist)
	})
	known, err := knownhosts.New(files...)
	if err != nil {
		err = fmt.Errorf("%w; remove that line", err)
	}
	return known, err
}

// granted is the host whose key this is, and to which the user's key with a fingerprint may log in.
func (a *Agent) granted(key ssh.PublicKey, own string) (host string, err error) {
	known, err := a.config.known()
	if err != nil {
		return "", err
	}
	var hosts []string
	if a.named[own] {
		hosts = slices.Clone(a.config.Rules.Hosts)
	}
	for _, l := range a.config.loans() {
		if l.Host != "" && slices.Contains(l.Keys, own) {
			hosts = append(hosts, l.Host)
		}
	}
	for _, h := range hosts {
		if known(address(h), &net.TCPAddr{}, key) == nil {
			return h, nil
		}
	}
	return "", fmt.Errorf("the host whose key is %s is not granted, or not in your known_hosts", Fingerprint(key))
}

// HostKeys are the keys of hosts, as lines of a known_hosts for commands: an ssh of theirs can't
// ask anybody. The lines of other hosts are left out.
func (c Config) HostKeys(hosts ...string) (lines string) {
	known, err := c.known()
	if err != nil {
		return ""
	}
	for _, h := range hosts {
		var have *knownhosts.KeyError
		if !errors.As(known(address(h), &net.TCPAddr{}, noKey{}), &have) {
			continue
		}
		for _, k := range have.Want {
			if known(address(h), &net.TCPAddr{}, k.Key) == nil { // and not revoked
				lines += knownhosts.Line([]string{address(h)}, k.Key) + "\n"
			}
		}
	}
	return lines
}

// noKey is a key that no host has: asked about it, known_hosts says which keys a host has.
type noKey struct{ ssh.PublicKey }

func (noKey) Type() string    { return "none" }
func (noKey) Marshal() []byte { return nil }

// maxOffered are the keys that are tried at a host: servers take a few, and a person reads them.
const maxOffered = 3

// Offer is what could be lent to log in to a host, if it is known and its own rule does not grant
// it: what a person has said yes to for good, else the named keys, or without any those of the
// user's agent, as an ssh of theirs has it.
func (c Config) Offer(ctx context.Context, host string) (l Loan, standing, ok bool) {
	if c.Socket == "" || c.HostKeys(host) == "" {
		return l, false, false
	}
	for _, l := range c.Rules.Loans {
		if l.Host == host {
			return l, true, true
		}
	}
	l.Host = host
	named, agent := c.Rules.fingerprints(), &conn{Agent: &Agent{config: c}, ctx: ctx}
	defer agent.hangUp()
	all, err := agent.keys()
	for _, k := range all {
		if print := Fingerprint(k); len(named) == 0 || named[print] {
			l.Keys = append(l.Keys, print)
		}
	}
	l.Keys = l.Keys[:min(len(l.Keys), maxOffered)]
	granted := len(named) > 0 && slices.ContainsFunc(c.Rules.Hosts, func(h string) bool { return address(h) == host })
	return l, false, err == nil && len(l.Keys) > 0 && !granted
}

// keys are those of the user's agent.
func (c *conn) keys() (all []ssh.PublicKey, err error) {
	err = c.own(func(u agent.ExtendedAgent) error {
		held, err := u.List()
		for _, k := range held {
			if key, err := ssh.ParsePublicKey(k.Blob); err == nil {
				all = append(all, key)
			}
		}
		return err
	})
	return all, err
}
