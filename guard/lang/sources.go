package lang

import (
	"path"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// sources are the languages of files by the end of their names. A file that this
// very command has written is judged as that language when something runs it.
var sources = sync.OnceValue(func() map[string]*Language {
	m := map[string]*Language{}
	for ends, l := range map[string]*Language{
		".py .pyw":                                        &Python,
		".js .mjs .cjs .ts .mts .cts .jsx .tsx":           &javascript,
		".rb .rake .gemspec .ru Rakefile Gemfile":         &Ruby,
		"Vagrantfile Guardfile Podfile Fastfile Brewfile": &Ruby,
		".pl .pm .t":                                      &perl, ".php": &php, ".lua": &Lua, ".R .r": &rLang, ".jl": &julia,
		".tcl .exp": &tcl,
		".ex .exs .groovy .gradle Jenkinsfile .m .gp .raku .coffee": &RareSingle,
		".c .cc .cpp .cxx .h .go .rs .java .kt .kts .scala .sc":     &RareDouble,
		".swift .hs .ml .nim .cr .erl .d .cs .zig .dart .v":         &RareDouble,
		".rkt .scm .clj .lisp .el .hy .fnl":                         &Lisp,
	} {
		for end := range strings.FieldsSeq(ends) {
			m[end] = l
		}
	}
	return m
})

// SourceOf is the language of a file by its name, nil for none.
func SourceOf(file string) *Language {
	name := path.Base(file)
	if l, ok := sources()[name]; ok {
		return l
	}
	return sources()[path.Ext(name)]
}

// sourceFile is a file in the language that its name says.
func sourceFile(w *shell.Walker, st *shell.State, construct string, file effect.Arg) {
	RunSource(w, st, SourceOf(file.Text), construct, file)
}

// RunSource judges what is known of a file in another language that is run now.
func RunSource(w *shell.Walker, st *shell.State, l *Language, construct string, file effect.Arg) {
	if l == nil || w.Busy("file "+file.Text) { // a Rakefile that runs rake
		return
	}
	defer w.During("file " + file.Text)()
	for _, s := range w.Contents(st, file.Text) {
		runText(w, st, l, construct+" "+file.Text, effect.Arg{Text: s.Text, Index: file.Index, Span: file.Span, From: s.From})
	}
}

func runText(w *shell.Walker, st *shell.State, l *Language, construct string, code effect.Arg) {
	switch {
	case remoteCode(w, l, construct, code):
	case strings.HasPrefix(code.Text, effect.Unknown): // as good as any other file
	case l == &RareSingle || l == &RareDouble || l == &Lisp:
		rareCode(w, st, l, construct, code)
	default:
		Foreign(w, st, l, construct, code, nil, effect.Stream{}, false)
	}
}

// imported judges the modules, written by this command, that a Python program
// loads by name; sitecustomize is loaded by every one.
func imported(w *shell.Walker, st *shell.State, text string) {
	if len(w.Made) == 0 || !w.Deeper() {
		return
	}
	defer w.Back()
	var names []string
	for line := range strings.SplitSeq(strings.ReplaceAll(text, ";", "\n"), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && (fields[0] == "import" || fields[0] == "from") &&
			len(names) < MaxList {
			name, _, _ := strings.Cut(strings.TrimRight(fields[1], ","), ".")
			names = append(names, name)
		}
	}
	for _, name := range append([]string{"sitecustomize", "usercustomize"}, names...) {
		if w.Spend(1) && !w.Busy("import "+name) {
			leave := w.During("import " + name)
			RunSource(w, st, &Python, "import", w.Here(name+".py"))
			leave()
		}
	}
}
