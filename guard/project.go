package guard

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// sources are the languages of files by the end of their names. A file that this
// very command has written is judged as that language when something runs it.
var sources = map[string]*language{}

func fillSources() {
	for ends, l := range map[string]*language{
		".py .pyw": &python, ".js .mjs .cjs .ts .mts .cts .jsx .tsx": &javascript, ".rb .rake .gemspec .ru Rakefile Gemfile Vagrantfile Guardfile Podfile Fastfile Brewfile": &ruby, ".pl .pm .t": &perl, ".php": &php, ".lua": &lua, ".R .r": &rLang, ".jl": &julia, ".tcl .exp": &tcl,
		".ex .exs .groovy .gradle Jenkinsfile .m .gp .raku .coffee": &rareSingle, ".c .cc .cpp .cxx .h .go .rs .java .kt .kts .scala .sc .swift .hs .ml .nim .cr .erl .d .cs .zig .dart .v": &rareDouble, ".rkt .scm .clj .lisp .el .hy .fnl": &lisp,
	} {
		for end := range strings.FieldsSeq(ends) {
			sources[end] = l
		}
	}
}

func sourceOf(file string) *language {
	name := path.Base(file)
	if l, ok := sources[name]; ok {
		return l
	}
	return sources[path.Ext(name)]
}

// runSource judges what is known of a file in another language that is run now.
func (w *walker) runSource(st *state, l *language, construct string, file arg) {
	if l == nil || slices.Contains(w.calling, "file "+file.text) { // a Rakefile that runs rake
		return
	}
	w.calling = append(w.calling, "file "+file.text)
	for _, s := range w.contents(st, file.text) {
		w.runText(st, l, construct+" "+file.text, arg{text: s.text, index: file.index, span: file.span, from: s.from})
	}
	w.calling = w.calling[:len(w.calling)-1]
}

func (w *walker) runText(st *state, l *language, construct string, code arg) {
	switch {
	case w.remoteCode(l, construct, code):
	case strings.HasPrefix(code.text, unknown): // as good as any other file
	case l == &rareSingle || l == &rareDouble || l == &lisp:
		w.rareCode(st, l, construct, code)
	default:
		w.foreign(st, l, construct, code, nil, stream{}, false)
	}
}

// projectTable are the files of a project that a program runs without being told
// their names: program, patterns of base names.
var projectTable = [...][2]string{
	{"pytest py.test tox nox coverage", "conftest.py test_*.py *_test.py noxfile.py sitecustomize.py"},
	{"pip pip3 uv poetry pdm hatch", "setup.py"},
	{"jest vitest mocha ava tap c8 nyc npm yarn pnpm npx bun", "*.test.js *.test.ts *.spec.js *.spec.ts *.test.mjs *.test.cjs *.config.js *.config.ts *.config.mjs *.config.cjs .mocharc.js"},
	{"webpack vite rollup eslint prettier babel tsup esbuild next nuxt gulp grunt postcss tailwindcss", "*.config.js *.config.ts *.config.mjs *.config.cjs .eslintrc.js .eslintrc.cjs .prettierrc.js .babelrc.js gulpfile.js Gruntfile.js"},
	{"rake rspec bundle bundler rails", "Rakefile Gemfile *.rake *_spec.rb *_test.rb"},
	{"cargo", "*.rs"},
	{"go", "*.go"},
	{"gradle gradlew mvn sbt", "*.gradle *.gradle.kts *.java *.kt *.scala"},
	{"prove", "*.t"},
	{"mix elixir iex", "mix.exs *.exs *.ex"},
	{"swift", "*.swift"},
	{"phpunit composer", "*Test.php"},
	{"dotnet", "*.cs"},
	{"scons", "SConstruct"},
	{"flask gunicorn uvicorn hypercorn celery streamlit django-admin fastapi", "*.py"},
	{"invoke inv fab locust doit", "tasks.py fabfile.py locustfile.py dodo.py"},
	{"rackup puma gem vagrant guard pod fastlane brew", "config.ru *.gemspec Vagrantfile Guardfile Podfile Fastfile Brewfile"},
}

var projectFiles = map[string][]string{}

func fillProjectFiles() {
	for _, row := range projectTable {
		for name := range strings.FieldsSeq(row[0]) {
			projectFiles[name] = append(projectFiles[name], strings.Fields(row[1])...)
		}
	}
}

