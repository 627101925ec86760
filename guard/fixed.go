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
	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Fixed reports that the text of a command says all that it does, so that the same text is
// the same command the next time. Expansions and globs mean something else in another
// moment; interpreters, build tools and scripts do what their files say; a wrapper runs
// what follows it in another way. An unknown command is not fixed.
func Fixed(in shell.Input, p Policy, f place.Facts, home string) bool {
	if len(in.Commands) > 0 {
		return !slices.ContainsFunc(each(in), func(one shell.Input) bool { return !Fixed(one, p, f, home) })
	}
	if d := shell.Dialect(in); d == "powershell" || d == "cmd" || len(in.Env) > 0 {
		return false
	}
	var walked []*shell.Walker
	for _, lang := range shell.Passes(in) {
		w := newWalker(in, p, f, home, lang)
		if panics.Try(w.Walk) != nil || w.Stopped || w.Inner || len(w.Opaque) > 0 || !plain(w) {
			return false
		}
		walked = append(walked, w)
	}
	_, ok := canonical(in, walked)
	return ok || len(in.Argv) > 0
}

// plain reports that every effect is one of a program that was named in plain
// sight and does what its arguments say.
func plain(w *shell.Walker) bool {
	programs := 0
	for i := range w.Effects {
		e := &w.Effects[i]
		if e.Kind == effect.Problem || e.Unknown || len(e.Via) > 0 {
			return false
		}
		if e.Kind != effect.Exec {
			continue
		}
		programs++
		if strings.Contains(e.Text, "/") || startsOthers.Has(e.Name) || codeIsRead(e.Name) || unseen(e) {
			return false
		}
	}
	return programs > 0
}

// Table is the rules of p with the decisions p gives them: the built-in ones in
// the order they are tried, then those of policy files.
func (p Policy) Table() []rule.Rule {
	out := slices.Clone(p.table())
	for i := range p.Custom {
		out = append(out, p.Custom[i].row())
	}
	b := p.book()
	for i := range out {
		out[i].Decision = b.Decision(&out[i])
	}
	return withExamples(out)
}

// Rule finds a rule of p by its id. A rule that only another profile has is
// found too: a person may look up what an older verdict said.
func (p Policy) Rule(id string) (rule.Rule, bool) {
	tables := [][]rule.Rule{p.Table(), Rules()}
	for _, rows := range ruleSets() {
		tables = append(tables, withExamples(rows()))
	}
	for _, rows := range tables {
		if i := slices.IndexFunc(rows, func(r rule.Rule) bool { return r.ID == id }); i >= 0 {
			return rows[i], true
		}
	}
	return rule.Rule{}, false
}

// startsOthers are programs whose arguments are read here, while files say what they do:
// makefiles, scripts, packages, images.
var startsOthers = argv.Names(`
	make gmake cmake go cargo npm pnpm yarn npx pnpx bunx corepack deno bun node nodejs
	python python2 python3 pypy pypy3 perl ruby php lua luajit emacs
	sh bash dash ash zsh ksh mksh fish
	pip pip3 uv pipx poetry gem rails rake alembic docker podman nerdctl docker-compose buildah
	kubectl oc helm helmfile terraform tofu terragrunt ssh vi vim nvim ed ex`)

// Unseen names the programs of a command that do what the text doesn't show: build tools,
// scripts, and programs the guard doesn't know. Each is named once, in the order they are
// met.
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
		_ = panics.Try(w.Walk) // Check has reported it; what was met until then is named
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
	// Its own arguments are harmless, and code on the command line was read.
	return !argv.Has(e.Args, "--version", "--help") && !(argv.Has(e.Args, "-c", "-e") && codeIsRead(e.Name))
}

// codeIsRead reports programs whose -c or -e is code that the guard reads.
func codeIsRead(name string) bool {
	_, sh := shell.Dialects()[name]
	_, lang := lang.Languages()[name]
	return sh || lang
}
