package lang

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Languages that are seen seldom on a command line share one look: literal
// strings that are given to a function whose name says that it runs a program,
// or touches a file. Computed ones are left to the sandbox.
var (
	RareSingle = Language{Name: "code", Comments: []string{"//"}, block: [2]string{"/*", "*/"}, Quotes: `"'`, Lines: true}
	RareDouble = Language{
		Name: "code", Comments: []string{"//"}, block: [2]string{"/*", "*/"}, Quotes: "\"`", raw: "`",
		Lines: true,
	}
)

// rareRuns are functions that run their string: as shell text when it is one
// string, as a program with arguments when there are more.
var rareRuns = argv.NamesOf(&languagesText, "runs")

// rareDeletes and their like only count when the string looks like a path that
// may lead outside: `remove("name")` takes a name out of some list.
var (
	rareDeletes = argv.NamesOf(&languagesText, "deletes")
	rareReads   = argv.NamesOf(&languagesText, "reads")
	rareWrites  = argv.NamesOf(&languagesText, "writes")
)

// rareReader walks the tokens of such a program.
type rareReader struct {
	w    *shell.Walker
	st   *shell.State
	at   effect.Arg
	toks []Token
}

// rareCode judges a program by the strings it gives to such functions.
func rareCode(w *shell.Walker, st *shell.State, l *Language, construct string, code effect.Arg) {
	defer w.Enter(construct, code.Text, code.Span)()
	if !w.Deeper() || !w.Spend(1+len(code.Text)/64) {
		return
	}
	defer w.Back()
	run.Marked(w, "code-text", code.Text)
	r := rareReader{w: w, st: st, at: code, toks: Tokens(l, code.Text)}
	secrets(w, st, code, r.toks)
	for i, t := range r.toks {
		if w.Stopped {
			return
		}
		switch {
		case t.Kind == TokName:
			r.call(i)
		case t.Kind == TokString && len(t.Parts) > 0:
			r.loose(i, t.Parts[0].Text)
		case t.Kind == TokSign && (t.Text == "." || t.Text == "!") && i > 0:
			r.method(i)
		}
	}
}

// call is name("…"), name "…" and (name "…").
func (r *rareReader) call(i int) {
	name := r.toks[i].Text
	j := i + 1
	if r.text(j) == "*" { // Lisp's system*
		name += "*"
		j++
	}
	if r.text(j) == "::" && r.text(j+1) == "new" || r.text(j) == "/" { // delete-directory/files
		j += 2
	}
	for r.text(j) == "!" || r.text(j) == "?" || r.text(j) == "$" {
		j++
	}
	if !rareRuns.Has(name) && !rareDeletes.Has(name) && !rareReads.Has(name) && !rareWrites.Has(name) {
		return
	}
	list, end := r.strings(j)
	if len(list) == 0 {
		return
	}
	if rareRuns.Has(name) {
		r.run(name, append(list, r.chained(end)...))
		return
	}
	k := effect.Read
	if rareDeletes.Has(name) {
		k = effect.Delete
	} else if rareWrites.Has(name) {
		k = effect.Write
	}
	for _, text := range list {
		if place.PathLike(text) || strings.HasPrefix(text, "/*") || text == "/" || text == "~" ||
			strings.HasPrefix(text, "~/") {
			r.w.Paths(r.st, effect.Effect{Kind: k, Recursive: k == effect.Delete}, r.at.Tail(AtHome(r.w, text)))
		}
	}
}

// loose looks at any string, whatever function it is given to: libraries have more of those
// than a list. It is a command if the function's name only looks like one that runs it.
func (r *rareReader) loose(i int, text string) {
	if strings.IndexByte(text, ' ') < 1 || i < 2 || r.text(i-1) != "(" && r.toks[i-1].Kind != TokName {
		return
	}
	name := strings.ToLower(r.text(i-1) + r.text(i-2))
	if effect.Holds(name, "exec system shell spawn cmd popen") {
		r.run("", []string{text})
	}
}

func (r *rareReader) text(i int) string {
	if i >= 0 && i < len(r.toks) && r.toks[i].Kind != TokString {
		return r.toks[i].Text
	}
	return ""
}

