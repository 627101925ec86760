// Package program is what the guard knows of programs: one Model each, written down once
// for every reader of an argv. A model is text: it says how the program's arguments are
// read, which of them run or load other things, and what its verbs mean to the rules. It
// knows no rule and no shell.
//
// A family is a file NAME.txt, a model a block in it:
//
//	program aria2c                     its names
//	  operands ???                     what it does with its first, every and last operand
//	  options  -o> --out> -i<          options with a value, and what it does with that
//	  runs     --on-download-stop=open options whose value is code, and of what kind
//	  command  1 -k: --signal:         its operands are a command, after so many of its own
//	  starts   exec run:1              after these words, and so many more, a command follows
//	  with     -p: --package:          options of those words
//	  elsewhere  exec:1 ssh=-c|--cmd   words after which, and so many operands more, a command
//	                                   for another machine comes, or in an option of theirs
//	  after    --                      a command follows such a word
//	  text     exec-env                operands after this word are shell text; "*" for all
//	  operand  sqlite                  operands but the first are code of this kind
//	  input    bang                    so is what it reads from its standard input
//	  code     single -e | eval        options, and verbs, with code in a language
//	  global   -C: -c:         options before the verb, and
//	  verb     push -o:        those of a verb: where they are told, a phrase is about the
//	                           verb's own options and operands
//	  like     git             it has that model's verbs and meanings, too
//	  means deploys  apply state+rm    what verbs mean: words joined by "+", options too;
//	                                   "." is the program, whatever it is told. "@loses"
//	                                   is any verb that takes something away. A meaning
//	                                   is the id of a rule, or a word a rule asks for
//	  unless deploys --dry     phrases with which the meaning does not hold
//	  finds power/off  aria2c --on-download-stop=reboot x   a command, and the rule that finds it
//	  fine     aria2c x                a command that no rule finds
//
// A key may be on several lines. The letters of operands and options are those of package
// guard: ":" no path, "<" read, "#" a list of paths, "+" used, ">" written, "x" deleted,
// "m" moved away, "@" where it works, "?" a path if it looks like one, "=" code that takes
// the first operand's place, "~" that from a file, "!" an option with which no content is
// shown. The kinds of code are package guard's, too.
package program

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
)

// Model is one block.
type Model struct {
	Names    []string
	Spec     *argv.Spec            // how its arguments are read; nil if that is not known
	Carrier  *argv.Carrier         // its options that carry code
	Wrapper  *Wrapper              // if its operands are a command
	Starts   map[string]int        // words after which a command follows, and so many operands before it
	With     *argv.Spec            // options of those words
	Snippets *Snippets             // if it runs code in a language that is seen seldom
	Means    map[string][]Phrase   // what its verbs mean to the rules
	Unless   map[string][]Phrase   // and with what they don't
	verbs    map[string]*argv.Spec // how they read their own options, by verb
	Global   *argv.Spec            // how options before the verb are read
	Instead  []Instead
	Finds    []Example
	Fine     []string
	words    map[string]string
}

// Wrapper is a program that runs the command in its arguments: how many operands of its
// own come before it, and its options. Exact arities matter: taking an option's value for
// the program is how a wrapper hides one.
type Wrapper struct {
	Operands int
	Spec     *argv.Spec
}

// Instead is what can be run in place of what a rule finds.
type Instead struct{ Rule, Verb, Does string }

// Example is a command and the rule that must find it.
type Example struct{ Rule, Command string }

// Keys are what a block may say once for the program as a whole.
var Keys = []string{
	"operands", "options", "runs", "command", "starts", "with", "elsewhere", "after", "text", "operand",
	"input", "code", "global", "like",
}

// Get is what the block says under one of Keys, all lines of it as one.
func (m *Model) Get(key string) string { return m.words[key] }

// Has reports that the block says anything under the key.
func (m *Model) Has(key string) bool { _, ok := m.words[key]; return ok }

// Parse reads a block without its first line.
func Parse(names, block string) (*Model, error) {
	m := &Model{
		Names: strings.Fields(names), words: map[string]string{}, Means: map[string][]Phrase{},
		Unless: map[string][]Phrase{},
	}
	for line := range strings.Lines(block) {
		key, rest := cutWord(strings.TrimSpace(line))
		switch {
		case key == "" || key[0] == '#':
		case key == "means", key == "unless":
			meaning, phrases := cutWord(rest)
			to := map[string]map[string][]Phrase{"means": m.Means, "unless": m.Unless}[key]
			for p := range strings.FieldsSeq(phrases) {
				to[meaning] = append(to[meaning], phraseOf(p))
			}
		case key == "verb":
			verbs, options := cutWord(rest)
			if m.verbs == nil {
				m.verbs = map[string]*argv.Spec{}
			}
			for verb := range strings.SplitSeq(verbs, "|") {
				m.verbs[verb] = argv.New(":::", options)
			}
		case key == "instead":
			in := Instead{}
			in.Rule, rest = cutWord(rest)
			in.Verb, in.Does = cutWord(rest)
			m.Instead = append(m.Instead, in)
		case key == "finds":
			rule, command := cutWord(rest)
			m.Finds = append(m.Finds, Example{rule, lines(command)})
		case key == "fine":
			m.Fine = append(m.Fine, lines(rest))
		case slices.Contains(Keys, key):
			m.words[key] = join(m.words[key], rest)
		default:
			return nil, fmt.Errorf("program %s: no such key: %s", names, key)
		}
	}
	m.read()
	return m, nil
}

// read makes of the words what readers of an argv need.
func (m *Model) read() {
	if m.Has("operands") || m.Has("options") {
		m.Spec = argv.New(cmp.Or(m.Get("operands"), "???"), m.Get("options"))
	}
	if runs := m.Get("runs"); runs != "" {
		m.Carrier = argv.NewCarrier(runs, m.Spec)
	}
	if own, flags, _ := strings.Cut(m.Get("command"), " "); own != "" {
		m.Wrapper = &Wrapper{int(own[0] - '0'), argv.New(":::", flags)}
	}
	if code := m.Get("code"); code != "" {
		m.Snippets = newSnippets(code)
	}
	m.Starts = map[string]int{}
	for word := range strings.FieldsSeq(m.Get("starts")) {
		word, own, _ := strings.Cut(word, ":")
		m.Starts[word], _ = strconv.Atoi(own)
	}
	m.With = argv.New(":::", m.Get("with"))
	m.Global = argv.New(":::", m.Get("global"))
	if like := Of(m.Get("like")); like != nil {
		m.verbs, m.Global = like.verbs, like.Global
		for meaning, phrases := range like.Means {
			m.Means[meaning] = append(m.Means[meaning], phrases...)
		}
		maps.Copy(m.Unless, like.Unless)
	}
}

// lines turns the sign for a line break into one.
func lines(command string) string { return strings.ReplaceAll(command, "⏎", "\n") }

func join(a, b string) string { return strings.TrimSpace(a + " " + b) }

func cutWord(s string) (word, rest string) {
	word, rest, _ = strings.Cut(s, " ")
	return word, strings.TrimSpace(rest)
}

// Meanings are all meanings of m, sorted.
func (m *Model) Meanings() []string { return slices.Sorted(maps.Keys(m.Means)) }
