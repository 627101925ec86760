package keys

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"time"

	"github.com/sourcegraph/conc"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// Config is all that an Agent goes by. The files are the user's: commands must not be able
// to write them.
type Config struct {
	Rules      Rules
	Socket     string   // of the user's own agent
	KnownHosts []string // files

	// Told gets each use and each refusal. False takes the use back: no command is there
	// whose it could be. It must not wait.
	Told func(Use) bool
	// Lent are the loans of the commands that run now; nil has none. Ask puts one to a person:
	// nil can't. It returns when ctx ends.
	Lent func() []Loan
	Ask  func(ctx context.Context, l Loan) bool
}

// loans are those of the rules, and those that were given to who runs now.
func (c Config) loans() []Loan {
	if c.Lent == nil {
		return c.Rules.Loans
	}
	return slices.Concat(c.Rules.Loans, c.Lent())
}

// Agent serves one sandbox.
type Agent struct {
	config Config
	named  map[string]bool // fingerprints
	room   chan struct{}
	budget budget
}

// maxConns are the connections of a sandbox; more wait. An ssh has one while it logs in.
const maxConns = 16

// New reads the named public keys.
func New(c Config) *Agent {
	return &Agent{config: c, named: c.Rules.fingerprints(), room: make(chan struct{}, maxConns)}
}

// Serve answers who connects, until ctx is done. It closes in.
func (a *Agent) Serve(ctx context.Context, in net.Listener) {
	var conns conc.WaitGroup
	defer conns.Wait()
	defer context.AfterFunc(ctx, func() { _ = in.Close() })()
	defer in.Close()
	for {
		select {
		case a.room <- struct{}{}:
		case <-ctx.Done():
			return
		}
		c, err := in.Accept()
		if err != nil {
			<-a.room
			select {
			case <-ctx.Done():
				return
			case <-time.After(breath): // no descriptor is left
			}
			continue
		}
		conns.Go(func() {
			defer func() { <-a.room }()
			defer c.Close()
			defer context.AfterFunc(ctx, func() { _ = c.Close() })()
			(&conn{Agent: a, ctx: ctx}).serve(c)
		})
	}
}

const breath = 50 * time.Millisecond

// conn is one connection. The user's agent has one for each, too: it also keeps a binding.
type conn struct {
	*Agent
	ctx     context.Context
	up      *upstream
	bound   *bound
	unbound error // why there is none
}

// maxMessage is OpenSSH's own bound.
const maxMessage = 256 << 10

// The messages of draft-ietf-sshm-ssh-agent that are answered with more than a failure.
const (
	failure       = 5
	success       = 6
	listRequest   = 11
	listAnswer    = 12
	signRequest   = 13
	signAnswer    = 14
	extension     = 27
	bindExtension = "session-bind@openssh.com"
)

func (c *conn) serve(s io.ReadWriter) {
	defer c.hangUp()
	var size [4]byte
	for {
		if _, err := io.ReadFull(s, size[:]); err != nil {
			return
		}
		n := binary.BigEndian.Uint32(size[:])
		if n == 0 || n > maxMessage {
			return
		}
		msg := make([]byte, n)
		if _, err := io.ReadFull(s, msg); err != nil {
			return
		}
		answer := c.answer(msg[0], msg[1:])
		if _, err := s.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(answer))), answer...)); err != nil {
			return
		}
	}
}

// answer is the list of what there is; all else is refused.
func (c *conn) answer(kind byte, body []byte) []byte {
	switch kind {
	case listRequest:
		return c.list()
	case signRequest:
		return c.sign(body)
	case extension:
		var e struct {
			Name    string
			Content []byte `ssh:"rest"`
		}
		if ssh.Unmarshal(body, &e) != nil || e.Name != bindExtension {
			return c.refuse(Use{}, errors.New("the agent has no extension "+quoted(e.Name)))
		}
		if c.bind(e.Content) != nil {
			return []byte{failure} // what it is for will say why
		}
		// A key of the user's that is for some hosts only wants to know, too.
		_ = c.own(func(u agent.ExtendedAgent) error { _, err := u.Extension(bindExtension, e.Content); return err })
		return []byte{success}
	}
	return c.refuse(Use{}, errors.New("the agent does not "+verb(kind)))
}

// verb says what a message asks an agent to do.
func verb(kind byte) string {
	switch kind {
	case 7, 17, 20, 25, 26:
		return "take keys"
	case 8, 9, 18, 19, 21:
		return "give keys up"
	case 22, 23:
		return "lock"
	}
	return "know what it is asked"
}

// has says that commands know of a key: it is named, lent or the one that git would sign with.
func (a *Agent) has(key string) bool {
	return a.named[key] || a.config.Ask != nil && a.config.Rules.Git == key ||
		slices.ContainsFunc(a.config.loans(), func(l Loan) bool { return slices.Contains(l.Keys, key) })
}

// list are the keys of the user's agent that commands know of.
func (c *conn) list() []byte {
	var keys []byte
	var n uint32
	err := c.own(func(u agent.ExtendedAgent) error {
		all, err := u.List()
		for _, k := range all {
			if key, err := ssh.ParsePublicKey(k.Blob); err == nil && c.has(Fingerprint(key)) {
				keys = append(keys, ssh.Marshal(struct {
					Blob    []byte
					Comment string
				}{k.Blob, k.Comment})...)
				n++
			}
		}
		return err
	})
	if err != nil {
		return []byte{failure}
	}
	return append(binary.BigEndian.AppendUint32([]byte{listAnswer}, n), keys...)
}

func (c *conn) sign(body []byte) []byte {
	var r struct {
		Key, Data []byte
		Flags     uint32
	}
	if ssh.Unmarshal(body, &r) != nil {
		return c.refuse(Use{}, errors.New("the request is malformed"))
	}
	key, err := ssh.ParsePublicKey(r.Key)
	if err != nil {
		return c.refuse(Use{}, errors.New("the key is malformed"))
	}
	if print := Fingerprint(key); !c.has(print) {
		return c.refuse(Use{Key: print, Grant: "policy.ssh.keys \"" + print + "\""}, errors.New("the key is not granted"))
	}
	use, err := c.permit(key, r.Data, r.Flags)
	if err == nil && !c.budget.spend(time.Now()) {
		err = errors.New("too many were made in a short time")
	}
	if err != nil {
		return c.refuse(use, err)
	}
	if !c.config.Told(use) {
		return []byte{failure}
	}
	var sig *ssh.Signature
	if err := c.own(func(u agent.ExtendedAgent) (err error) {
		sig, err = u.SignWithFlags(key, r.Data, agent.SignatureFlags(r.Flags))
		return err
	}); err != nil {
		return c.refuse(use, errors.New("your own agent did not sign"))
	}
	return append([]byte{signAnswer}, ssh.Marshal(struct{ Signature []byte }{ssh.Marshal(*sig)})...)
}

func (c *conn) refuse(u Use, why error) []byte {
	u.Refused = why.Error()
	_ = c.config.Told(u)
	return []byte{failure}
}
