package keys

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"

	"golang.org/x/crypto/ssh"
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

// granted is the granted host whose key this is.
func (c Config) granted(key ssh.PublicKey) (host string, err error) {
	known, err := c.known()
	if err != nil {
		return "", err
	}
	for _, h := range c.Rules.Hosts {
		if known(address(h), &net.TCPAddr{}, key) == nil {
			return h, nil
		}
	}
	return "", fmt.Errorf("the host whose key is %s is not granted, or not in your known_hosts", Fingerprint(key))
}

// HostKeys are the keys of the granted hosts, as lines of a known_hosts for commands: an
// ssh of theirs can't ask anybody. The lines of other hosts are left out.
func (c Config) HostKeys() (lines string) {
	known, err := c.known()
	if err != nil {
		return ""
	}
	for _, h := range c.Rules.Hosts {
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
