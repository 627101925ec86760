package profile

import (
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

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
