// Package keys is an ssh agent for commands in a sandbox. It passes two things on to the
// user's own agent: which of the named keys that has, and what a named key may sign. That
// is an authentication to a granted host, which the host's own key proves (session-bind,
// as OpenSSH's PROTOCOL.agent describes it), and a signature of git's. Anything else that
// an agent can be asked has no code here.
package keys

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// Rules say which keys an Agent lends, and for what. Without keys it lends nothing.
type Rules struct {
	Keys  []string // fingerprints as ssh-add -l shows them, or paths of public keys
	Hosts []string // where they authenticate: names of known_hosts, with a port or without
	Sign  bool     // git's signatures
	Loans []Loan   // what a person has said yes to for good
	Git   string   // fingerprint of the key that the user's git signs with; it may be asked for
}

// Loan is the use of keys for one thing: to log in to a host, or git's signatures.
type Loan struct {
	Host string   // with its port, "" for git's signatures
	Keys []string // fingerprints
}

// ReadLoan reads what String writes: the host, if there is one, and the fingerprints.
func ReadLoan(text string) (l Loan, ok bool) {
	l.Keys = strings.Fields(text)
	if len(l.Keys) > 0 && !strings.HasPrefix(l.Keys[0], "SHA256:") {
		l.Host, l.Keys = l.Keys[0], l.Keys[1:]
	}
	fits := func(k string) bool { return strings.HasPrefix(k, "SHA256:") && ValidKey(k) }
	return l, l.String() == text && len(l.Keys) > 0 && (l.Host == "" || ValidHost(l.Host)) &&
		!slices.ContainsFunc(l.Keys, func(k string) bool { return !fits(k) })
}

func (l Loan) String() string { return strings.TrimSpace(l.Host + " " + strings.Join(l.Keys, " ")) }

// Hash names these rules.
func (r Rules) Hash() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %v %q %q", r.Keys, r.Hosts, r.Sign, r.Loans, r.Git))
	return hex.EncodeToString(sum[:])
}

// fingerprintSize is that of SHA256: and 32 bytes in base64 without padding.
const fingerprintSize = len("SHA256:") + 43

// ValidKey says whether a policy may name a key in this way.
func ValidKey(s string) bool {
	if strings.HasPrefix(s, "SHA256:") {
		return len(s) == fingerprintSize
	}
	return filepath.IsAbs(s) && strings.HasSuffix(s, ".pub")
}

// ValidHost says whether a policy may name a host in this way. Patterns are not for a grant:
// known_hosts has such lines, and who added a host to one would be granted.
func ValidHost(s string) bool {
	host, _, err := net.SplitHostPort(address(s))
	return err == nil && host != "" && !strings.ContainsFunc(host, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:", r)
	})
}

// address is a granted host with its port.
func address(host string) string {
	if h, port, err := net.SplitHostPort(host); err == nil {
		return net.JoinHostPort(h, port)
	}
	return net.JoinHostPort(host, "22")
}

// maxPublicKey bounds a file that is read as a public key.
const maxPublicKey = 64 << 10

// PublicKey reads a file like id_ed25519.pub.
func PublicKey(path string) (ssh.PublicKey, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxPublicKey {
		return nil, fmt.Errorf("%s is not a public key", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey(text)
	return key, err
}

// Fingerprint is what ssh-add -l shows of a key, for a certificate as well: it is the key
// that signs.
func Fingerprint(key ssh.PublicKey) string {
	if cert, ok := key.(*ssh.Certificate); ok {
		key = cert.Key
	}
	return ssh.FingerprintSHA256(key)
}

// fingerprints are those of the named keys. A file that is not there names none: a policy is
// written for several machines.
func (r Rules) fingerprints() map[string]bool {
	all := map[string]bool{}
	for _, k := range r.Keys {
		if filepath.IsAbs(k) {
			key, err := PublicKey(k)
			if err != nil {
				continue
			}
			k = Fingerprint(key)
		}
		all[k] = true
	}
	return all
}

// SigningKey is git's user.signingKey for commands, of the user's own: the public key itself,
// for the file is not shown to them, and its fingerprint; "" where it is none. granted: it signs, and
// nobody is asked.
func (r Rules) SigningKey(own string) (key, print string, granted bool) {
	var public ssh.PublicKey
	var err error
	literal, marked := strings.CutPrefix(own, "key::")
	switch {
	case marked || strings.HasPrefix(own, "ssh-"):
		public, _, _, _, err = ssh.ParseAuthorizedKey([]byte(literal))
	case filepath.IsAbs(own):
		public, err = PublicKey(strings.TrimSuffix(own, ".pub") + ".pub")
	default:
		return "", "", false
	}
	if err != nil {
		return "", "", false
	}
	print = Fingerprint(public)
	granted = r.Sign && r.fingerprints()[print] || lends(r.Loans, "", print)
	return "key::" + strings.TrimSpace(string(ssh.MarshalAuthorizedKey(public))), print, granted
}

// lends says that a loan is for a key, at a host or for git's signatures.
func lends(loans []Loan, host, key string) bool {
	return slices.ContainsFunc(loans, func(l Loan) bool { return l.Host == host && slices.Contains(l.Keys, key) })
}
