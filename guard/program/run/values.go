package run

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// valuesText says which values are judged as code.
//
//go:embed values.txt
var valuesText string

// VariableKinds are the kinds of variables that carry code, by name.
var VariableKinds = sync.OnceValue(func() map[string]string { return argv.Kinds(valuesText, "variable") })

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
