// Package lang reads one-liners and scripts in other languages as far as they tell
// what they do: where strings end, which calls run programs, touch files or talk to
// hosts. It has no grammar of any of them, and is not led astray by what it can't
// read.
package lang

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Language is the surface of a language as far as one-liners need it: where
// strings and comments begin and end, so that `print("rm -rf /")` is text and
// os.system("rm -rf /") is not.
type Language struct {
	Name     string
	Comments []string  // starts of comments that end with the line
	block    [2]string // a comment that doesn't
	Quotes   string    // characters that begin a string
	raw      string    // those of quotes in which a backslash is only itself
	backtick byte      // 'c' runs a command, 't' is a template, 0 is nothing
	hole     string    // what begins code inside a double-quoted string
	Sigils   string    // characters that are part of a name when they begin it
	joins    string    // the operator that joins two strings
	quoting  string    // "perl" or "ruby": q{} qx{} s///e, %x{} %q{}
	long     bool      // [[…]] is a string
	Regexes  bool      // /…/ may be a pattern
	Lines    bool      // a line's end ends the statement
	bare     bool      // a call needs no parentheses
	braces   bool      // $x{…} is a member
	named    byte      // what follows the name of a named argument
}

// languagesText is the names of languages' programs and files, and their options.
//
//go:embed languages.txt
var languagesText string

// Looks are the languages, by the names that models and languages.txt have for them.
var Looks = sync.OnceValue(func() map[string]*Language {
	return map[string]*Language{
		"python": &Python, "node": &javascript, "perl": &perl, "ruby": &Ruby, "php": &php, "lua": &Lua, "r": &rLang,
		"julia": &julia, "osascript": &appleScript, "tcl": &tcl, "single": &RareSingle, "double": &RareDouble, "lisp": &Lisp,
	}
})

// Languages by the programs that run them.
var Languages = sync.OnceValue(func() map[string]*Language { return looksBy("programs") })

func looksBy(key string) map[string]*Language {
	m := map[string]*Language{}
	for look, names := range argv.Lists(languagesText, key) {
		for _, name := range names {
			m[name] = Looks()[look]
		}
	}
	return m
}

// LanguageOf finds the language of python3.12 as well as of python3.
func LanguageOf(name string) *Language {
	if l, ok := Languages()[name]; ok {
		return l
	}
	short := strings.TrimRight(name, "0123456789.")
	if short == "" || short == "r" {
		return nil
	}
	return Languages()[strings.TrimRight(short, "-")]
}

// call is what a function of a language does with its arguments.
type call func(s *script, name string, args arguments) value

// Family is the interpreters, and code in their languages.
func Family() run.Family {
	f := run.Family{
		Does: map[string]shell.Handler{}, Kinds: map[string]run.Kind{"source": sourceFile},
		Code:  func(name string) bool { return LanguageOf(name) != nil },
		Named: interpreterOf,
		After: []run.Look{rare},
	}
	for name, l := range Languages() {
		f.Does[name] = Interpreter
		f.Kinds[name] = func(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
			Foreign(w, st, l, construct, a, nil, effect.Stream{}, false)
		}
	}
	return f
}

// interpreterOf is for python3.12.
func interpreterOf(written string) shell.Handler {
	if LanguageOf(argv.Base(written)) != nil {
		return Interpreter
	}
	return nil
}
