package run

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// valuesText says which values are judged as code.
//
//go:embed values.txt
var valuesText string

// variableKinds are the kinds of variables that carry code, by name, or by its end: *_PAGER.
var variableKinds = sync.OnceValue(func() map[string]string { return argv.Kinds(valuesText, "variable") })

// ruled is a kind that is another one for values of some looks.
type ruled struct {
	then     string
	only     []string // those it is about; any, without them
	ordinary []string // those that it is not about
	after    []string // beginnings that are not a part of the value
}

func (r *ruled) judge(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	for _, beginning := range r.after {
		if strings.HasPrefix(a.Text, beginning) {
			Value(w, st, r.then, construct, a.Cut(beginning))
			return
		}
	}
	like := func(pattern string) bool { return looks(a.Text, pattern) }
	if r.after == nil && (r.only == nil || slices.ContainsFunc(r.only, like)) && !slices.ContainsFunc(r.ordinary, like) {
		Value(w, st, r.then, construct, a)
	}
}

// looks reports that text is like a pattern of values.txt.
func looks(text, pattern string) bool {
	pattern = strings.ReplaceAll(pattern, "␣", " ")
	if word, ok := strings.CutPrefix(pattern, "~"); ok {
		return given(effect.Arg{Text: text}, word)
	}
	from, begins := strings.CutSuffix(pattern, "*")
	part, ends := strings.CutPrefix(from, "*")
	switch {
	case pattern == "empty":
		return text == ""
	case begins && ends:
		return strings.Contains(text, part)
	case begins:
		return strings.HasPrefix(text, from)
	case ends:
		return strings.HasSuffix(text, part)
	}
	return text == pattern
}

// readKinds adds those that a text has rows of.
func readKinds(text string, kinds map[string]Kind) {
	helpers, rules := map[string]*helper{}, map[string]*ruled{}
	known := map[string]string{}
	for key, rest := range argv.Rows(text) {
		name, rest, _ := strings.Cut(rest, " ")
		switch key {
		case "helper":
			rest, text := strings.CutPrefix(strings.TrimSpace(rest), "+text ")
			if known[name] += " " + rest; text {
				known[name] += known["text"]
			}
		case "is":
			known[name] += ""
			helpers[name] = &helper{
				bare: strings.Contains(rest, "bare"), script: strings.Contains(rest, "script"),
				open: strings.Contains(rest, "open"),
			}
		case "kind":
			words := strings.Fields(rest)
			r := rules[name]
			if r == nil {
				r = &ruled{then: words[0]}
				rules[name], kinds[name] = r, r.judge
			}
			if len(words) > 1 {
				to := map[string]*[]string{"if": &r.only, "unless": &r.ordinary, "after": &r.after}[words[1]]
				*to = append(*to, words[2:]...)
			}
		}
	}
	for name, words := range known {
		h := helpers[name]
		if h == nil {
			h = &helper{}
		}
		h.known = argv.Names(words)
		kinds[name] = func(w *shell.Walker, st *shell.State, construct string, a effect.Arg) { hook(w, st, h, construct, a) }
	}
}

// Variable judges the value of a variable that is set for some program.
func (*Table) Variable(w *shell.Walker, e *effect.Effect) {
	kind := VariableKind(e.Name)
	if kind == "" || e.Text == "" || !w.Deeper() {
		return
	}
	defer w.Back()
	st := &shell.State{Cwds: w.Dirs}
	a := effect.Arg{Text: e.Text, Index: e.Source.Index, Span: e.Span}
	if e.Source.Field == "env" { // code is in its own field
		defer w.Stand(shell.Origin{Field: "env", Whole: e.Span, Name: e.Source.Name})()
	}
	defer w.Enter(e.Name+"=…", e.Text, e.Span)()
	Value(w, st, kind, e.Name, a)
}

// VariableKind is the kind of value that a variable has, "" for one without code.
func VariableKind(name string) string {
	switch {
	case variableKinds()[name] != "":
		return variableKinds()[name]
	case strings.HasPrefix(name, "CARGO_TARGET_") && (strings.HasSuffix(name, "_RUNNER") ||
		strings.HasSuffix(name, "_LINKER")):
		return "build"
	case strings.HasPrefix(name, "GIT_CONFIG_KEY_"):
		return "gitkey"
	case strings.HasPrefix(name, "BASH_FUNC_"):
		return "deny"
	}
	return variableKinds()["*"+name[max(strings.LastIndexByte(name, '_'), 0):]]
}

