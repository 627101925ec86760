package lang

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// loading are parts of the names of options and settings whose value is a program, or code
// that is loaded; configuring are those of settings, which may hold some.
const (
	loading = "script extension preload render program prog command plugin helper hook pipe provider load " +
		"require taskfile mcp-config"
	configuring = "config rcfile init-file settings justfile playbook"
)

// What is said by options and verbs of any program: that it does what a text says, that it runs
// what others have written, that its code is at an address, that all goes through a machine.
var (
	applying  = argv.Names("apply am patch source source-file load-file")
	unlocking = argv.Names(`--enable-exec --allow-exec --enable-shell --allow-shell --enable-alpha-plugins
		--trust-remote-code`)
	addressed = argv.Pattern(`(?:^|-)(?:plugins?|extensions?|scripts?|module|preload|loader|require|taskfile|` +
		`playbook|init-file)$`)
	through = argv.Pattern(`(?:^|-)(?:registry|proxy|mirror|index(?:-url)?|base-url|api-(?:base|url)|` +
		`endpoint(?:-url)?)$`)
)

// asked judges an option by its name, whichever program has it, and its value.
func asked(w *shell.Walker, p string, a effect.Arg, before string) {
	option, value, joined := strings.Cut(a.Text, "=")
	if !joined && !strings.HasPrefix(a.Text, "-") {
		option, value = before, a.Text
	}
	switch name := strings.ToLower(strings.TrimLeft(option, "-")); {
	case unlocking.Has(option) && !effect.Among(value, "false no 0"):
		w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: p, Text: p + " " + a.Text, Inside: true})
	case !strings.HasPrefix(option, "-") || !effect.Begins(value, "http:// https://"):
	case addressed().MatchString(name) && place.Elsewhere(value):
		w.EmitAt(a, effect.Effect{Kind: effect.Hook, Name: p, Text: p + " " + option + " " + value, Inside: true})
	case through().MatchString(name):
		run.Value(w, nil, "through", p+" "+option, effect.Renamed(a, value))
	}
}

// planted asks about code that an option names where anybody writes, or where downloads and
// caches are: no project keeps its own there. So it does about what this very command has
// fetched, if a program is told to load or apply that.
func planted(w *shell.Walker, st *shell.State, p effect.Arg, args []effect.Arg, in effect.Stream) {
	text := textual.Has(p.Text)
	if run.Remote(p.Text) && !text || handsOn(p.Text) {
		return
	}
	option, interprets := "", LanguageOf(p.Text) != nil
	applies := p.Text == "patch" || slices.ContainsFunc(args[:min(len(args), 3)], func(a effect.Arg) bool {
		return applying.Has(a.Text)
	})
	found := func(a effect.Arg, name, word string) {
		w.EmitAt(a, effect.Effect{
			Kind: effect.Hook, Name: p.Text, Text: p.Text + " " + name + " " + word, Inside: true,
		})
	}
	if applies && !text && in.Open && effect.Fetched(in.From) {
		found(p, "", "-")
		return
	}
	for i, a := range args {
		words, given := a.Text, option
		if option = ""; strings.HasPrefix(words, "-") && !strings.Contains(words, "=") {
			option = words
		}
		if text && (message(args, i) || strings.Contains(words, " ")) {
			continue
		}
		plain := text || interprets || given != "" && !valued(p.Text, args[i-1:i+1])
		asked(w, p.Text, a, given)
		if i > 0 && interprets && inHome(words) && place.SecretPath(words) { // a script is told where they are
			w.Path(st, effect.Read, a)
		}
		if len(w.Made) == 0 && !strings.Contains(words, "/") || !w.Spend(1) {
			continue
		}
		if name, word := plantedIn(w, st, p.Text, a, given, plain, func(made string) bool {
			return applies || effect.Ends(made, ".diff .patch .mbox") && argv.Has(args[:1], "import")
		}); word != "" {
			found(a, name, word)
			return
		}
	}
}

// plantedIn is the first word of an argument that names such code, and what is before it.
func plantedIn(w *shell.Walker, st *shell.State, p string, a effect.Arg, given string, plain bool,
	applies func(file string) bool,
) (name, word string) {
	name = given
	for words := a.Text; words != ""; {
		end := strings.IndexAny(words, "=:,'\"(){} ")
		if end < 0 {
			end = len(words)
		}
		word = words[:end]
		made := w.Contents(st, word)
		taken := loads(name, word) || loads(given, word) || configures(name, word) || configures(given, word) ||
			!plain && written(given, word)
		switch _, piped := w.Pipes[word]; {
		case slices.ContainsFunc(made, func(s effect.Stream) bool { return effect.Fetched(s.From) }):
			taken = taken || applies(word) || piped && !readsText(w, p) && program.Said(p, "operands") == ""
		case !unsafePlace(w, word) || len(made) > 0:
			taken = false
		}
		if place.BlockDevice(word) && strings.Contains(a.Text, ",") && LanguageOf(p) == nil {
			w.Path(st, effect.Read, a.Tail(word)) // -drive file=/dev/sda,format=raw
		}
		if taken {
			return name, word
		}
		if word != "" && !unsafePlace(w, word) {
			name = word
		}
		words = words[min(end+1, len(words)):]
	}
	return "", ""
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
	return effect.Among(name, "--app --settings") || effect.Holds(strings.ToLower(name), loading) ||
		effect.Ends(argv.Base(file), ".so .dylib")
}

// written reports settings that are code, or what is built by, behind an option for such.
func written(name, file string) bool {
	base := argv.Base(file)
	settings := strings.HasPrefix(name, "-") && effect.Holds(strings.ToLower(name), configuring)
	return settings && SourceOf(file) != nil ||
		effect.Among(name, "-f -c -I") && (effect.Ends(base, ".mk .ninja .cmake .gradle pom.xml build.xml") ||
			effect.Among(strings.ToLower(base), "makefile gnumakefile rakefile justfile"))
}

// configures reports a file of settings that is hidden, and one of code behind a short option.
func configures(name, file string) bool {
	base := argv.Base(file)
	return strings.HasPrefix(name, "-") && (strings.HasPrefix(base, ".") && !strings.HasPrefix(name, "-o") &&
		(name == "-c" || effect.Holds(strings.ToLower(name), configuring)) ||
		len(name) == 2 && name != "-o" && effect.Ends(base, ".lua .el .vim .scr .cow .tcl .scm .jl .rc"))
}

// valued reports an option that may take what comes after it.
func valued(name string, pair []effect.Arg) bool {
	s, known := program.SpecOf(name)
	if !known {
		return true
	}
	opts, _ := s.Options(pair)
	return len(opts) > 0 && opts[0].Valued
}

// unsafePlace is a path below a directory of everybody's, of downloads or of caches.
func unsafePlace(w *shell.Walker, path string) bool {
	if rest, ok := strings.CutPrefix(path, w.Home+"/"); ok && w.Home != "" {
		return effect.Begins(rest, "Downloads/ .cache/")
	}
	return effect.Begins(path, "/tmp/ /var/tmp/ /dev/shm/ ~/Downloads/ ~/.cache/")
}
