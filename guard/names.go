package guard

import (
	"strings"
	"sync"
)

// nameSet are the words of a text, read when the first one is looked for: most sets
// never are, and reading them all would be a part of every start.
type nameSet func() map[string]bool

func names(words string) nameSet {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for word := range strings.FieldsSeq(words) {
			set[word] = true
		}
		return set
	})
}

// has reports whether name is one of them; no set has none.
func (n nameSet) has(name string) bool { return n != nil && n()[name] }
