package egress

import (
	"fmt"
	"net"
	"strconv"
)

// Peer is who asks: the user name that its connection gave the proxy, "" if it
// gave none.
type Peer struct {
	Token string
	SSH   bool // it is git's ssh
	git   bool // it is git, at a host of the Lender's

	passed bool // somebody was asked already
	plain  bool // its tunnel ends when git is to be logged in
}

// The rules that a Refusal names.
const (
	NotListed   = "not listed"  // nothing in the list allows the host
	Denied      = "denied"      // the list denies it
	Address     = "address"     // it leads to an address that isn't public
	Malformed   = "malformed"   // what was asked can't be read in one way only
	Connections = "connections" // the proxy has as many as it takes
	Credentials = "credentials" // the user's are lent to git there, and not for this
)

// Refusal is a connection, or a request on one, that was not made.
type Refusal struct {
	Host   string // as it was asked for; quoted where it is malformed
	Port   int    // 0 if it wasn't got that far
	Addr   string // the address that the name led to, where that is what was refused
	Rule   string // NotListed, Denied, Address, Malformed, Connections or Credentials
	Reason string // a sentence's end: "example.com:443 is refused: it …"
	Grant  string // the smallest pattern that would allow it, or who a login is at; "" where none could
	Peer   Peer

	asked string // what Addr is, where a person can be asked about it
}

func (r Refusal) Error() string {
	s := "refused: " + r.Reason
	if where := r.where(); where != "" {
		s = where + " is " + s
	}
	if r.Grant != "" && r.Rule == Credentials {
		s += "; to allow it, add " + r.Grant + " to those of network.credentials"
	} else if r.Grant != "" {
		s += "; to allow it, add " + r.Grant + " to the allowed hosts"
	}
	return s
}

func (r Refusal) where() string {
	if r.Host == "" || r.Port == 0 {
		return r.Host
	}
	return net.JoinHostPort(r.Host, strconv.Itoa(r.Port))
}

func (t target) refusal(rule, reason string) *Refusal {
	return &Refusal{Host: t.host(), Port: int(t.port), Rule: rule, Reason: reason}
}

// malformed is the refusal of what a client sent; host is what it named, if it
// got that far.
func malformed(host, reason string) *Refusal {
	if host != "" {
		host = quoted(host)
	}
	return &Refusal{Host: host, Rule: Malformed, Reason: reason}
}

// quoted is what someone else wrote, for a person to read: no control character
// and no letter that looks like another reaches a terminal or a question.
func quoted(s string) string {
	const most = 100
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strconv.QuoteToASCII(s)
}

// unreachable is a host that may be reached and could not be.
type unreachable struct {
	target target
	err    error
}

func (u *unreachable) Error() string { return fmt.Sprintf("%s can't be reached: %v", u.target, u.err) }
func (u *unreachable) Unwrap() error { return u.err }
