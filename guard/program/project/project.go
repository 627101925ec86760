package project

import (
	_ "embed"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// namesText says which files and packages run.
//
//go:embed names.txt
var namesText string

var projectPatterns = sync.OnceValue(func() map[string][]string { return argv.Lists(namesText, "runs") })

// project judges the files that this command has written and that a program runs
// on its own account: `printf '…' > Makefile; make`.
func project(w *shell.Walker, st *shell.State, name string, args []effect.Arg) {
	if len(w.Made)+len(w.Pipes) == 0 && name != "rails" || !w.Deeper() {
		return
	}
	defer w.Back()
	if name == "tcc" && len(args) > 1 && args[0].Text == "-run" {
		lang.RunSource(w, st, &lang.RareDouble, name, args[1])
		return
	}
	switch name {
	case "make", "gmake":
		madeMakefile(w, st, args)
	case "rails":
		if len(args) > 1 && (args[0].Text == "runner" || args[0].Text == "r") {
			lang.Foreign(w, st, &lang.Ruby, "rails runner", args[1], nil, effect.Stream{}, false)
		}
	case "cmake":
		madeLists(w, st, args)
	case "task", "go-task", "lefthook":
		madeTasks(w, st, "Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "lefthook.yml", ".lefthook.yml")
	case "bats":
		for _, a := range args {
			madeTests(w, st, a)
		}
	case "direnv":
		w.Script(st, w.Here("direnv"), w.Here(".envrc"), syntax.LangBash)
	case "just":
		madeRecipes(w, st, "justfile", "Justfile", ".justfile")
	case "npm", "yarn", "pnpm", "bun", "composer":
		madeScripts(w, st, name, args)
	case "gcc", "g++", "cc", "c++", "clang", "clang++", "rustc", "ghc", "ocamlfind", "ocamlopt", "gfortran", "tcc", "nim",
		"crystal", "javac":
		compiles(w, st, name, args)
		return
	}
	madeScript(w, st, name, args)
	snippets(w, st, name, args)
	if name == "go" && len(args) > 0 && args[0].Text == "generate" {
		madeDirectives(w, st)
	}
	if builds(name, args) {
		compiles(w, st, name, args)
		return
	}
	for _, pattern := range projectPatterns()[name] {
		runMatching(w, st, name, pattern)
	}
	if lang.LanguageOf(name) != nil {
		runNamed(w, st, name, args, loadsFirst)
	} else if projectPatterns()[name] != nil {
		runNamed(w, st, name, args, nil)
	}
}

// snippets are files that an interpreter of texts is given.
func snippets(w *shell.Walker, st *shell.State, name string, args []effect.Arg) {
	r := lang.SnippetsOf(name)
	if r == nil {
		return
	}
	for _, a := range args {
		l := lang.SourceOf(a.Text)
		if l == nil {
			l = lang.Looks()[r.Look] // ./x that begins with #!/usr/bin/env elixir
		}
		lang.RunSource(w, st, l, name, a)
	}
}

// loadsFirst are the options with which an interpreter loads a file before its script.
var loadsFirst = argv.Names("-r --require --import --preload --loader --experimental-loader")

// runNamed judges the written files that one of the options names, or of all without one:
// settings that are code and modules loaded first: `eslint -c x.js`, `node -r ./x.js`,
// `perl -MX`.
func runNamed(w *shell.Walker, st *shell.State, name string, args []effect.Arg, options *argv.NameSet) {
	for i, a := range args {
		named := i > 0 && strings.HasPrefix(args[i-1].Text, "-") && (options == nil || options.Has(args[i-1].Text))
		if value, ok := strings.CutPrefix(a.Text, "-"); ok {
			_, after, joined := strings.Cut(value, "=")
			switch {
			case joined:
				a = a.Tail(after)
			case len(value) > 1 && value[0] == 'r':
				a = a.Tail(value[1:])
			case len(value) > 1 && value[0] == 'M':
				a = a.Tail(strings.ReplaceAll(value[1:], "::", "/") + ".pm")
			default:
				continue
			}
			named = true
		}
		if named && w.Spend(1) {
			lang.RunSource(w, st, lang.SourceOf(a.Text), name, a)
		}
	}
}

// builds reports a subcommand that only compiles: what it makes runs later.
func builds(name string, args []effect.Arg) bool {
	return name == "go" && len(args) > 0 &&
		effect.Among(args[0].Text, `build vet fmt mod get list env doc version install work clean tool`) ||
		name == "cargo" && len(args) > 0 && effect.Among(args[0].Text, `fmt add new init search tree metadata update
			remove`)
}

// matching are the written files whose base name matches.
func matching(w *shell.Walker, pattern string) (files []string) {
	for _, file := range slices.Sorted(maps.Keys(w.Made)) { // so that a verdict never varies
		if ok, err := path.Match(pattern, path.Base(file)); ok && err == nil && w.Spend(1) {
			files = append(files, file)
		}
	}
	return files
}

// runMatching judges the written files whose base name matches.
func runMatching(w *shell.Walker, st *shell.State, name, pattern string) {
	for _, file := range matching(w, pattern) {
		l := lang.SourceOf(file)
		if path.Base(file) == "SConstruct" {
			l = &lang.Python
		}
		lang.RunSource(w, st, l, name, w.Here(file))
	}
}

// compiles lets what a compiler makes of a source run that source.
func compiles(w *shell.Walker, st *shell.State, name string, args []effect.Arg) {
	out := argv.Values(args, "-o")
	if name == "go" && len(out) == 0 {
		out = []effect.Arg{{Text: path.Base(st.Cwds[0])}, {Text: "main"}}
	} else if len(out) == 0 {
		out = []effect.Arg{{Text: "a.out"}}
	}
	for _, a := range args {
		if l := lang.SourceOf(a.Text); l == &lang.RareDouble || l == &lang.RareSingle {
			for _, s := range w.Contents(st, a.Text) {
				targets := append(slices.Clip(out), a.Tail(strings.TrimSuffix(path.Base(a.Text), path.Ext(a.Text))))
				w.Keep(st, targets, effect.Stream{Text: fromCompiler + s.Text, From: s.From}, false)
			}
		}
	}
	if name == "go" {
		compiledHere(w, st, out)
	}
}

// compiledHere is go build without a file's name: all of the folder.
func compiledHere(w *shell.Walker, st *shell.State, out []effect.Arg) {
	var texts []string
	for file, made := range w.Made {
		if strings.HasSuffix(file, ".go") && w.Spend(1) {
			texts = append(texts, made[len(made)-1].Text)
		}
	}
	slices.Sort(texts)
	for _, text := range texts {
		w.Keep(st, out, effect.Stream{Text: fromCompiler + text}, false)
	}
}

// fromCompiler begins what is kept of a compiler's output; such files are run by
// what they were made of.
const fromCompiler = "#!/usr/bin/tcc -run\n"