// strings are the literal arguments of the call that begins at i, and where the
// call ends.
func (r *rareReader) strings(i int) (list []string, end int) {
	depth, joins := 0, ""
	for ; i < len(r.toks) && len(list) < MaxList && r.w.Spend(1); i++ {
		switch t := r.toks[i]; {
		case t.Kind == TokString && len(t.Parts) > 0:
			text := t.Parts[0].Text
			if asksFor := r.text(i - 1); asksFor == "getenv" || r.text(i-2) == "getenv" || text == "user.home" {
				text = r.w.Get(r.st, strings.Replace(text, "user.home", "HOME", 1))
			}
			if n := len(list); n > 0 && len(list[n-1]) < effect.MaxValue && (joins != "" || r.joined(i)) {
				list[n-1] += text
				continue
			}
			list = append(list, text)
		case t.Kind == TokName && effect.Among(t.Text, "string-append concat concatenate strcat str cat paste0"):
			joins = t.Text // (string-append "r" "m"), to the end of the call
		case t.Kind == TokEnd && depth == 0, closure(t):
			return list, i
		case t.Kind == TokName && effect.Among(t.Text, "user_home homedir home_dir NSHomeDirectory"):
			list = append(list, "~")
		case t.Kind == TokSign && strings.Contains("([{", t.Text):
			depth++
		case t.Kind == TokSign && strings.Contains(")]}", t.Text):
			if depth--; depth < 0 || depth == 0 && r.text(i+1) != "[" {
				return list, i + 1
			}
		case t.Kind == TokName && depth == 0 && len(list) == 0 && r.text(i+1) != ":" && r.text(i-1) != "#":
			return nil, i // a name of its own, not a call
		}
	}
	return list, i
}

// joined reports a string that goes on from the one before it: "r" + "m", "r" ++ "m", and
// ['r' 'm'] in Octave.
func (r *rareReader) joined(i int) bool {
	if r.toks[i-1].Kind == TokString {
		j := i - 1
		for j > 0 && r.toks[j].Kind == TokString {
			j--
		}
		return r.text(j) == "["
	}
	j := i - 1
	for j > 0 && effect.Among(r.text(j), "+ ++ . .. <> ~ ^ ^^ &") {
		j--
	}
	return j < i-1 && r.toks[j].Kind == TokString
}

// closure reports where a function begins among the arguments: the strings in its
// body are not the call's, as in t.Run("name", func(t *testing.T) { … }).
func closure(t Token) bool {
	switch t.Text {
	case "func", "fn", "function", "fun", "lambda", "do":
		return t.Kind == TokName
	case "|", "||", "->", "=>":
		return t.Kind == TokSign
	}
	return false
}

// chained are the arguments of .arg("…") and .args(["…"]) after a call.
func (r *rareReader) chained(i int) (list []string) {
	for r.w.Spend(1) {
		for r.text(i) == "\n" {
			i++
		}
		if r.text(i) != "." || r.text(i+1) != "arg" && r.text(i+1) != "args" {
			return list
		}
		more, end := r.strings(i + 2)
		list, i = append(list, more...), end
	}
	return list
}

// rareMethods are those of a string or a list that run it: Groovy's
// "ls".execute(), Scala's "ls".!
var rareMethods = argv.NamesOf(&languagesText, "methods")

func (r *rareReader) method(i int) {
	name := r.text(i + 1)
	if r.toks[i].Text == "!" {
		name = "!"
	}
	before := r.toks[i-1]
	switch {
	case !rareMethods.Has(name):
	case before.Kind == TokString && len(before.Parts) > 0:
		r.run(name, []string{before.Parts[0].Text})
	case before.Kind == TokSign && (before.Text == "]" || before.Text == ")"):
		start := i - 1
		for start > 0 && i-start < MaxList && r.toks[start].Text != "[" && r.toks[start].Text != "(" {
			start--
		}
		list, _ := r.strings(start)
		r.run(name, list)
	}
}

// run judges a command. Text that only looks like one (a query, a name) must not be found
// to be bad shell: those effects are dropped.
func (r *rareReader) run(name string, list []string) {
	if len(list) == 0 || !r.program(list[0]) {
		return
	}
	if strings.HasPrefix(name, "execl") && len(list) > 1 {
		list = slices.Delete(slices.Clone(list), 1, 2) // argv[0] once more
	}
	defer r.w.Keeping(func(e *effect.Effect) bool {
		return e.Kind != effect.Problem && !(e.Kind == effect.Exec && (e.Unknown || !e.Inside))
	})()
	if len(list) == 1 {
		r.w.CommandText(r.st, name, r.at.Tail(list[0]))
	} else {
		args := make([]effect.Arg, len(list))
		for i, text := range list {
			args[i] = r.at.Tail(text)
		}
		if r.w.Deeper() {
			r.w.Run(r.st.Clone(), args, effect.Stream{})
			r.w.Back()
		}
	}
}

// program reports text that runs a program we know something about: most strings
// given to run and exec are queries, names of tests, and the like.
func (r *rareReader) program(text string) bool {
	for part := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(";|&\n(){}`$!", c) }) {
		if !r.w.Spend(1) {
			return false
		}
		words := strings.Fields(part)
		for len(words) > 1 && strings.Contains(words[0], "=") {
			words = words[1:]
		}
		if len(words) > 0 && (run.Judges(r.w, argv.Base(words[0])) || place.PathLike(words[0])) {
			return true
		}
	}
	return false
}
