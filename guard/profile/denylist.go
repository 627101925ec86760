// Package profile has the rules of older tools that pillion can behave like, each by
// its own table.
package profile

import (
	"embed"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/rule"
)

// denylistWhen are eight families of text, matched on the command as written in lower
// case, and over what it does: quotes, a backslash or a variable hide nothing. Text is
// text: the word "format" in a commit message is refused here, and only here.
var denylistWhen = map[string]rule.When{
	"denylist/required": func(c *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Problem && e.Name == effect.ProblemInput && c.Empty
	},
	"denylist/rm": written("rm", `\brm\s+-(rf|fr)\b`, func(_ *rule.Context, e *effect.Effect) bool {
		f := rmFlags(e.Args)
		return e.Runs("rm") && f.recursive && f.force // however they are written
	}),
	"denylist/del":   written("del", `\bdel\s+/[fq]\b`, options("del", "/f", "/q")),
	"denylist/rmdir": written("rmdir", `\brmdir\s+/s\b`, options("rmdir", "/s")),
	"denylist/format": written("format mkfs diskpart", `\b(format|mkfs|diskpart)\b`,
		runs("format", "mkfs", "diskpart")),
	"denylist/dd": written("dd", `\bdd\s+if=`, func(_ *rule.Context, e *effect.Effect) bool {
		return e.Runs("dd") && argv.AnyText(e.Args, func(s string) bool { return strings.HasPrefix(s, "if=") })
	}),
	"denylist/device":    written("/dev/sd", `>\s*/dev/sd[a-z]\b`, devices),
	"denylist/power":     written("shutdown reboot poweroff", `\b(shutdown|reboot|poweroff)\b`, powers),
	"denylist/fork-bomb": written(":", `:\s*\(\s*\)\s*\{.*\}\s*;\s*:`, bombs),
	"denylist/traversal": func(c *rule.Context, e *effect.Effect) bool {
		climbed := func() bool { return climbs().MatchString(urls().ReplaceAllString(e.Text, "")) }
		return c.Restrict && (e.Kind == effect.Text && strings.Contains(e.Text, "..") && climbed() ||
			leavesBy(e) == "traversal")
	},
	"denylist/outside": func(c *rule.Context, e *effect.Effect) bool {
		return c.Restrict && (leavesBy(e) == "outside" || handsOut(c, e))
	},
}

// written is one of the eight: a pattern for the text as written, with words of which the
// text must hold one, and the same over effects.
func written(words, pattern string, does rule.When) rule.When {
	compiled := argv.Pattern(`(?s)` + pattern)
	return func(c *rule.Context, e *effect.Effect) bool {
		if e.Kind != effect.Text {
			return does(c, e)
		}
		text := strings.ToLower(e.Text)
		return effect.Holds(text, words) && compiled().MatchString(text)
	}
}

func runs(names ...string) rule.When {
	return func(_ *rule.Context, e *effect.Effect) bool {
		name, _, _ := strings.Cut(strings.ToLower(e.Name), ".")
		return e.Kind == effect.Exec && slices.Contains(names, name)
	}
}

func options(name string, opts ...string) rule.When {
	return func(_ *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Exec && strings.EqualFold(e.Name, name) && argv.AnyFold(e.Args, opts...)
	}
}

type rmOptions struct{ recursive, force, unpreserved bool }

// rmFlags reads rm's options as GNU getopt does: clusters, abbreviations of long
// names, options after operands, none after "--".
func rmFlags(args []effect.Arg) (f rmOptions) {
	for _, a := range args {
		switch opt := a.Text; {
		case opt == "--":
			return f
		case strings.HasPrefix(opt, "--"):
			f.recursive = f.recursive || len(opt) > 2 && strings.HasPrefix("--recursive", opt)
			f.force = f.force || len(opt) > 2 && strings.HasPrefix("--force", opt)
			f.unpreserved = f.unpreserved || len(opt) > 4 && strings.HasPrefix("--no-preserve-root", opt)
		case strings.HasPrefix(opt, "-"):
			f.recursive = f.recursive || strings.ContainsAny(opt, "rR")
			f.force = f.force || strings.Contains(opt, "f")
		}
	}
	return f
}

func bombs(_ *rule.Context, e *effect.Effect) bool { return e.Kind == effect.Bomb }

func devices(_ *rule.Context, e *effect.Effect) bool {
	return rule.Writes(e) && place.BlockDevice(e.Path)
}

func powers(c *rule.Context, e *effect.Effect) bool {
	words := []string{"shutdown", "reboot", "poweroff"}
	return runs(words...)(c, e) || e.Kind == effect.Exec && (e.Name == "systemctl" || e.Name == "loginctl") &&
		argv.Has(e.Args, words...)
}

// urls are not paths, so what looks like a traversal in one is not.
var urls = argv.Pattern(`\b(?:https?|wss?|ftps?|ssh|git)://[^\s"'<>|;&]*`)

// climbs is ../ that is not the end of an ellipsis: ".../" is a Go pattern.
var climbs = argv.Pattern(`(?:^|[^.])\.\.[/\\]`)

// leavesBy says how a path leaves the workspace: by a relative path that climbs
// or follows a link, or as an absolute one. A program's own path is no data, but
// one from an unusual place is not the system's program either.
func leavesBy(e *effect.Effect) string {
	kinds := []effect.Kind{effect.Read, effect.Write, effect.Delete, effect.Exec}
	if !slices.Contains(kinds, e.Kind) || e.Inside || e.Unknown {
		return ""
	}
	if strings.HasPrefix(e.Text, "/") || strings.HasPrefix(e.Text, "file:") || strings.HasPrefix(e.Text, effect.Unknown) {
		return "outside"
	}
	return "traversal"
}

// handsOut reports an absolute path outside given to a script: what the script
// does with it nobody knows, and this profile validates every such path.
func handsOut(c *rule.Context, e *effect.Effect) bool {
	return e.Kind == effect.Exec && lang.LanguageOf(e.Name) != nil && slices.ContainsFunc(e.Args, func(a effect.Arg) bool {
		return strings.HasPrefix(a.Text, "/") && !strings.ContainsAny(a.Text, " \n"+effect.Unknown) &&
			!place.Device(a.Text) && !c.InFolders(path.Clean(a.Text))
	})
}

//go:embed rows/*.txt
var texts embed.FS

func read(name string, when map[string]rule.When) []rule.Rule {
	text, _ := texts.ReadFile("rows/" + name + ".txt") // it is there
	return rule.Rows(string(text), when)
}

// Denylist are the rows of the profile.
func Denylist() []rule.Rule { return read("denylist", denylistWhen) }

// Examples are what the rules of the profiles find.
var Examples = sync.OnceValue(func() map[string]rule.Examples { return rule.ReadExamples(texts) })
