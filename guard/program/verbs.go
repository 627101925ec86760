package program

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// optionsText has the options of what code takes apart by itself.
//
//go:embed options.txt
var optionsText string

var optionSpecs = sync.OnceValue(func() map[string]*argv.Spec {
	specs := map[string]*argv.Spec{}
	for name, words := range argv.Lists(optionsText, "options") {
		specs[name] = argv.New(":::", strings.Join(words, " "))
	}
	return specs
})

// Options is how a row of options.txt is read.
func Options(name string) *argv.Spec { return optionSpecs()[name] }

// BareSpec is an argv of which only the letters are known.
var BareSpec = argv.New(":::", "")

// Words is what a program is asked to do: its arguments without options and their values,
// at most a few.
func Words(e *effect.Effect) []string { return CommandWords(e.Name, e.Args) }

// CommandWords is what a program is asked to do: its first arguments without options and
// their values.
func CommandWords(name string, args []effect.Arg) []string {
	if m := Of(name); m != nil && m.verbs != nil {
		words, _ := m.taken(args)
		return effect.Texts(words[:min(len(words), 64)])
	}
	s, ok := SpecOf(name)
	if !ok {
		s = Options("service")
	}
	_, operands := s.Options(args)
	return effect.Texts(operands[:min(len(operands), 64)])
}

// Launched looks through the programs that only start another one of the
// project: `npx prisma …`, `bundle exec rake …`, `python manage.py …`.
func Launched(name string, args []effect.Arg) (string, []effect.Arg) {
	for range 3 {
		rest := AfterOptions(name, args)
		switch {
		case len(rest) == 0:
			return name, args
		case name == "cargo" && strings.HasPrefix(rest[0].Text, "+"): // a toolchain
			args = rest[1:]
			continue
		case name == "yarn" && InWorkspaces(rest) != nil:
			args = InWorkspaces(rest)
			continue
		case slices.Contains([]string{"npx", "bunx", "pnpx", "dlx"}, name):
		case projectTools.Has(name) && len(rest) > 1 && slices.Contains([]string{"exec", "dlx", "x", "run"}, rest[0].Text):
			rest = argv.SkipOptions(rest[1:])
		case (name == "pnpm" || name == "yarn") && !NodeVerbs.Has(rest[0].Text): // yarn husky install
		case name == "python" || name == "python3" || name == "php" || name == "ruby":
			if module := args[0].Text == "-m"; !module && !slices.Contains([]string{"manage.py", "artisan", "console"},
				argv.Base(rest[0].Text)) {
				return name, args
			}
		default:
			return name, args
		}
		if len(rest) == 0 {
			return name, args
		}
		name, args = toolOf(rest[0].Text), rest[1:]
	}
	return name, args
}

// NodeVerbs are pnpm's and yarn's own commands; any other word is a program or a
// script of the project.
var NodeVerbs = argv.Names(`add audit bin cache ci config c create dedupe deploy env fetch global help import info init
	install i install-test licenses link list ln login logout ls node npm outdated owner pack patch patch-commit plugin
	prune publish rb rebuild recursive remove rm root run search self-update server set setup store tag team test t tst
	unlink uninstall un unplug up update upgrade upgrade-interactive version versions view w whoami why workspace
	workspaces x exec dlx start stop`)

// toolOf is the program of a package: that of @railway/cli is called after its maker.
func toolOf(pkg string) string {
	scope, name, scoped := strings.Cut(Unversioned(pkg), "/")
	if maker, ok := strings.CutPrefix(scope, "@"); ok && scoped && name == "cli" {
		return maker
	}
	return Unversioned(argv.Base(pkg))
}

// Unversioned is a package's name without the version npx was asked for.
func Unversioned(name string) string {
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		return name[:i]
	}
	return name
}

// projectTools start programs of the project after a word of theirs.
var projectTools = argv.Names("pnpm yarn bun npm bundle poetry pipenv uv rye hatch pdm")

// AfterOptions is a tool's subcommand and what follows it, without the options before it
// and their values.
func AfterOptions(name string, args []effect.Arg) []effect.Arg {
	s, ok := SpecOf(name)
	if !ok || !projectTools.Has(name) && name != "cargo" {
		return argv.SkipOptions(args)
	}
	_, rest := s.Leading(args)
	return rest
}

// InWorkspaces is the command that yarn runs in one of its workspaces, or in
// each: it is a command of yarn again.
func InWorkspaces(words []effect.Arg) []effect.Arg {
	switch {
	case len(words) > 2 && words[0].Text == "workspace":
		return words[2:]
	case len(words) > 2 && words[0].Text == "workspaces" && words[1].Text == "foreach":
		_, rest := Options("yarn-foreach").Leading(words[2:])
		return rest
	}
	return nil
}

// Helps reports a program that is only asked what it can do.
func Helps(e *effect.Effect) bool {
	return argv.Given(e.Args[:min(len(e.Args), 64)], "--help", "--version")
}

// BareVerb is the first operand of a program, whatever options it has.
func BareVerb(e *effect.Effect) string {
	_, operands := BareSpec.Options(e.Args[:min(len(e.Args), 64)])
	if len(operands) == 0 {
		return ""
	}
	return operands[0].Text
}
