package guard

import (
	"slices"
	"strings"
)

// option is one option of a command line under its own name: clusters are taken
// apart, and "-m text", "-mtext" and "--message=text" look the same.
type option struct {
	name   string
	value  arg
	valued bool
}

// options takes an argv apart by the options that s says take a value.
func (s *spec) options(args []arg) (opts []option, operands []arg) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.text == "--":
			return opts, append(operands, args[i+1:]...)
		case len(a.text) < 2 || a.text[0] != '-':
			operands = append(operands, a)
		default:
			word, next := s.word(a, args[i+1:])
			opts = append(opts, word...)
			if next {
				i++
			}
		}
	}
	return opts, operands
}

// word is the options in one argument, and whether the next argument belongs to
// the last of them.
func (s *spec) word(a arg, rest []arg) (opts []option, next bool) {
	name, text, joined := strings.Cut(a.text, "=")
	_, single := s.read().flags[name]
	if strings.HasPrefix(name, "--") || single && len(name) > 2 {
		o := option{name: s.full(name)}
		_, takes := s.read().flags[o.name]
		switch {
		case joined:
			o.value, o.valued = a, true
			o.value.text, o.value.exact = text, false
		case takes && len(rest) > 0:
			o.value, o.valued, next = rest[0], true, true
		}
		return []option{o}, next
	}
	var seen [256]bool // -rfrfrf… is no more than -rf
	for i := 1; i < len(a.text); i++ {
		if c := a.text[i]; seen[c] {
			continue
		} else {
			seen[c] = true
		}
		o := option{name: "-" + a.text[i:i+1]}
		if _, takes := s.read().flags[o.name]; !takes {
			opts = append(opts, o)
			continue
		}
		if i+1 < len(a.text) {
			o.value, o.valued = a, true
			o.value.text, o.value.exact = a.text[i+1:], false
		} else if len(rest) > 0 {
			o.value, o.valued, next = rest[0], true, true
		}
		return append(opts, o), next
	}
	return opts, false
}

// full is the long option that name abbreviates, when s knows it.
func (s *spec) full(name string) string {
	if _, ok := s.read().flags[name]; ok {
		return name
	}
	if len(name) > 4 {
		if found := s.abbreviated(name); len(found) > 0 {
			return found[0]
		}
	}
	return name
}

// named reports an option by any of its names; long ones may be abbreviated, as
// `git reset --har` is.
func named(o option, names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		return o.name == n || len(o.name) > 4 && strings.HasPrefix(o.name, "--") && strings.HasPrefix(n, o.name)
	})
}

func anyOption(opts []option, names ...string) bool {
	return slices.ContainsFunc(opts, func(o option) bool { return named(o, names...) })
}

// flagged is anyOption for a program whose options take no values that matter.
// Most rules ask this about every program, so it takes nothing apart.
func flagged(args []arg, names ...string) bool {
	for _, a := range args {
		switch {
		case a.text == "--":
			return false
		case len(a.text) < 2 || a.text[0] != '-':
		case a.text[1] == '-':
			name, _, _ := strings.Cut(a.text, "=")
			if named(option{name: name}, names...) {
				return true
			}
		case slices.ContainsFunc(names, func(n string) bool { return len(n) == 2 && strings.IndexByte(a.text[1:], n[1]) >= 0 }):
			return true
		}
	}
	return false
}

var bareSpec = newSpec(":::", "")

// runs reports that e starts one of the programs.
func (e *effect) runs(names ...string) bool {
	return e.kind == kindExec && slices.Contains(names, e.name)
}

// ofMachine keeps a rule about the machine's own programs away from a script of
// the workspace that has the same name.
func ofMachine(when func(*walker, *effect) bool) func(*walker, *effect) bool {
	return func(w *walker, e *effect) bool {
		return (e.kind != kindExec || e.path == "" || !w.inFolders(e.path)) && when(w, e)
	}
}

// words is what a program is told to do: its arguments without options and
// their values, at most a few.
func (e *effect) words() []string { return commandWords(e.name, e.args) }

func commandWords(name string, args []arg) []string {
	s, ok := specs()[name]
	if !ok {
		s = bareSpec
	}
	_, operands := s.options(args)
	return texts(operands[:min(len(operands), 64)])
}

// phrases lists, for each program, the subcommands a rule is about: the words
// of one are joined by "+", and a word may end in "*". "" is the program
// itself, whatever it is told.
type phrases map[string]string

