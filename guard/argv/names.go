// Package argv reads the arguments of programs: which of them are options, which of
// those take a value, and what the program does with it. A Spec says how a program
// reads its own; there is one reader for all.
package argv

import (
	"iter"
	"regexp"
	"strings"
	"sync"
)

// NameSet are the words of a text, read when the first one is looked for: most sets
// never are, and reading them all would be a part of every start. Nor does making one
// run anything: the compiler lays it out.
type NameSet struct {
	words string
	rows  *string // where they are instead, in lines of "names" and these words
	once  sync.Once
	set   map[string]bool
}

// Names takes the words of a text, blanks between them.
func Names(words string) *NameSet { return &NameSet{words: words} }

// NamesOf takes those of the rows "names KEY WORDS" of a text.
func NamesOf(text *string, key string) *NameSet { return &NameSet{words: key, rows: text} }

// Has reports whether name is one of them; an empty set has none.
func (n *NameSet) Has(name string) bool {
	if n == nil {
		return false
	}
	n.once.Do(func() {
		words := strings.Fields(n.words)
		if n.rows != nil {
			words = Lists(*n.rows, "names")[n.words]
		}
		n.set = map[string]bool{}
		for _, word := range words {
			n.set[word] = true
		}
	})
	return n.set[name]
}

// Pattern is compiled when it is first asked for: a regular expression takes longer than
// many a command.
func Pattern(s string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}

// Rows are the lines of a text: the first word of each, and what follows it. "#" begins
// a comment.
func Rows(text string) iter.Seq2[string, string] {
	return func(yield func(key, rest string) bool) {
		for line := range strings.Lines(text) {
			key, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			if key != "" && key[0] != '#' && !yield(key, strings.TrimSpace(rest)) {
				return
			}
		}
	}
}

// Kinds are, by name, the kinds of the names in a text's rows of "KEY KIND NAMES".
func Kinds(text, key string) map[string]string {
	kinds := map[string]string{}
	for k, rest := range Rows(text) {
		if kind, names, _ := strings.Cut(rest, " "); k == key {
			for name := range strings.FieldsSeq(names) {
				kinds[name] = kind
			}
		}
	}
	return kinds
}

// Lists are, by name, the words of a text's rows of "KEY NAME WORDS"; a name may be several,
// as a|b.
func Lists(text, key string) map[string][]string {
	lists := map[string][]string{}
	for k, rest := range Rows(text) {
		if names, words, _ := strings.Cut(rest, " "); k == key {
			for name := range strings.SplitSeq(names, "|") {
				lists[name] = append(lists[name], strings.Fields(words)...)
			}
		}
	}
	return lists
}
