package guard

import (
	"slices"
	"strings"
)

// rareRunner is a program that runs code of such a language.
type rareRunner struct {
	l     *language
	code  []string // options with code: the next argument, or what follows = or :
	verbs []string // subcommands whose operand is code
}

// rareTable names the programs, their options with code and, after |, the
// subcommands with code.
var rareTable = [...]struct {
	names, code string
	l           *language
}{
	{"elixir iex", "-e --eval --rpc-eval", &rareSingle},
	{"erl", "-eval", &rareDouble},
	{"groovy groovysh", "-e", &rareSingle},
	{"scala scala-cli amm", "-e --code -c -execute-snippet", &rareDouble},
	{"kotlin kotlinc", "-e -expression", &rareDouble},
	{"swift", "-e", &rareDouble},
	{"crystal", "| eval", &rareDouble},
	{"nim", "--eval", &rareDouble},
	{"ghc ghci runghc runhaskell", "-e", &rareDouble},
	{"ocaml utop", "-e", &rareDouble},
	{"octave octave-cli", "--eval", &rareSingle},
	{"matlab", "-batch -r", &rareSingle},
	{"gnuplot", "-e", &rareSingle},
	{"raku perl6", "-e", &rareSingle},
	{"swipl yap gprolog", "-g -t --goal", &rareSingle},
	{"coffee", "-e", &rareSingle},
	{"mix", "-e --eval | eval", &rareSingle},
	{"racket guile guile3.0 clojure clj bb sbcl ecl clisp ccl abcl janet fennel hy lein gosh csi chicken", "-e -c --eval -eval -x -M -i", &lisp},
	{"tcc rust-script gorun jshell dotnet-script zig dart dmd rdmd", "-e", &rareDouble},
	{"puppet chef-apply", "-e --execute", &rareSingle},
	{"go", "", &rareDouble},
	{"java", "", &rareDouble},
}

var rareRunners = map[string]rareRunner{}

func fillRareRunners() {
	for _, row := range rareTable {
		code, verbs, _ := strings.Cut(row.code, "|")
		for name := range strings.FieldsSeq(row.names) {
			rareRunners[name] = rareRunner{row.l, strings.Fields(code), strings.Fields(verbs)}
		}
	}
}

// rare judges what such a program is given to run: code in an option, a file
// that this command wrote, or its input.
func (w *walker) rare(st *state, name string, args []arg, in stream) {
	r, ok := rareRunners[name]
	if !ok {
		return
	}
	found := false
	for _, code := range r.snippets(args) {
		found = true
		if !w.remoteCode(r.l, name, code) {
			w.rareCode(st, r.l, name, code)
		}
	}
	if found || len(r.code) == 0 || slices.ContainsFunc(args, func(a arg) bool { return !strings.HasPrefix(a.text, "-") }) || !in.open || in.file {
		return
	}
	code := arg{text: in.text, index: w.at.index, span: w.at.whole, from: in.from}
	if fetched(in.from) {
		w.emitAt(code, effect{kind: kindCode, name: name, text: name + " < …", from: in.from})
	} else if in.text != unknown {
		w.rareCode(st, r.l, name+" < …", code)
	}
}

func (r rareRunner) snippets(args []arg) (out []arg) {
	for i, a := range args {
		next := i+1 < len(args)
		switch {
		case slices.Contains(r.code, a.text) && next, i == 0 && slices.Contains(r.verbs, a.text) && next:
			out = append(out, args[i+1])
		default:
			for _, option := range r.code {
				if text, ok := strings.CutPrefix(a.text, option); ok && text != "" && (text[0] == '=' || text[0] == ':') {
					out = append(out, a.tail(text[1:]))
				}
			}
		}
	}
	return out
}

// remoteCode reports code of which a part outside its strings came over the
// network or out of a decoder: python3 -c "$(curl …)".
func (w *walker) remoteCode(l *language, construct string, code arg) bool {
	if !foreign(code.from) || !strings.Contains(code.text, unknown) || !w.spend(1+len(code.text)/64) {
		return false
	}
	for _, t := range tokens(l, code.text) {
		if t.kind != tokString && strings.Contains(t.text, unknown) {
			w.emitAt(code, effect{kind: kindCode, name: construct, text: construct, from: code.from})
			return true
		}
	}
	return false
}
