package guard

import (
	"strings"
	"sync"
)

// gitCommand is one git command taken apart.
type gitCommand struct {
	name     string
	config   []string // values of -c
	opts     []option
	operands []arg
}

// gitValues are the options that take a value, for the subcommands that rules
// look at. A message or a branch name must not be taken for an option.
var gitValues = sync.OnceValue(func() map[string]*spec {
	return map[string]*spec{
		"push":     newSpec(":::", "-o: --push-option: --repo: --receive-pack: --exec: --recurse-submodules:"),
		"clean":    newSpec(":::", "-e: --exclude:"),
		"checkout": newSpec(":::", "-b: -B: --orphan: --conflict: --pathspec-from-file:"),
		"switch":   newSpec(":::", "-c: -C: --create: --force-create: --orphan: --conflict:"),
		"restore":  newSpec(":::", "-s: --source: --conflict: --pathspec-from-file:"),
		"branch":   newSpec(":::", "-u: --set-upstream-to: --sort: --format: --contains: --no-contains: --points-at:"),
		"commit":   newSpec(":::", "-m: -F: -C: -c: -t: --message: --file: --author: --date: --reuse-message: --reedit-message: --fixup: --squash: --template: --trailer: --cleanup:"),
		"stash":    newSpec(":::", "-m: --message:"),
		"config":   newSpec(":::", "-f: --file: --blob: --type: --default: --comment: --value: --url:"),
		"reflog":   newSpec(":::", "--expire: --expire-unreachable:"),
		"log":      newSpec(":::", "-n: --grep: --author: --since: --until: --format: --pretty:"),
		"worktree": newSpec(":::", "-b: -B: --reason:"),
		"tag":      newSpec(":::", "-m: -F: -u: --message: --file: --local-user: --sort: --format: --contains: --points-at:"),
	}
})

func gitOf(e *effect) (g gitCommand, ok bool) {
	if !e.runs("git", "hub") { // hub hands on to git what it does not know
		return g, false
	}
	opts, _ := gitGlobal.options(e.args)
	for _, o := range opts {
		if o.name == "-c" && o.valued {
			g.config = append(g.config, o.value.text)
		}
	}
	_, rest := gitGlobal.leading(e.args)
	if len(rest) == 0 {
		return g, false
	}
	g.name = rest[0].text
	s, known := gitValues()[g.name]
	if !known {
		s = bareSpec
	}
	g.opts, g.operands = s.options(rest[1:])
	return g, !anyOption(g.opts, "--help")
}

// has reports an option of the subcommand.
func (g *gitCommand) has(names ...string) bool { return anyOption(g.opts, names...) }

// operand is the text of the operand at i, or "".
func (g *gitCommand) operand(i int) string {
	if i < len(g.operands) {
		return g.operands[i].text
	}
	return ""
}

// broad reports a pathspec that stands for many files: a directory, a glob, the
// whole tree. One file named on purpose is not.
func broad(spec string) bool {
	switch {
	case spec == "." || spec == ".." || strings.HasSuffix(spec, "/") || strings.HasPrefix(spec, ":/") || strings.HasPrefix(spec, ":("):
		return true
	case strings.ContainsAny(spec, "*?["), strings.Trim(spec, "./") == "":
		return true
	}
	name := base(spec)
	return !strings.Contains(name, ".") && strings.ToLower(name) == name && !strings.Contains(name, unknown)
}
