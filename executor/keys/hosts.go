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

// granted is the granted host whose key this is, by the user's known_hosts. These are read
// anew each time: the user gets to know hosts. A line that can't be read makes the whole
// file say nothing, or a revocation could be missed.
func (c Config) granted(key ssh.PublicKey) (host string, err error) {
	files := slices.DeleteFunc(slices.Clone(c.KnownHosts), func(f string) bool {
		_, err := os.Stat(f)
		return errors.Is(err, os.ErrNotExist)
	})
	known, err := knownhosts.New(files...)
	if err != nil {
		return "", fmt.Errorf("%w; remove that line", err)
	}
	for _, h := range c.Rules.Hosts {
		if known(address(h), &net.TCPAddr{}, key) == nil {
			return h, nil
		}
	}
	return "", fmt.Errorf("the host whose key is %s is not granted, or not in your known_hosts", Fingerprint(key))
}
