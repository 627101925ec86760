package profile

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// gitSubcommands is the profile's read-only set.
var gitSubcommands = argv.NamesOf(&inspectText, "git")

// gitReads reports a git command that only reads. Global options are a list of
// what is allowed: -c and --config-env run programs (core.pager, core.fsmonitor).
func gitReads(args []effect.Arg) bool {
	words := effect.Texts(args)
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		switch name, _, joined := strings.Cut(words[0], "="); {
		case name == "--version" || name == "-v" || name == "--help":
			return true
		case words[0] == "-C" || (name == "--git-dir" || name == "--work-tree" || name == "--namespace") && !joined:
			words = words[min(2, len(words)):]
		case effect.Among(name, `--no-pager -P --no-optional-locks --no-replace-objects --literal-pathspecs --bare
			--git-dir --work-tree --namespace`):
			words = words[1:]
		default:
			return false
		}
	}
	if len(words) == 0 || !gitSubcommands.Has(words[0]) {
		return false
	}
	sub, words := words[0], words[1:]
	if slices.ContainsFunc(words, gitWrites) {
		return false
	}
	switch sub {
	case "branch", "tag":
		return gitLists(sub, words)
	case "remote":
		verb := slices.IndexFunc(words, func(s string) bool { return s != "-v" && s != "--verbose" })
		return verb < 0 || words[verb] == "show" || words[verb] == "get-url"
	case "reflog":
		return len(words) == 0 || !slices.Contains([]string{"expire", "delete", "drop", "write"}, words[0])
	case "stash": // alone it is a push
		return len(words) > 0 && (words[0] == "list" || words[0] == "show")
	case "config":
		return gitConfigReads(words)
	}
	return true
}

// gitWrites are options that write a file or run a program, with the beginnings
// git takes for them.
func gitWrites(word string) bool {
	name, _, _ := strings.Cut(word, "=")
	return len(name) > 3 && effect.Any(
		"--output --ext-diff --filters --textconv --exec-path --upload-pack --open-files-in-pager",
		func(opt string) bool { return strings.HasPrefix(opt, name) })
}

// gitLists reports the forms of branch and tag that list. With a name and no
// option that makes a list of it, they create.
func gitLists(sub string, words []string) bool {
	list, operands := false, 0
	for i := 0; i < len(words); i++ {
		name, _, joined := strings.Cut(words[i], "=")
		switch {
		case effect.Among(name, `--list -l --contains --no-contains --merged --no-merged --points-at`):
			list = true
		case sub == "tag" && (name == "-n" || strings.HasPrefix(name, "-n") && strings.Trim(name[2:], "0123456789") == ""):
			list = true
		case name == "--sort" || name == "--format":
			if !joined {
				i++
			}
		case effect.Among(name, `-a --all -r --remotes -v -vv --verbose -av -avv -rv -q --show-current --color
			--no-color --column --no-column -i --ignore-case --abbrev --no-abbrev --omit-empty`):
			if sub == "tag" && (name == "-a" || name == "-v" || name == "-r") {
				return false // an annotated tag, a signature check by another program
			}
		case strings.HasPrefix(words[i], "-"):
			return false
		default:
			operands++
		}
	}
	return list || operands == 0
}

// gitConfigReads takes the six options of the profile and what only chooses
// where to read from and how to print.
func gitConfigReads(words []string) bool {
	reads, shows, operands := false, false, 0
	for i := 0; i < len(words); i++ {
		name, _, joined := strings.Cut(words[i], "=")
		switch {
		case slices.Contains([]string{"--get", "--get-all", "--get-regexp", "--list", "-l"}, words[i]):
			reads = true
		case words[i] == "--show-origin" || words[i] == "--show-scope":
			shows = true
		case effect.Among(words[i], `--global --system --local --worktree -z --null --name-only --includes --no-includes
			--bool --int --path`):
		case slices.Contains([]string{"-f", "--file", "--blob", "--type", "--default"}, name):
			if !joined {
				i++
			}
		case strings.HasPrefix(words[i], "-"):
			return false
		default:
			operands++
		}
	}
	return reads || shows && operands <= 1
}
