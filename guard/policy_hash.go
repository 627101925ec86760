package guard

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"
)

// Hash identifies everything that decides a verdict, rules included, as
// "sha256:…": an approval given under one policy is not one under another.
func (p Policy) Hash() string {
	own := p.members(make([]byte, 0, 1<<10))
	whole := p.replaced(own)
	if last := lastHash.Load(); last != nil && last.policy == string(whole) {
		return last.hash
	}
	h := sha256.New()
	h.Write(own)
	h.Write(p.decided())
	now := &hashed{policy: string(whole), hash: fmt.Sprintf("sha256:%x", h.Sum(nil))}
	lastHash.Store(now)
	return now.hash
}

// lastHash is the hash that was made last, and what it is of. A session has one
// policy, and hashing that was a quarter of the judgement of a small command.
var lastHash atomic.Pointer[hashed]

type hashed struct{ policy, hash string }

// members writes down what the policy itself says; Decisions speak through the
// rules they are about.
func (p Policy) members(b []byte) []byte {
	b = appendWords(b, p.ID, p.Version, string(p.Rules), p.Closed, strconv.FormatBool(p.Restrict))
	b = appendWords(appendWords(appendWords(appendWords(b, p.Roots...), p.Bound...), p.Programs...), p.AllowPatterns...)
	b = appendLists(b, p.Filters)
	b = appendCount(b, len(p.Custom))
	for _, r := range p.Custom {
		b = appendWords(b, r.ID, string(r.Decision), r.Message, r.Why, r.Safer)
		b = appendLists(appendLists(b, r.Prefix), r.Contains)
		b = appendWords(appendWords(b, r.Match...), r.NotMatch...)
	}
	return b
}

func (p Policy) replaced(b []byte) []byte {
	for _, id := range slices.Sorted(maps.Keys(p.Decisions)) {
		b = appendWords(b, id, string(p.Decisions[id]))
	}
	return b
}

// decided are the built-in rules and what happens to what they find.
func (p Policy) decided() (b []byte) {
	rows := p.book()
	for _, r := range rows.Rows {
		b = appendWords(b, r.ID, string(rows.Decision(&r)), strconv.Itoa(int(r.Severity)))
	}
	return b
}

// appendWords writes strings down so that no others look the same: how many there
// are, and each behind its length.
func appendWords[S ~string](b []byte, list ...S) []byte {
	b = appendCount(b, len(list))
	for _, s := range list {
		b = append(appendCount(b, len(s)), s...)
	}
	return b
}

func appendLists(b []byte, all [][]string) []byte {
	b = appendCount(b, len(all))
	for _, one := range all {
		b = appendWords(b, one...)
	}
	return b
}

func appendCount(b []byte, n int) []byte {
	return append(strconv.AppendInt(b, int64(n), 10), ':')
}
