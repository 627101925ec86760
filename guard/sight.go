package guard

import (
	"slices"
	"strings"

	"github.com/sourcegraph/conc/panics"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// startsOthers are programs whose arguments are read here, while what they do stands in
// files: makefiles, scripts, packages, images.
var startsOthers = argv.Names(`
	make gmake cmake go cargo npm pnpm yarn npx pnpx bunx corepack deno bun node nodejs
	python python2 python3 pypy pypy3 perl ruby php lua luajit emacs
	sh bash dash ash zsh ksh mksh fish
	pip pip3 uv pipx poetry gem rails rake alembic docker podman nerdctl docker-compose buildah
	kubectl oc helm helmfile terraform tofu terragrunt ssh vi vim nvim ed ex`)

// Unseen names the programs of a command that do what the text doesn't show:
// build tools, scripts, and programs the guard knows nothing of. Each is named
// once, in the order they are met.
func Unseen(in shell.Input, p Policy, f place.Facts, home string) []string {
	var names []string
	for _, in := range each(in) {
		names = addUnseen(in, names, p, f, home)
	}
	return names
}

// addUnseen adds those of one command.
func addUnseen(in shell.Input, names []string, p Policy, f place.Facts, home string) []string {
	for _, lang := range shell.Passes(in) {
		w := newWalker(in, p, f, home, lang)
		_ = panics.Try(w.Walk) // Check has told of it; what was met until then is named
		for i := range w.Effects {
			e := &w.Effects[i]
			if name := strings.ReplaceAll(e.Text, effect.Unknown, "…"); unseen(e) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func unseen(e *effect.Effect) bool {
	if e.Kind != effect.Exec || e.Text == "" {
		return false
	}
	if known := programs().Does[e.Name] != nil || shell.Builtin(e.Name) != nil ||
		program.WrapperOf(e.Name) != nil; !startsOthers.Has(e.Name) && (known || program.MustSpec(e.Name) != nil) &&
		!strings.HasPrefix(e.Text, ".") {
		return false
	}
	// What it says of itself is harmless, and code on the command line was read.
	return !slices.ContainsFunc(e.Args, func(a effect.Arg) bool {
		return a.Text == "--version" || a.Text == "--help" || a.Text == "-c" && codeIsRead(e.Name) || a.Text == "-e" &&
			codeIsRead(e.Name)
	})
}

// codeIsRead reports programs whose -c or -e is code that the guard reads.
func codeIsRead(name string) bool {
	_, sh := shell.Dialects()[name]
	_, lang := lang.Languages()[name]
	return sh || lang
}
