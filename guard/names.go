package guard

import (
	"strings"
	"sync"
)

// nameSet are the words of a text, read when the first one is looked for: most sets
// never are, and reading them all would be a part of every start. Nor does making one
// run anything: the compiler lays it out.
type nameSet struct {
	words string
	once  sync.Once
	set   map[string]bool
}

func names(words string) *nameSet { return &nameSet{words: words} }

// has reports whether name is one of them; no set has none.
func (n *nameSet) has(name string) bool {
	if n == nil {
		return false
	}
	n.once.Do(func() {
		n.set = map[string]bool{}
		for word := range strings.FieldsSeq(n.words) {
			n.set[word] = true
		}
	})
	return n.set[name]
}
