package profile

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/text"
)

// inspectText has the options of programs.
//
//go:embed inspect.txt
var inspectText string

// acting are the options of allowed programs that write or run something, clusterEnds
// those that take the rest of their word, ownValues those of programs that run others.
var (
	acting      = sync.OnceValue(func() map[string][]string { return argv.Lists(inspectText, "acts") })
	clusterEnds = sync.OnceValue(func() map[string][]string { return argv.Lists(inspectText, "ends") })
	ownValues   = sync.OnceValue(func() map[string][]string { return argv.Lists(inspectText, "own") })
)

// awkActs are the parts of an awk program that run commands or read other files,
// by name or through a variable; pipes and redirections are operators already.
var awkActs = argv.Pattern(`\bsystem\s*\(|\bgetline\b|\bARGV\b|@\s*[a-zA-Z_]`)

// singleDash are the programs whose long options have one dash, so that their
// letters are no cluster.
var singleDash = []string{"find", "go", "java"}

// acts reports arguments with which a program of the table does more than look.
func acts(e *effect.Effect) bool {
	words := own(e.Name, effect.Texts(e.Args))
	options := acting()[e.Name]
	for _, word := range words {
		if word == "--" {
			break
		}
		if slices.ContainsFunc(options, func(opt string) bool { return gives(e.Name, word, opt) }) {
			return true
		}
	}
	switch e.Name {
	case "sed":
		return text.SedActs(e.Args)
	case "awk":
		return slices.ContainsFunc(words, awkActs().MatchString)
	case "yq": // its expressions read files
		loads := func(s string) bool { return strings.Contains(s, "load") && strings.Contains(s, "(") }
		return slices.ContainsFunc(words, loads)
	case "python", "python3", "node":
		return readsCode(words)
	case "xargs":
		return feeds(words)
	case "make":
		return slices.ContainsFunc(words, func(s string) bool { return effect.Begins(s, "SHELL= .SHELLFLAGS=") })
	case "less":
		orders := func(s string) bool { return strings.HasPrefix(s, "+") && strings.ContainsAny(s, "!sv#") }
		return slices.ContainsFunc(words, orders)
	case "npm":
		return len(words) > 0 && effect.Among(words[0], `exec x init create innit explore edit publish unpublish login
			adduser set`)
	case "go":
		return len(words) > 1 && words[0] == "env" && (slices.Contains(words, "-w") || slices.Contains(words, "-u"))
	case "date": // MMDDhhmm sets the clock
		return slices.ContainsFunc(words, func(s string) bool { return len(s) >= 8 && strings.Trim(s, "0123456789.") == "" })
	}
	return false
}

// gives reports that word is the option opt: a beginning of a long one, a letter
// of a cluster, or a short one with its value.
func gives(program, word, opt string) bool {
	switch {
	case strings.HasPrefix(opt, "--"):
		name, _, _ := strings.Cut(word, "=")
		return name == opt || len(name) > 3 && strings.HasPrefix(opt, name)
	case len(opt) > 2 || slices.Contains(singleDash, program):
		name, _, _ := strings.Cut(strings.TrimPrefix(word, "-"), "=")
		name, _, _ = strings.Cut(name, ":")
		return strings.HasPrefix(word, "-") && strings.TrimPrefix(opt, "-") == strings.TrimPrefix(name, "-")
	case len(word) < 2 || word[0] != '-' || word[1] == '-':
		return false
	}
	if strings.HasPrefix(word, opt) {
		return true
	}
	// Letters before it, none of which takes the rest as its value.
	at := strings.IndexByte(word, opt[1])
	return at > 0 && !strings.ContainsAny(word[1:at], strings.Join(clusterEnds()[program], ""))
}

// own are the words that are the program's own and not those of what it runs.
func own(program string, words []string) []string {
	values, ok := ownValues()[program]
	if !ok {
		return words
	}
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == "-m":
			return words[:min(i+2, len(words))]
		case slices.Contains(values, words[i]):
			i++
		case !strings.HasPrefix(words[i], "-") && !strings.Contains(words[i], "="):
			return words[:i+1]
		}
	}
	return words
}

// readsCode is an interpreter without a script: it would run its input.
func readsCode(words []string) bool {
	for _, word := range words {
		if word == "-" || word == "/dev/stdin" {
			return true
		}
		if word == "-m" || !strings.HasPrefix(word, "-") || word == "--version" || word == "-V" || word == "-VV" ||
			word == "-v" || word == "--help" || word == "-h" || strings.HasPrefix(word, "-m") {
			return false
		}
	}
	return true
}

// fedPrograms are those that any argument is harmless for, so that xargs may add unknown
// ones.
var fedPrograms = argv.NamesOf(&inspectText, "fed")

func feeds(words []string) bool {
	args := make([]effect.Arg, len(words))
	for i, word := range words {
		args[i].Text = word
	}
	_, rest := program.Options("xargs").Leading(args)
	return len(rest) > 0 && !fedPrograms.Has(rest[0].Text)
}

// startsAllowed looks at what the programs of the table start: that must be in the table,
// too. Options that take a value could hide which word is the program, so only some
// without one are let through.
func startsAllowed(e *effect.Effect) bool {
	words := effect.Texts(e.Args)
	switch {
	case e.Name == "npx":
	case e.Name == "uv" && len(words) > 0 && words[0] == "run":
		words = words[1:]
	case e.Name == "uv":
		return len(words) < 2 || words[0] != "tool" || words[1] != "run"
	default:
		return true
	}
	for _, word := range words {
		switch {
		case !strings.HasPrefix(word, "-"):
			return inspectPrograms.Has(word) || e.Name == "uv" && word == "pytest"
		case !effect.Among(word, `-y --yes --no --no-install --offline --frozen --locked --no-sync -q --quiet --version
			-v -V --help -h`):
			return false
		}
	}
	return true
}

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
