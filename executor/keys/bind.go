package keys

import (
	"bytes"
	"errors"

	"golang.org/x/crypto/ssh"
)

// binding is the content of session-bind@openssh.com: the host's key, and its signature of
// the session that a client has with it.
type binding struct {
	HostKey    []byte
	Session    []byte
	Signature  []byte
	Forwarding bool
}

// bound is the session of a connection, once its host has proved it.
type bound struct {
	session []byte
	hostKey []byte
	key     ssh.PublicKey
}

// maxSession is twice what the longest hash of a key exchange has.
const maxSession = 128

// verify is what a binding says, if it may be believed. A signature of another session,
// taken from another connection, does not fit; one of this session is worth nothing
// elsewhere. A forwarded agent would be used by the other end.
func (b binding) verify() (*bound, error) {
	if b.Forwarding {
		return nil, errors.New("the agent is not for forwarding (ssh -A)")
	}
	if len(b.Session) == 0 || len(b.Session) > maxSession {
		return nil, errors.New("the session's name is malformed")
	}
	key, err := ssh.ParsePublicKey(b.HostKey)
	if err != nil {
		return nil, errors.New("the host's key is malformed")
	}
	var sig ssh.Signature
	if ssh.Unmarshal(b.Signature, &sig) != nil || key.Verify(b.Session, &sig) != nil {
		return nil, errors.New("the host has not signed this session")
	}
	return &bound{session: b.Session, hostKey: b.HostKey, key: key}, nil
}

// bind notes the session of the connection. There is one: what doesn't fit leaves it without
// any, for good.
func (c *conn) bind(content []byte) error {
	var b binding
	if ssh.Unmarshal(content, &b) != nil {
		c.unbound = errors.New("the binding is malformed")
	}
	if c.unbound == nil && c.bound != nil && !(bytes.Equal(c.bound.session, b.Session) && bytes.Equal(c.bound.hostKey, b.HostKey)) {
		c.unbound = errors.New("the connection is bound to another session already")
	}
	if c.unbound == nil {
		c.bound, c.unbound = b.verify()
	}
	if c.unbound != nil {
		c.bound = nil
	}
	return c.unbound
}
