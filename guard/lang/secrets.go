package lang

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// secrets finds the strings of a program that are the path of credentials in a home. Each
// language, and each library for HTTP, has functions of its own that open a file: what is
// nothing but such a path is there to be opened, whatever the function is called. One that
// is printed is not.
func secrets(w *shell.Walker, st *shell.State, at effect.Arg, toks []Token) {
	for i, t := range toks {
		if !w.Spend(1) {
			return
		}
		if i > 1 && effect.Among(toks[i-2].Text, "print println printf puts say echo log") {
			continue
		}
		secret(w, st, at, pathIn(t))
	}
}

func secret(w *shell.Walker, st *shell.State, at effect.Arg, text string) {
	if inHome(text) && place.SecretPath(text) {
		w.Path(st, effect.Read, at.Tail(AtHome(w, text)))
	}
}

// pathIn is a string, with ~ for code at its beginning that computes the home.
func pathIn(t Token) string {
	switch {
	case len(t.Parts) == 1:
		return t.Parts[0].Text
	case len(t.Parts) == 3 && t.Parts[0].Text == "" && strings.Contains(strings.ToLower(t.Parts[1].code), "home"):
		return "~" + t.Parts[2].Text
	}
	return ""
}

// inHome is ~/x, /home/me/x, and what is joined to a home: "/.ssh/id_rsa".
func inHome(text string) bool {
	if strings.HasPrefix(text, "/.") {
		return strings.Count(text, "/") > 1
	}
	return strings.HasPrefix(text, "~/") || strings.HasPrefix(text, "/home/") || strings.HasPrefix(text, "/root/") ||
		strings.HasPrefix(text, "/Users/")
}
