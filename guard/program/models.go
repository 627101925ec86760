package program

import (
	"embed"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
)

// entry is a model that is read when its program is met.
type entry struct {
	names, block string
	once         sync.Once
	model        *Model
}

// entries is every program that a model is about, by name.
var entries = sync.OnceValue(func() map[string]*entry {
	all := make(map[string]*entry, 1024)
	Blocks(func(names, block string) {
		e := &entry{names: names, block: block}
		for name := range strings.FieldsSeq(names) {
			all[name] = e
		}
	})
	return all
})

// Names are those of all programs that a model is about.
func Names() iter.Seq[string] { return maps.Keys(entries()) }

// Of is nil for a program that no model is about.
func Of(name string) *Model {
	e := entries()[name]
	if i := strings.IndexByte(name, '.'); e == nil && i > 0 { // mkfs.ext4
		e = entries()[name[:i]+".*"]
	}
	if e == nil {
		return nil
	}
	e.once.Do(func() {
		var err error
		if e.model, err = Parse(e.names, e.block); err != nil {
			panic(err) // a test reads them all
		}
	})
	return e.model
}

// SpecOf is how a program reads its arguments; ok is false if that is not known.
func SpecOf(name string) (s *argv.Spec, ok bool) {
	if m := Of(name); m != nil && m.Spec != nil {
		return m.Spec, true
	}
	return nil, false
}

// MustSpec is SpecOf for a program that a model is about.
func MustSpec(name string) *argv.Spec {
	s, _ := SpecOf(name)
	return s
}

// WrapperOf is nil for a program that is no wrapper.
func WrapperOf(name string) *Wrapper {
	if m := Of(name); m != nil {
		return m.Wrapper
	}
	return nil
}

// Said is what a model has under a key, "" without a model.
func Said(name, key string) string {
	if m := Of(name); m != nil {
		return m.Get(key)
	}
	return ""
}

// Told are the ids of rules that the model of e's program names for what e asks of it. A
// script of the workspace is not the program it is called like.
func Told(e *effect.Effect) (ids []string) {
	name, args := Launched(e.Name, e.Args)
	m := Of(name)
	if m == nil && place.Drive(e.Text) {
		m = Of(strings.ToLower(name))
	}
	if m == nil {
		return nil
	}
	for meaning := range m.Means {
		if strings.Contains(meaning, "/") && m.says(meaning, name, args) {
			ids = append(ids, meaning)
		}
	}
	return ids
}

// Contained are the meanings whose phrases are in a text of another language.
func (m *Model) Contained(name, text string) (list []string) {
	plain := []effect.Arg{{Text: strings.ToLower(unquoted.Replace(unjoined.Replace(text)))}}
	for _, meaning := range slices.Sorted(maps.Keys(m.Means)) {
		if m.says(meaning, name, plain) {
			list = append(list, meaning)
		}
	}
	return list
}

// texts are the models of all families, each beside the code of its family.
//
//go:embed *.txt */*.txt
var texts embed.FS

// mark begins a model.
const mark = "\nprogram "

// Blocks calls f with the names and the unread text of every model. Reading them
// all would be a part of every start, and most are never met.
func Blocks(f func(names, block string)) {
	for _, pattern := range []string{"*.txt", "*/*.txt"} {
		files, _ := fs.Glob(texts, pattern) // the pattern is not malformed
		for _, file := range files {
			text, _ := texts.ReadFile(file) // it is there
			blocks(string(text), f)
		}
	}
}

func blocks(text string, f func(names, block string)) {
	_, rest, found := strings.Cut("\n"+text, mark)
	for found {
		var block string
		block, rest, found = strings.Cut(rest, mark)
		names, block, _ := strings.Cut(block, "\n")
		f(names, block)
	}
}

// Snippets is a program that runs code in a language that is seen seldom.
type Snippets struct {
	Look  string   // what its language looks like
	Code  []string // options with code: the next argument, or what follows = or :
	verbs []string // subcommands whose operand is code
}

// newSnippets reads "LOOK options | verbs" of a model.
func newSnippets(text string) *Snippets {
	look, rest, _ := strings.Cut(text, " ")
	code, verbs, _ := strings.Cut(rest, "|")
	return &Snippets{look, strings.Fields(code), strings.Fields(verbs)}
}

// In are the pieces of code among the arguments.
func (r *Snippets) In(args []effect.Arg) (out []effect.Arg) {
	for i, a := range args {
		next := i+1 < len(args)
		switch {
		case slices.Contains(r.Code, a.Text) && next, i == 0 && slices.Contains(r.verbs, a.Text) && next:
			out = append(out, args[i+1])
		default:
			for _, option := range r.Code {
				if text, ok := strings.CutPrefix(a.Text, option); ok && text != "" && (text[0] == '=' || text[0] == ':') {
					out = append(out, a.Tail(text[1:]))
				}
			}
		}
	}
	return out
}
