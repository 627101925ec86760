package lang

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// loading are parts of the names of options and settings whose value is a program, or code
// that is loaded.
const loading = "script extension preload render program prog command plugin helper hook pipe provider"

// planted asks about code that an option names where anybody writes, or where downloads and
// caches are: no project keeps its own there.
func planted(w *shell.Walker, st *shell.State, p effect.Arg, args []effect.Arg, _ effect.Stream) {
	if textual.Has(p.Text) || run.Remote(p.Text) || handsOn(p.Text) {
		return
	}
	option := ""
	for _, a := range args {
		text, name := a.Text, option
		if option = ""; strings.HasPrefix(text, "-") && !strings.Contains(text, "=") {
			option = text
		}
		if !strings.Contains(text, "/") || !w.Spend(1) {
			continue
		}
		for text != "" {
			end := strings.IndexAny(text, "=:,'\"(){} ")
			if end < 0 {
				end = len(text)
			}
			if word := text[:end]; unsafePlace(w, word) {
				if loads(name, word) && len(w.Contents(st, word)) == 0 {
					w.EmitAt(a, effect.Effect{
						Kind: effect.Hook, Name: p.Text, Text: p.Text + " " + name + " " + word, Inside: true,
					})
					return
				}
			} else if word != "" {
				name = word
			}
			text = text[min(end+1, len(text)):]
		}
	}
}

// handsOn reports a program that runs another one, which is looked at by itself: a grant for
// that one has to hold for both.
func handsOn(name string) bool {
	_, isShell := shell.Dialects()[name]
	return isShell || run.HandsOn(name)
}

// loads reports an option, or a function, that loads a file, or a file that is for nothing
// else.
func loads(name, file string) bool {
	if name == "" || effect.Among(name, "-o --output --out -MF -MT") {
		return false
	}
	return effect.Holds(strings.ToLower(name), loading) || effect.Ends(argv.Base(file), ".so .dylib")
}

// unsafePlace is a path below a directory of everybody's, of downloads or of caches.
func unsafePlace(w *shell.Walker, path string) bool {
	if rest, ok := strings.CutPrefix(path, w.Home+"/"); ok && w.Home != "" {
		return effect.Begins(rest, "Downloads/ .cache/")
	}
	return effect.Begins(path, "/tmp/ /var/tmp/ /dev/shm/ ~/Downloads/ ~/.cache/")
}
