package egress

import (
	"context"
	"crypto/x509"
	"log/slog"
	"net"
	"net/url"
)

// Answer is what a question came to.
type Answer int

const (
	Refuse  Answer = iota // and don't ask again for a while
	Once                  // for the connections that wait; the next one asks again
	Keep                  // for the proxy's life
	Unasked               // nobody could be asked
)

// Config is what a proxy is made of.
type Config struct {
	Rules Rules
	// Ask puts a host that isn't listed to a person; nil refuses it at once. Many
	// connections to one host and port ask once and get the same answer. It is never
	// asked about what is denied. An address that isn't public comes by its number, with
	// what it is; never one of credentials, of loopback or of the link. It returns when
	// ctx ends.
	Ask func(ctx context.Context, host string, port int, what string, p Peer) Answer
	// AskKeys is the same about git's ssh, also at a host that is listed: whether keys of the user's
	// log in there. Unasked: there are none that could.
	AskKeys func(ctx context.Context, host string, port int, p Peer) Answer
	// HostKeys are the lines of the user's known_hosts that git's ssh needs for a host; nil has none.
	HostKeys func(host string, port int) string
	// Given says that a person has given a host to the one who connects; then there is no
	// question. It must not wait.
	Given func(host string, port int, p Peer) bool
	// Lender has the hosts at which git logs in as the user; nil has none. Login returns
	// the user's credentials, nil for none, or why not. It returns when ctx ends.
	Lender *Lender
	Login  func(ctx context.Context, l Login) (*url.Userinfo, error)
	// AskLogin is as AskKeys, about git that a host wants to know: it may log in as the user, which
	// connects it, too. LentTo says that this was given to who connects. It must not wait.
	AskLogin func(ctx context.Context, host string, p Peer) Answer
	LentTo   func(host string, p Peer) bool
	// Roots are who vouches for these hosts; nil: those of the machine.
	Roots *x509.CertPool
	// Refused gets every connection or request that was refused, once. It must not block.
	Refused func(Refusal)
	Log     *slog.Logger // nil: nowhere
	// Resolver looks names up; nil asks the machine's name servers.
	Resolver Resolver
	// Dial connects to an address that is given by number; nil is net.Dialer's.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}
