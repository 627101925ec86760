package guard

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"sync"
)

// Hash identifies everything that decides a verdict, rules included, as
// "sha256:…": an approval given under one policy is not one under another.
func (p Policy) Hash() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q %q %q\n", p.ID, p.Version, p.Rules, p.Roots, p.Bound, p.Programs)
	fmt.Fprintf(h, "%q %t %q %q\n", p.Filters, p.Restrict, p.AllowPatterns, p.Closed)
	for _, r := range p.Custom {
		fmt.Fprintf(h, "%q %q %q %q %q %q %q %q %q\n", r.ID, r.Decision, r.Prefix, r.Contains, r.Message, r.Why, r.Safer, r.Match, r.NotMatch)
	}
	h.Write(p.decisions())
	return fmt.Sprintf("sha256:%x", h.Sum(nil))
}

// decisions are the built-in rules and what happens to what they find. They are
// the same for every command, and written down once where no policy changes them.
func (p Policy) decisions() []byte {
	if len(p.Decisions) > 0 {
		return p.decided()
	}
	if ready, ok := undecided()[p.Rules]; ok {
		return ready()
	}
	return undecided()[BalancedRules]()
}

var undecided = sync.OnceValue(func() map[RuleSet]func() []byte {
	m := map[RuleSet]func() []byte{BalancedRules: sync.OnceValue(Policy{}.decided)}
	for name := range ruleSets() {
		m[name] = sync.OnceValue(Policy{Rules: name}.decided)
	}
	return m
})

func (p Policy) decided() []byte {
	rows := p.table()
	out := make([]byte, 0, 40*len(rows))
	for i := range rows {
		out = append(strconv.AppendQuote(out, rows[i].ID), ' ')
		out = append(strconv.AppendQuote(out, string(p.decision(&rows[i]))), ' ')
		out = append(strconv.AppendInt(out, int64(rows[i].Severity), 10), '\n')
	}
	return out
}
