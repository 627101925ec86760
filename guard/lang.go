package guard

import "strings"

// language is the surface of a language as far as one-liners need it: where
// strings and comments begin and end, so that `print("rm -rf /")` is text and
// os.system("rm -rf /") is not.
type language struct {
	name     string
	comments []string  // starts of comments that end with the line
	block    [2]string // a comment that doesn't
	quotes   string    // characters that begin a string
	raw      string    // those of quotes in which a backslash is only itself
	backtick byte      // 'c' runs a command, 't' is a template, 0 is nothing
	hole     string    // what begins code inside a double-quoted string
	sigils   string    // characters that are part of a name when they begin it
	joins    string    // the operator that joins two strings
	quoting  string    // "perl" or "ruby": q{} qx{} s///e, %x{} %q{}
	long     bool      // [[…]] is a string
	regexes  bool      // /…/ may be a pattern
	lines    bool      // a line's end ends the statement
	bare     bool      // a call needs no parentheses
	braces   bool      // $x{…} is a member
	named    byte      // what follows the name of a named argument
	calls    map[string]call
}

// languages by the programs that run them.
var languages = map[string]*language{}

func fillLanguages() {
	for names, l := range map[string]*language{
		"python python2 python3 pypy pypy3 ipython ipython3 bpython micropython": &python,
		"node nodejs deno bun qjs d8 tsx ts-node":                                &javascript,
		"perl perl5":                                    &perl,
		"ruby irb jruby truffleruby":                    &ruby,
		"php php8 php7 php-cli":                         &php,
		"lua luajit lua5.1 lua5.2 lua5.3 lua5.4 texlua": &lua,
		"Rscript R littler r":                           &rLang,
		"julia":                                         &julia,
		"osascript":                                     &appleScript,
		"tclsh expect wish":                             &tcl,
	} {
		for name := range strings.FieldsSeq(names) {
			languages[name] = l
		}
	}
}

// languageOf finds the language of python3.12 as well as of python3.
func languageOf(name string) *language {
	if l, ok := languages[name]; ok {
		return l
	}
	short := strings.TrimRight(name, "0123456789.")
	if short == "" || short == "r" {
		return nil
	}
	return languages[strings.TrimRight(short, "-")]
}

// call is what a function of a language does with its arguments.
type call func(s *script, name string, args arguments) value

// calls reads rows of a table: names, and what they do.
func calls(rows ...any) map[string]call {
	m := map[string]call{}
	for i := 0; i+1 < len(rows); i += 2 {
		names, _ := rows[i].(string)
		does, _ := rows[i+1].(func(s *script, name string, args arguments) value)
		for name := range strings.FieldsSeq(names) {
			m[name] = does
		}
	}
	return m
}
