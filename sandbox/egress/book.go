package egress

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"
)

// maxPatterns bounds the book: grants come in as long as the proxy lives.
const maxPatterns = 4096

// book is the rules as they are now, with what was granted since.
type book struct {
	mu    sync.RWMutex
	allow []pattern
	deny  []pattern
}

func newBook(r Rules) (*book, error) {
	if n := len(r.Allow) + len(r.Deny); n > maxPatterns {
		return nil, fmt.Errorf("%d host patterns are more than the %d that are possible; use *.example.com or ranges", n, maxPatterns)
	}
	b := &book{}
	for _, text := range r.Allow {
		p, err := parsePattern(text, webPorts)
		if err != nil {
			return nil, err
		}
		b.allow = append(b.allow, p)
	}
	for _, text := range r.Deny {
		// A denied host is denied on all ports: *.x:* elsewhere in the list must not open
		// ports by accident.
		p, err := parsePattern(text, everyPort)
		if err != nil {
			return nil, err
		}
		b.deny = append(b.deny, p)
	}
	return b, nil
}

// grant adds a pattern to what is allowed.
func (b *book) grant(text string) error {
	p, err := parsePattern(text, webPorts)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if slices.ContainsFunc(b.allow, func(q pattern) bool { return q.text == text }) {
		return nil
	}
	if len(b.allow)+len(b.deny) >= maxPatterns {
		return fmt.Errorf("host pattern %s: there are %d already, no more can be granted", quoted(text), maxPatterns)
	}
	b.allow = append(b.allow, p)
	return nil
}

// denies answers the pattern that denies t by its name or address.
func (b *book) denies(t target) (string, bool) {
	return b.find(&b.deny, func(p pattern) bool { return p.matches(t) })
}

// allows says whether t is listed, by its name or by its address.
func (b *book) allows(t target) bool {
	_, ok := b.find(&b.allow, func(p pattern) bool { return p.matches(t) })
	return ok
}

// matches says whether t is what the pattern is about, by its name or its address.
func (p pattern) matches(t target) bool {
	return p.matchesName(t.name, t.port) || t.addr.IsValid() && p.matchesAddr(t.addr, t.port)
}

// opens says whether an address that isn't public is listed, and meant: a range
// that reaches beyond the block (0.0.0.0/0) was written for something else.
func (b *book) opens(addr netip.Addr, port uint16, within netip.Prefix) bool {
	_, ok := b.find(&b.allow, func(p pattern) bool {
		return p.matchesAddr(addr, port) && p.prefix.Bits() >= within.Bits()
	})
	return ok
}

func (b *book) find(list *[]pattern, is func(pattern) bool) (string, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if i := slices.IndexFunc(*list, is); i >= 0 {
		return (*list)[i].text, true
	}
	return "", false
}