// project judges the files that this command has written and that a program runs
// on its own account: `printf '…' > Makefile; make`.
func (w *walker) project(st *state, name string, args []arg) {
	if len(w.made)+len(w.pipes) == 0 && name != "rails" || !w.deeper() {
		return
	}
	defer func() { w.nested-- }()
	switch name {
	case "tcc":
		if len(args) > 1 && args[0].text == "-run" {
			w.runSource(st, &rareDouble, name, args[1])
			return
		}
	}
	switch name {
	case "make", "gmake":
		w.madeMakefile(st, args)
	case "rails":
		if len(args) > 1 && (args[0].text == "runner" || args[0].text == "r") {
			w.foreign(st, &ruby, "rails runner", args[1], nil, stream{}, false)
		}
	case "cmake":
		w.madeLists(st, args)
	case "task", "go-task", "lefthook":
		w.madeTasks(st, "Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "lefthook.yml", ".lefthook.yml")
	case "bats":
		for _, a := range args {
			w.madeTests(st, a)
		}
	case "direnv":
		w.script(st, arg{text: "direnv", index: w.at.index, span: w.at.whole}, arg{text: ".envrc", index: w.at.index, span: w.at.whole}, syntax.LangBash)
	case "just":
		w.madeRecipes(st, "justfile", "Justfile", ".justfile")
	case "npm", "yarn", "pnpm", "bun":
		w.madeScripts(st, name, args)
	case "gcc", "g++", "cc", "c++", "clang", "clang++", "rustc", "ghc", "ocamlfind", "ocamlopt", "gfortran", "tcc", "nim", "crystal", "javac":
		w.compiles(st, name, args)
		return
	}
	w.madeScript(st, name, args)
	if r, listed := rareRunners[name]; listed {
		for _, a := range args {
			l := sourceOf(a.text)
			if l == nil {
				l = r.l // ./x that begins with #!/usr/bin/env elixir
			}
			w.runSource(st, l, name, a)
		}
	}
	if builds(name, args) {
		w.compiles(st, name, args)
		return
	}
	for _, pattern := range projectFiles[name] {
		w.runMatching(st, name, pattern)
	}
}

// builds reports a subcommand that only compiles: what it makes runs later.
func builds(name string, args []arg) bool {
	return name == "go" && len(args) > 0 && slices.Contains([]string{"build", "vet", "fmt", "mod", "get", "list", "env", "doc", "version", "install", "work", "clean", "tool"}, args[0].text) ||
		name == "cargo" && len(args) > 0 && slices.Contains([]string{"fmt", "add", "new", "init", "search", "tree", "metadata", "update", "remove"}, args[0].text)
}

// runMatching judges the written files whose base name matches.
func (w *walker) runMatching(st *state, name, pattern string) {
	var files []string
	for file := range w.made {
		if ok, err := path.Match(pattern, path.Base(file)); ok && err == nil && w.spend(1) {
			files = append(files, file)
		}
	}
	slices.Sort(files) // so that a verdict never varies
	for _, file := range files {
		l := sourceOf(file)
		if path.Base(file) == "SConstruct" {
			l = &python
		}
		w.runSource(st, l, name, arg{text: file, index: w.at.index, span: w.at.whole})
	}
}

// compiles lets what a compiler makes of a source run that source.
func (w *walker) compiles(st *state, name string, args []arg) {
	out := valuesOf(args, "-o")
	if name == "go" && len(out) == 0 {
		out = []arg{{text: path.Base(st.cwds[0])}, {text: "main"}}
	} else if len(out) == 0 {
		out = []arg{{text: "a.out"}}
	}
	for _, a := range args {
		if l := sourceOf(a.text); l == &rareDouble || l == &rareSingle {
			for _, s := range w.contents(st, a.text) {
				targets := append(slices.Clip(out), a.tail(strings.TrimSuffix(path.Base(a.text), path.Ext(a.text))))
				w.keep(st, targets, stream{text: fromCompiler + s.text, from: s.from}, false)
			}
		}
	}
	if name == "go" {
		w.compiledHere(st, out)
	}
}

// compiledHere is go build without a file's name: all of the folder.
func (w *walker) compiledHere(st *state, out []arg) {
	var texts []string
	for file, made := range w.made {
		if strings.HasSuffix(file, ".go") && w.spend(1) {
			texts = append(texts, made[len(made)-1].text)
		}
	}
	slices.Sort(texts)
	for _, text := range texts {
		w.keep(st, out, stream{text: fromCompiler + text}, false)
	}
}

// fromCompiler begins what is kept of a compiler's output; such files are run by
// what they were made of.
const fromCompiler = "#!/usr/bin/tcc -run\n"

// programFile is what is known of a program that awk, sed and their kin read with
// -f: from their input, a substitution, or a file that this command wrote.
func (w *walker) programFile(st *state, name string, file arg, in stream) (out []arg) {
	all := w.contents(st, file.text)
	if len(all) == 0 && standard(file.text) && in.open && !in.file {
		all = append(all, in)
	}
	for _, s := range all {
		switch {
		case foreign(s.from) && strings.Contains(s.text, unknown):
			w.emitAt(file, effect{kind: kindCode, name: name, text: name + " -f " + file.text, from: s.from})
		case !strings.HasPrefix(s.text, unknown):
			program := file.tail(s.text)
			program.from = s.from
			out = append(out, program)
		}
	}
	return out
}
