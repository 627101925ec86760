package profile

import (
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// inspectPrograms is the whole table of the profile.
var inspectPrograms = argv.NamesOf(&inspectText, "programs")

// inspectWhen let programs look and nothing else. Operators are refused in the text,
// quoted or not, before anything is parsed: that is what the profile promises. What the
// text can't tell is judged by what the command would do.
var inspectWhen = map[string]rule.When{
	"inspect/operator": func(_ *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Text && e.Name == "command" && operator(e.Text) != ""
	},
	"inspect/shell": func(_ *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Command && e.Name != effect.WrittenCommand
	},
	"inspect/program": func(c *rule.Context, e *effect.Effect) bool { return e.Kind == effect.Exec && !inspects(c, e) },
	"inspect/git": func(_ *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Exec && e.Name == "git" && !gitReads(e.Args)
	},
	"inspect/option":    func(_ *rule.Context, e *effect.Effect) bool { return e.Kind == effect.Exec && acts(e) },
	"inspect/sensitive": sensitive,
	"inspect/write":     func(_ *rule.Context, e *effect.Effect) bool { return rule.Writes(e) && !place.Device(e.Path) },
	"inspect/environment": func(_ *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Env && redirects(e.Name, e.Text)
	},
}

// Inspect are the rows of the profile.
func Inspect() []rule.Rule {
	rows := read("inspect", inspectWhen)
	rows[0].Say = func(e *effect.Effect) string { return operator(e.Text) }
	return rows
}

// operators are what the profile rejects before parsing. A line break ends a
// command like a semicolon; eval and its kin count as words of their own.
var operators = argv.Pattern("[;&|`>\n]|\\$\\(|\\$\\{|<\\(|(?:^|\\s)(?:eval|exec|source)(?:\\s|$)")

// operator says what the text holds, "" for nothing of the kind.
func operator(text string) string {
	switch op := strings.TrimSpace(operators().FindString(strings.Trim(text, " \t\n"))); op {
	case "":
		if strings.Contains(strings.Trim(text, " \t\n"), "\n") {
			return "Shell operator (line break)"
		}
		return ""
	case "`", "$(", "<(":
		return "Command substitution"
	case "${":
		return "Variable expansion"
	case ">":
		return "Output redirection"
	case "eval", "exec", "source":
		return "Dynamic execution (" + op + ")"
	default:
		return "Shell operator (" + op + ")"
	}
}

// inspects reports a program of the table, from where the system keeps it.
func inspects(c *rule.Context, e *effect.Effect) bool {
	if e.Unknown || !inspectPrograms.Has(e.Name) || strings.Contains(e.Name, effect.Unknown) {
		return false
	}
	if e.Path != "" && !c.Trusted(e.Text, e.Path) {
		return false
	}
	return startsAllowed(e)
}

// redirects reports variables through which a program is made to run or load
// something. Pagers may be switched off.
func redirects(name, value string) bool {
	if strings.HasSuffix(name, "PAGER") {
		return value != "" && value != "cat" && value != "less"
	}
	if value != "" && !effect.Among(name, "NODE_ENV RUST_BACKTRACE RUST_LOG") && effect.Begins(name,
		`LD_ DYLD_ GIT_ LESS PYTHON PERL RUBY NODE_ npm_ NPM_ PIP_ UV_ MAKE CARGO_ RUST JAVA _JAVA AWK BASH PS4 RIPGREP_CONFIG
		XDG_`) {
		return true
	}
	return effect.Among(name, `PATH HOME IFS ENV SHELL EDITOR VISUAL PROMPT_COMMAND GOFLAGS GOENV CLASSPATH
		JDK_JAVA_OPTIONS TERMINFO LOCPATH`)
}

// sensitiveDirs are the profile's, without the slash in front.
var sensitiveDirs = []string{"etc", "root", "proc", "sys", "boot", "usr/sbin"}

// sensitiveNames are directories and files of keys, wherever they lie.
var sensitiveNames = []string{".ssh", ".aws", ".gnupg", ".netrc", ".git-credentials", ".kube"}

// textual are programs whose arguments are text; the effects say what they open.
var textual = argv.NamesOf(&inspectText, "textual")

// descending are programs that descend into what they are given.
var descending = []string{"find", "rg", "ag", "du", "tree", "tokei", "cloc", "scc", "repomix", "ast-grep"}

// sensitive reports an effect that reaches one of these places, and arguments that name
// one for a program whose reading of them is not known.
func sensitive(c *rule.Context, e *effect.Effect) bool {
	switch e.Kind {
	case effect.Read, effect.Write, effect.Delete:
		// After a variable that is empty, what follows is the whole path.
		return sensitivePath(e.Path) || sensitiveArg(e.Text) || e.Unknown && places(e.Text, func(int) bool { return true })
	case effect.Exec:
	default:
		return false
	}
	deep := slices.Contains(descending, e.Name) || strings.HasSuffix(e.Name, "grep") &&
		argv.Recursive(effect.Texts(e.Args)) || e.Name == "ls" && argv.Recursive(effect.Texts(e.Args))
	for _, a := range e.Args {
		if deep && strings.HasPrefix(a.Text, "/") && (path.Clean(a.Text) == "/" || path.Clean(a.Text) == "/usr") {
			return true
		}
		if (!textual.Has(e.Name) || lists(e)) && !(e.Name == "git" && gitWords(a.Text)) &&
			(sensitiveArg(a.Text) || climbsTo(c, a.Text)) {
			return true
		}
		if e.Name == "jq" && strings.HasPrefix(a.Text, "/") && sensitivePath(path.Clean(a.Text)) {
			return true
		}
	}
	return false
}

// maxPlaces bounds where in one word a path may begin; a word with more is not
// looked through, and counts as sensitive.
const maxPlaces = 64

// places tries the path that begins at each slash for which begins answers yes.
func places(text string, begins func(i int) bool) bool {
	tried := 0
	for i := range len(text) {
		if text[i] != '/' || !begins(i) {
			continue
		}
		if tried++; tried > maxPlaces || sensitivePath(path.Clean(text[i:])) {
			return true
		}
	}
	return false
}

// gitWords are options of git that are followed by text, not by a path.
func gitWords(text string) bool {
	return effect.Begins(text, "-S -G --grep= --author= --committer= --format= --pretty=")
}

// lists reports a search for file names: its first operand is not a pattern.
func lists(e *effect.Effect) bool {
	return e.Name == "rg" && argv.Has(e.Args, "--files") ||
		e.Name == "ag" && argv.AnyText(e.Args, func(s string) bool { return strings.HasPrefix(s, "-g") })
}

// climbsTo is sensitiveArg for a relative path.
func climbsTo(c *rule.Context, text string) bool {
	_, value, _ := strings.Cut(text, "=")
	return slices.ContainsFunc([]string{text, value}, func(p string) bool {
		return strings.Contains(p, "..") && len(p) <= shell.MaxPath && sensitivePath(path.Join(c.Cwd, p))
	})
}

// sensitiveArg finds a path in an argument: all of it, or what follows =, @, :
// or the letter of an option.
func sensitiveArg(text string) bool {
	return places(text, func(i int) bool {
		return i == 0 || strings.IndexByte("=@:,\"'", text[i-1]) >= 0 || i == 2 && text[0] == '-'
	})
}

// sensitivePath compares name by name; a glob in the path counts as what it
// could match.
func sensitivePath(p string) bool {
	if p == "" || p[0] != '/' {
		return false
	}
	names := strings.Split(strings.TrimLeft(p, "/"), "/")
	for _, dir := range sensitiveDirs {
		want := strings.Split(dir, "/")
		if len(names) >= len(want) && slices.EqualFunc(names[:len(want)], want, couldBe) {
			return true
		}
	}
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(sensitiveNames, n) })
}

func couldBe(pattern, name string) bool {
	if pattern == name {
		return true
	}
	ok, err := path.Match(pattern, name)
	return ok || err != nil
}
