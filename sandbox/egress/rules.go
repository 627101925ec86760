package egress

import "fmt"

// Rules are the address book of a proxy. A pattern is
//
//	pypi.org            the host itself
//	*.pythonhosted.org  any name below it, and not itself
//	10.1.2.3            an address
//	10.1.0.0/16         a range of addresses
//
// with ":8443" or ":*" after it for a port or for all; an IPv6 address or range is in
// brackets then, [fd00::/8]:443. Without a port, Allow means 80 and 443, and Deny means
// all.
//
// A name never allows an address that isn't public: one that leads into the
// user's own network is refused unless the address is allowed as well.
type Rules struct {
	Allow []string
	Deny  []string // wins
}

// Check names the first pattern that can't be used, what is wrong with it and
// what to write instead.
func (r Rules) Check() error {
	_, err := newBook(r)
	return err
}

// PatternError says why a pattern of the rules can't be used.
type PatternError struct {
	Pattern string
	Reason  string
	Instead string // what to write, "" if there is nothing to suggest
}

func (e *PatternError) Error() string {
	s := fmt.Sprintf("host pattern %s: %s", quoted(e.Pattern), e.Reason)
	if e.Instead != "" {
		s += "; write " + e.Instead
	}
	return s
}