func (p phrases) match(e *effect) bool {
	if e.kind != kindExec {
		return false
	}
	name, args := launched(e.name, e.args)
	list, ok := p[name]
	if !ok || rehearsal(args) {
		return false
	}
	if list == "" {
		return !flagged(args, "--version")
	}
	words := commandWords(name, args)
	for phrase := range strings.FieldsSeq(list) {
		if begins(words, strings.Split(phrase, "+")) {
			return true
		}
	}
	return false
}

func begins(words, phrase []string) bool {
	if len(words) < len(phrase) {
		return false
	}
	for i, p := range phrase {
		prefix, wild := strings.CutSuffix(p, "*")
		if words[i] != p && !(wild && strings.HasPrefix(words[i], prefix)) {
			return false
		}
	}
	return true
}

// rehearsal reports options with which tools only say what they would do.
func rehearsal(args []arg) bool {
	return slices.ContainsFunc(args, func(a arg) bool {
		switch a.text {
		case "--dry-run", "--dryrun", "--dry-run=client", "--dry-run=server", "--dry-run=true", "--help", "--check", "--syntax-check", "--list-tasks", "--list-hosts", "--plan", "--simulate", "--just-print", "--preview":
			return true
		}
		return false
	})
}

// launched looks through the programs that only start another one of the
// project: `npx prisma …`, `bundle exec rake …`, `python manage.py …`.
func launched(name string, args []arg) (string, []arg) {
	for range 3 {
		rest := behindOptions(name, args)
		switch {
		case len(rest) == 0:
			return name, args
		case name == "cargo" && strings.HasPrefix(rest[0].text, "+"): // a toolchain
			args = rest[1:]
			continue
		case name == "yarn" && inWorkspaces(rest) != nil:
			args = inWorkspaces(rest)
			continue
		case slices.Contains([]string{"npx", "bunx", "pnpx", "dlx"}, name):
		case projectTools.has(name) && len(rest) > 1 && slices.Contains([]string{"exec", "dlx", "x", "run"}, rest[0].text):
			rest = skipOptions(rest[1:])
		case (name == "pnpm" || name == "yarn") && !nodeVerbs.has(rest[0].text): // yarn husky install
		case name == "python" || name == "python3" || name == "php" || name == "ruby":
			if module := args[0].text == "-m"; !module && !slices.Contains([]string{"manage.py", "artisan", "console"}, base(rest[0].text)) {
				return name, args
			}
		default:
			return name, args
		}
		if len(rest) == 0 {
			return name, args
		}
		name, args = unversioned(base(rest[0].text)), rest[1:]
	}
	return name, args
}

// nodeVerbs are pnpm's and yarn's own commands; any other word is a program or a
// script of the project.
var nodeVerbs = names("add audit bin cache ci config c create dedupe deploy env fetch global help import info init install i install-test licenses link list ln login logout ls node npm outdated owner pack patch patch-commit plugin prune publish rb rebuild recursive remove rm root run search self-update server set setup store tag team test t tst unlink uninstall un unplug up update upgrade upgrade-interactive version versions view w whoami why workspace workspaces x exec dlx start stop")

// unversioned is a package's name without the version npx was asked for.
func unversioned(name string) string {
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		return name[:i]
	}
	return name
}

// projectTools start programs of the project behind a word of theirs.
var projectTools = names("pnpm yarn bun npm bundle poetry pipenv uv rye hatch pdm")

// behindOptions is a tool's subcommand and what follows it: the value of an
// option that stands before it is none.
func behindOptions(name string, args []arg) []arg {
	s, ok := specs()[name]
	if !ok || !projectTools.has(name) && name != "cargo" {
		return skipOptions(args)
	}
	_, rest := s.leading(args)
	return rest
}

var yarnForeach = newSpec(":::", "--from: --include: --exclude: -j: --jobs:")

// inWorkspaces is the command that yarn runs in one of its workspaces, or in
// each: it is a command of yarn again.
func inWorkspaces(words []arg) []arg {
	switch {
	case len(words) > 2 && words[0].text == "workspace":
		return words[2:]
	case len(words) > 2 && words[0].text == "workspaces" && words[1].text == "foreach":
		_, rest := yarnForeach.leading(words[2:])
		return rest
	}
	return nil
}

func skipOptions(args []arg) []arg {
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		args = args[1:]
	}
	return args
}
