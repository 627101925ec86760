package lang

import (
	"path"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// sources are the languages of files by the end of their names.
var sources = sync.OnceValue(func() map[string]*Language { return looksBy("files") })

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

// vbs is what Windows' script host runs.
func vbs(w *shell.Walker, st *shell.State, construct string, code effect.Arg) {
	runText(w, st, &RareDouble, construct, code)
}

// RunSource judges what is known of a file in another language that is run now.
func RunSource(w *shell.Walker, st *shell.State, l *Language, construct string, file effect.Arg) {
	if l == nil || w.Busy("file "+file.Text) { // a Rakefile that runs rake
		return
	}
	defer w.During("file " + file.Text)()
	for _, s := range w.Contents(st, file.Text) {
		runText(w, st, l, construct+" "+file.Text, file.Instead(s.Text, s.From))
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

// Lisp is the look of Emacs' and others' parentheses.
var Lisp = Language{Name: "elisp", Comments: []string{";"}, Quotes: `"`}

// SnippetsOf is nil for a program that runs no such code.
func SnippetsOf(name string) *program.Snippets {
	if m := program.Of(name); m != nil {
		return m.Snippets
	}
	return nil
}

// rare judges what such a program is given to run: code in an option, a file
// that this command wrote, or its input.
func rare(w *shell.Walker, st *shell.State, p effect.Arg, args []effect.Arg, in effect.Stream) {
	name := p.Text
	r := SnippetsOf(name)
	if r == nil {
		return
	}
	found, l := false, Looks()[r.Look]
	for _, code := range r.In(args) {
		found = true
		if !remoteCode(w, l, name, code) {
			rareCode(w, st, l, name, code)
		}
	}
	if found || len(r.Code) == 0 || len(argv.SkipOptions(args)) > 0 || !in.Open || in.File {
		return
	}
	code := effect.Arg{Text: in.Text, Index: w.At.Index, Span: w.At.Whole, From: in.From}
	if effect.Fetched(in.From) {
		w.EmitAt(code, effect.Effect{Kind: effect.Code, Name: name, Text: name + " < …", From: in.From})
	} else if in.Text != effect.Unknown {
		rareCode(w, st, l, name+" < …", code)
	}
}

// remoteCode reports code of which a part outside its strings came over the
// network or out of a decoder: python3 -c "$(curl …)".
func remoteCode(w *shell.Walker, l *Language, construct string, code effect.Arg) bool {
	if !effect.Foreign(code.From) || !strings.Contains(code.Text, effect.Unknown) || !w.Spend(1+len(code.Text)/64) {
		return false
	}
	for _, t := range Tokens(l, code.Text) {
		if t.Kind != TokString && strings.Contains(t.Text, effect.Unknown) {
			w.EmitAt(code, effect.Effect{Kind: effect.Code, Name: construct, Text: construct, From: code.From})
			return true
		}
	}
	return false
}
