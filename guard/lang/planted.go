package lang

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// loading are parts of the names of options and settings whose value is a program, or code
// that is loaded; configuring are those of settings, which may hold some.
const (
	loading     = "script extension preload render program prog command plugin helper hook pipe provider load require"
	configuring = "config rcfile init-file settings taskfile justfile playbook"
)

// applying are verbs that do what a text says.
var applying = argv.Names("apply am source source-file load-file")

// planted asks about code that an option names where anybody writes, or where downloads and
// caches are: no project keeps its own there. So it does about what this very command has
// fetched, if a program is told to load or apply that.
func planted(w *shell.Walker, st *shell.State, p effect.Arg, args []effect.Arg, in effect.Stream) {
	if textual.Has(p.Text) || run.Remote(p.Text) || handsOn(p.Text) {
		return
	}
	option := ""
	applies := p.Text == "patch" || slices.ContainsFunc(args[:min(len(args), 3)], func(a effect.Arg) bool {
		return applying.Has(a.Text)
	})
	found := func(a effect.Arg, name, word string) {
		w.EmitAt(a, effect.Effect{
			Kind: effect.Hook, Name: p.Text, Text: p.Text + " " + name + " " + word, Inside: true,
		})
	}
	if applies && in.Open && effect.Fetched(in.From) {
		found(p, "", "-")
		return
	}
	for _, a := range args {
		text, given := a.Text, option
		if option = ""; strings.HasPrefix(text, "-") && !strings.Contains(text, "=") {
			option = text
		}
		if len(w.Made) == 0 && !strings.Contains(text, "/") || !w.Spend(1) {
			continue
		}
		for name := given; text != ""; {
			end := strings.IndexAny(text, "=:,'\"(){} ")
			if end < 0 {
				end = len(text)
			}
			word := text[:end]
			made := w.Contents(st, word)
			taken := loads(name, word) || loads(given, word) || configures(given, word)
			switch _, piped := w.Pipes[word]; {
			case slices.ContainsFunc(made, func(s effect.Stream) bool { return effect.Fetched(s.From) }):
				taken = taken || applies ||
					piped && !readsText(w, p.Text) && program.Said(p.Text, "operands") == ""
			case !unsafePlace(w, word) || len(made) > 0:
				taken = false
			}
			if taken {
				found(a, name, word)
				return
			}
			if word != "" && !unsafePlace(w, word) {
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

// configures reports a file of settings that is hidden, and one of code behind a short option.
func configures(name, file string) bool {
	base := argv.Base(file)
	return strings.HasPrefix(name, "-") && (strings.HasPrefix(base, ".") && !strings.HasPrefix(name, "-o") &&
		effect.Holds(strings.ToLower(name), configuring) ||
		len(name) == 2 && name != "-o" && effect.Ends(base, ".lua .el .vim .scr .cow .tcl .scm .jl .rc"))
}

// unsafePlace is a path below a directory of everybody's, of downloads or of caches.
func unsafePlace(w *shell.Walker, path string) bool {
	if rest, ok := strings.CutPrefix(path, w.Home+"/"); ok && w.Home != "" {
		return effect.Begins(rest, "Downloads/ .cache/")
	}
	return effect.Begins(path, "/tmp/ /var/tmp/ /dev/shm/ ~/Downloads/ ~/.cache/")
}
