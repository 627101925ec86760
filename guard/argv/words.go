// Package argv reads the arguments of programs: which of them are options, which of
// those take a value, and what the program does with it. A Spec says how a program
// reads its own; there is one reader for all.
package argv

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/effect"
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

// Begins reports that the words begin with a phrase, whose words may end in "*".
func Begins(words, phrase []string) bool {
	if len(words) < len(phrase) {
		return false
	}
	for i, p := range phrase {
		prefix, wild := strings.CutSuffix(p, "*")
		if words[i] != p && !(wild && strings.HasPrefix(words[i], prefix)) {
			return false
		}
	}
	return true
}

// Rehearsal reports options with which tools only say what they would do.
func Rehearsal(args []effect.Arg) bool {
	return slices.ContainsFunc(args, func(a effect.Arg) bool { // every phrase asks: no list is as fast
		switch a.Text {
		case "--dry-run", "--dryrun", "--dry-run=client", "--dry-run=server", "--dry-run=true", "--help", "--check",
			"--syntax-check", "--list-tasks", "--list-hosts", "--plan", "--simulate", "--just-print", "--preview":
			return true
		}
		return false
	})
}

// SkipOptions are the arguments from the first one that is not an option.
func SkipOptions(args []effect.Arg) []effect.Arg {
	for len(args) > 0 && strings.HasPrefix(args[0].Text, "-") {
		args = args[1:]
	}
	return args
}

// Values are the values of an option in its spellings: -o x, -ox, -sSo x, -sox,
// --output x, --output=x. The letters before it are taken for options without
// a value: one name too many does no harm.
func Values(args []effect.Arg, names ...string) []effect.Arg {
	var out []effect.Arg
	for i, a := range args {
		for _, name := range names {
			text, ok := strings.CutPrefix(a.Text, name)
			if long := strings.HasPrefix(name, "--"); long {
				if ok = ok && (text == "" || text[0] == '='); ok && text != "" {
					out = append(out, effect.Renamed(a, text[1:]))
					continue
				}
			} else if ok = Cluster(a.Text, name[1:]); ok {
				_, text, _ = strings.Cut(a.Text, name[1:])
				if text != "" {
					out = append(out, effect.Renamed(a, text))
					continue
				}
			}
			if ok && i+1 < len(args) {
				out = append(out, args[i+1])
			}
		}
	}
	return out
}

// Cluster reports a cluster of one-letter options that has one of the letters.
func Cluster(text, letters string) bool {
	return len(text) > 1 && text[0] == '-' && text[1] != '-' && strings.ContainsAny(text[1:], letters)
}

// Base is a program's name without its directory.
func Base(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if i := strings.LastIndexByte(name, '\\'); i >= 0 {
		name = name[i+1:]
	}
	return strings.TrimSuffix(name, ".exe")
}

// Quote makes one word of s for any shell.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Word is s as a person types it: quoted where any shell could take it for something else,
// and where it is not ASCII, for some take a strange blank for one.
func Word(s string) string {
	for i, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte("/._-+:,@%", c) >= 0:
		case c == '=' && i > 0: // in front zsh would look for a program
		default:
			return Quote(s)
		}
	}
	if s == "" {
		return Quote(s)
	}
	return s
}

// Typed are words as a person types them, as one text.
func Typed(words []string) string {
	return each(words, Word)
}

// QuotedWords are the words, each quoted, as one text.
func QuotedWords(words []string) string {
	return each(words, Quote)
}

func each(words []string, as func(string) string) string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = as(word)
	}
	return strings.Join(out, " ")
}

// Recursive reports -r, -R and --recursive among options.
func Recursive(bare []string) bool {
	return slices.ContainsFunc(bare, func(b string) bool {
		return !strings.HasPrefix(b, "--") && strings.ContainsAny(b, "rR") ||
			len(b) > 3 && strings.HasPrefix("--recursive", b)
	})
}

// AnyText reports an argument whose text f accepts.
func AnyText(args []effect.Arg, f func(string) bool) bool {
	return slices.ContainsFunc(args, func(a effect.Arg) bool { return f(a.Text) })
}

// Has reports an argument that is one of the words.
func Has(args []effect.Arg, words ...string) bool {
	return AnyText(args, func(s string) bool { return slices.Contains(words, s) })
}

// AnyFold reports a word in any case, as Windows programs read them.
func AnyFold(args []effect.Arg, words ...string) bool {
	return AnyText(args, func(s string) bool { return slices.Contains(words, strings.ToLower(s)) })
}

// MaxLink bounds the text of one link of a chain.
const MaxLink = 200

// Summary is the beginning of a command's arguments, for a link.
func Summary(args []effect.Arg) string {
	var b strings.Builder
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		if b.WriteString(a.Text); b.Len() > MaxLink {
			break
		}
	}
	return b.String()
}
