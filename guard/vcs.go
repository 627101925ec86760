package guard

import (
	"slices"
	"strings"
	"sync"
)

// vcsSpec is the options with a value of the other version controls; their other
// options are the same letters everywhere.
var vcsSpec = newSpec(":::", "-r: --rev: --revision: -m: --message: -u: --user: --username: --password: -R: --repository: --cwd: --depth: --config: -d: --date: -I: --include: -X: --exclude: --changelist: --cl: --from: --to: --into: -c: --operation: --at-op: --at-operation:")

var otherControls = names("svn hg chg sl jj bzr brz fossil darcs pijul p4 cvs got dvc")

// vcsLoses are commands that lose work or history whatever else they say.
var vcsLoses = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"hg": "strip prune rollback debugstrip", "chg": "strip prune rollback", "sl": "hide purge clean", "jj": "abandon", "bzr": "uncommit clean-tree", "brz": "uncommit clean-tree", "fossil": "undo", "darcs": "obliterate unrecord", "pijul": "unrecord", "p4": "clean obliterate",
	}
})

// discardsElsewhere is git/discard for other version controls.
func discardsElsewhere(_ *walker, e *effect) bool {
	if e.runs("git", "hub") {
		g, ok := gitOf(e)
		return ok && dropsLarge(&g)
	}
	if !otherControls.has(e.name) || e.kind != kindExec || helps(e) {
		return false
	}
	opts, operands := vcsSpec.options(e.args)
	if len(operands) == 0 || anyOption(opts, "-n", "--dry-run") {
		return false
	}
	verb, rest := operands[0].text, operands[1:]
	if slices.Contains(strings.Fields(vcsLoses()[e.name]), verb) {
		return true
	}
	many := len(rest) == 0 || anyText(rest, broad)
	switch e.name {
	case "svn":
		return losesSubversion(verb, opts, rest)
	case "hg", "chg", "sl":
		return verb == "revert" && (anyOption(opts, "-a", "--all") || len(rest) > 0 && anyText(rest, broad)) || slices.Contains([]string{"update", "up", "checkout", "co", "goto"}, verb) && anyOption(opts, "-C", "--clean") ||
			(verb == "purge" || verb == "clean") && !anyOption(opts, "-p", "--print") || verb == "push" && anyOption(opts, "-f", "--force") || (verb == "shelve" || verb == "bookmark") && anyOption(opts, "-D", "--delete", "--cleanup")
	case "jj":
		return verb == "restore" && many || (verb == "op" || verb == "operation") && len(rest) > 0 && slices.Contains([]string{"restore", "abandon", "undo", "revert"}, rest[0].text)
	case "bzr", "brz", "pijul":
		return (verb == "revert" || verb == "reset") && many
	case "fossil", "darcs":
		return verb == "revert" && (many || anyOption(opts, "-a", "--all"))
	case "p4":
		return verb == "revert" && anyText(rest, func(s string) bool { return strings.Contains(s, "...") }) && !anyOption(opts, "-a") || verb == "sync" && anyOption(opts, "-f")
	case "cvs":
		return (verb == "update" || verb == "up") && anyOption(opts, "-C")
	case "got":
		return verb == "revert" && anyOption(opts, "-R")
	case "dvc":
		return verb == "destroy" || verb == "gc" || verb == "checkout" && anyOption(opts, "-f", "--force")
	}
	return false
}

// losesSubversion is svn throwing local changes away, or deleting on the server.
func losesSubversion(verb string, opts []option, rest []arg) bool {
	switch verb {
	case "revert":
		return anyOption(opts, "-R", "--recursive", "--depth") || anyText(rest, broad)
	case "cleanup":
		return anyOption(opts, "--remove-unversioned", "--remove-ignored")
	case "delete", "del", "remove", "rm":
		return anyOption(opts, "--force") || anyText(rest, func(s string) bool { return strings.Contains(s, "://") })
	}
	return false
}

// dropsLarge is git's extensions for large files giving up their only copies.
func dropsLarge(g *gitCommand) bool {
	switch g.name {
	case "lfs":
		return g.operand(0) == "prune" && g.has("-f", "--force", "--recent") && !g.has("-d", "--dry-run") || g.operand(0) == "migrate" && g.operand(1) != "info"
	case "annex":
		return slices.Contains([]string{"drop", "dropunused", "uninit", "dead"}, g.operand(0)) && g.has("--force")
	}
	return false
}