// Deny refuses a variable or setting that is never ordinary. Rules are about the
// loaders themselves.
func Deny(w *shell.Walker, _ *shell.State, name string, a effect.Arg) {
	if !place.Loaders(name) {
		w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: name, Text: name + "=" + a.Text})
	}
}

// agentSocket is another login's keys.
func agentSocket(w *shell.Walker, _ *shell.State, name string, a effect.Arg) {
	socket := strings.Contains(a.Text, "agent.") || strings.Contains(a.Text, effect.Unknown)
	if strings.Contains(a.Text, "/ssh-") && socket || effect.AnyOf(a.From, "find ls") {
		w.EmitAt(a, effect.Effect{Kind: effect.Marked, Name: "secret/store", Text: name + "=" + a.Text})
	}
}

func shellName(w *shell.Walker, st *shell.State, name string, a effect.Arg) {
	if _, ok := shell.Dialects()[argv.Base(a.Text)]; !ok || strings.HasPrefix(a.Text, ".") ||
		strings.Contains(a.Text, " ") {
		Deny(w, st, name, a)
	}
}

// lessOpen is a reader after a sign, with %s for the file.
func lessOpen(w *shell.Walker, st *shell.State, name string, a effect.Arg) {
	Value(w, st, "reader", name, a.Tail(strings.ReplaceAll(strings.TrimLeft(a.Text, "|-"), "%s", "x")))
}

// given reports a word of the value that begins so.
func given(a effect.Arg, beginnings ...string) bool {
	return slices.ContainsFunc(strings.Fields(a.Text), func(word string) bool {
		return slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(word, b) })
	})
}

func javaOptions(w *shell.Walker, st *shell.State, name string, a effect.Arg) {
	for word := range strings.FieldsSeq(a.Text) {
		for _, option := range []string{"-javaagent:", "-agentpath:"} {
			if file, ok := strings.CutPrefix(word, option); ok {
				path, _, _ := strings.Cut(file, "=")
				Loaded(w, st, name, a.Tail(path))
			}
		}
	}
	if given(a, "-XX:OnOutOfMemoryError=", "-XX:OnError=") {
		Deny(w, st, name, a)
	}
}

// optionsOf is a variable that holds options of a program.
func optionsOf(program string) Kind {
	return func(w *shell.Walker, st *shell.State, _ string, a effect.Arg) {
		HookOptions(w, st, program, Words(a))
	}
}

// searchPath are directories code is loaded from: the workspace's and the system's
// are ordinary, other people's and world-writable ones are not.
func searchPath(w *shell.Walker, st *shell.State, name string, a effect.Arg) {
	for dir := range strings.SplitSeq(a.Text, ":") {
		if dir == "" || strings.HasPrefix(dir, effect.Unknown) || !w.Spend(1) {
			continue
		}
		p := w.Locate(st, dir)
		if p.Unknown || w.InFolders(p.Path) || SystemLibrary(p.Path) || w.Home != "" && !strings.HasPrefix(dir, "..") &&
			strings.HasPrefix(p.Path, w.Home+"/") && name != "GIT_EXEC_PATH" && name != "LOCPATH" {
			continue // those two are ordinary not even in the home
		}
		w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: name, Text: name + "=" + a.Text})
		return
	}
}

// SystemLibrary reports a place where the system keeps code.
func SystemLibrary(p string) bool {
	return effect.Begins(p+"/", "/usr/ /lib/ /lib64/ /opt/ /nix/ /snap/ /Library/ /System/ /etc/ssl")
}

// programDirs is PATH: a directory anybody can write to, before the others,
// replaces every program.
func programDirs(w *shell.Walker, st *shell.State, _ string, a effect.Arg) {
	for dir := range strings.SplitSeq(a.Text, ":") {
		if strings.Contains(dir, effect.Unknown) || !w.Spend(1) {
			return
		}
		p := w.Locate(st, dir)
		switch {
		case dir == "":
		case p.Unknown:
			return
		case w.InRoots(p.Path) && !w.InFolders(p.Path):
			w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: "PATH", Text: "PATH=" + a.Text})
			return
		}
	}
}
