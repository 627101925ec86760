package guard

import (
	"slices"
	"strings"

	"github.com/sourcegraph/conc/panics"
)

// startsOthers are programs whose arguments are read here, while what they do stands in
// files: makefiles, scripts, packages, images.
var startsOthers = names(`
	make gmake cmake go cargo npm pnpm yarn npx pnpx bunx corepack deno bun node nodejs
	python python2 python3 pypy pypy3 perl ruby php lua luajit emacs
	sh bash dash ash zsh ksh mksh fish
	pip pip3 uv pipx poetry gem rails rake alembic docker podman nerdctl docker-compose buildah
	kubectl oc helm helmfile terraform tofu terragrunt ssh vi vim nvim ed ex`)

// Unseen names the programs of a command that do what the text doesn't show:
// build tools, scripts, and programs the guard knows nothing of. Each is named
// once, in the order they are met.
func Unseen(in Input, p Policy, f Facts, home string) []string {
	var names []string
	for _, in := range in.each() {
		names = in.unseen(names, p, f, home)
	}
	return names
}

// unseen adds those of one command.
func (in Input) unseen(names []string, p Policy, f Facts, home string) []string {
	for _, lang := range passes(in) {
		w := newWalker(in, p, f, home, lang)
		_ = panics.Try(w.judgeAll) // Check has told of it; what was met until then is named
		for i := range w.effects {
			e := &w.effects[i]
			if name := strings.ReplaceAll(e.text, unknown, "…"); e.unseen() && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func (e *effect) unseen() bool {
	if e.kind != kindExec || e.text == "" {
		return false
	}
	if _, known := handlers()[e.name]; !startsOthers.has(e.name) && (known || specs()[e.name] != nil) && !strings.HasPrefix(e.text, ".") {
		return false
	}
	// What it says of itself is harmless, and code on the command line was read.
	return !slices.ContainsFunc(e.args, func(a arg) bool {
		return a.text == "--version" || a.text == "--help" || a.text == "-c" && codeIsRead(e.name) || a.text == "-e" && codeIsRead(e.name)
	})
}

// codeIsRead reports programs whose -c or -e is code that the guard reads.
func codeIsRead(name string) bool {
	_, sh := dialects()[name]
	_, lang := languages[name]
	return sh || lang
}
