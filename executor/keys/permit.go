package keys

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// Use is something that a key was asked to sign.
type Use struct {
	Key  string // its fingerprint
	Host string // that it authenticates to, "" for a signature of git's
	User string // as whom
	Hash string // of what git signs: "sha512:" and hexadecimal digits

	Refused string // why, "" where it was signed
	Grant   string // the setting that would allow it, where one would
}

// userauth is what a client signs to log in (RFC 4252 §7, and hostbound of OpenSSH).
type userauth struct {
	Session   []byte
	Message   byte
	User      string
	Service   string
	Method    string
	Signs     bool
	Algorithm string
	Key       []byte
	Rest      []byte `ssh:"rest"`
}

const userauthRequest = 50

// sshsig is what ssh-keygen -Y sign has signed, after its magic words.
type sshsig struct {
	Namespace string
	Reserved  string
	Algorithm string
	Hash      []byte
}

var sshsigMagic = []byte("SSHSIG")

var hashSizes = map[string]int{"sha256": 32, "sha512": 64}

// permit decides about one request. The data alone says what it is: a login begins with
// the length of a session's name, which is not a magic word.
func (c *conn) permit(key ssh.PublicKey, data []byte, flags uint32) (u Use, err error) {
	u = Use{Key: Fingerprint(key)}
	rsa := key.Type() == ssh.KeyAlgoRSA || key.Type() == ssh.CertAlgoRSAv01
	if f := agent.SignatureFlags(flags); rsa && f != agent.SignatureFlagRsaSha256 && f != agent.SignatureFlagRsaSha512 {
		// Two texts with one SHA-1 can be made: the harmless one would be shown to us.
		return u, errors.New("it is to be signed with SHA-1")
	}
	if text, git := bytes.CutPrefix(data, sshsigMagic); git {
		return c.permitGit(u, text)
	}
	return c.permitLogin(u, key, data)
}

// permitGit allows a signature in git's namespace. The hashed text is not known here, and
// can't be: any text that a command calls a commit or a tag is one.
func (c *conn) permitGit(u Use, text []byte) (Use, error) {
	var s sshsig
	if ssh.Unmarshal(text, &s) != nil || s.Reserved != "" || hashSizes[s.Algorithm] == 0 || hashSizes[s.Algorithm] != len(s.Hash) {
		return u, errors.New("the signature's form is malformed")
	}
	if s.Namespace != "git" {
		return u, fmt.Errorf("the signature is for the namespace %s, not for git", quoted(s.Namespace))
	}
	u.Hash = s.Algorithm + ":" + hex.EncodeToString(s.Hash)
	granted := c.config.Rules.Sign && c.named[u.Key] || lends(c.config.loans(), "", u.Key)
	if granted || c.config.Ask != nil && c.config.Ask(c.ctx, Loan{Keys: []string{u.Key}}) {
		return u, nil
	}
	u.Grant = "policy.ssh.sign true"
	return u, errors.New("git's signatures are not granted")
}

// permitLogin allows an authentication in the session of this connection.
func (c *conn) permitLogin(u Use, key ssh.PublicKey, data []byte) (Use, error) {
	var a userauth
	if ssh.Unmarshal(data, &a) != nil || a.Message != userauthRequest || !a.Signs || a.Service != "ssh-connection" {
		return u, errors.New("it is neither a login nor a signature of git's")
	}
	u.User = clip(a.User)
	switch {
	case c.unbound != nil:
		return u, c.unbound
	case c.bound == nil:
		return u, errors.New("the client has not said which host it is for (OpenSSH does from 8.9 on)")
	case !bytes.Equal(a.Session, c.bound.session):
		return u, errors.New("it is a login of another session")
	case !bytes.Equal(a.Key, key.Marshal()):
		return u, errors.New("it is a login with another key")
	}
	switch a.Method {
	case "publickey":
		if len(a.Rest) > 0 {
			return u, errors.New("the login is malformed")
		}
	case "publickey-hostbound-v00@openssh.com":
		var host struct{ Key []byte }
		if ssh.Unmarshal(a.Rest, &host) != nil || !bytes.Equal(host.Key, c.bound.hostKey) {
			return u, errors.New("it is a login to another host")
		}
	default:
		return u, fmt.Errorf("the login's method is %s", quoted(a.Method))
	}
	var err error
	u.Host, err = c.granted(c.bound.key, u.Key)
	return u, err
}

// maxWord bounds what a command has named and a log keeps.
const maxWord = 128

func clip(s string) string { return s[:min(len(s), maxWord)] }

func quoted(s string) string { return strconv.QuoteToASCII(clip(s)) }
