package rule

import (
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
)

// deletesAll is the contents of a workspace folder or of an allowed root at
// once, a folder as ".", and git's own directory.
func deletesAll(w *Context, e *effect.Effect) bool {
	if e.Kind != effect.Delete || e.Unknown {
		return false
	}
	if e.Maybe && !strings.Contains(e.Text, "*") && path.Clean(e.Text) != "." {
		return false // a name that is not there
	}
	for _, root := range slices.Concat(w.Facts.Folders(), w.Roots) {
		rest, ok := strings.CutPrefix(e.Path, root)
		if ok && strings.HasPrefix(rest, "/.git/") && strings.HasSuffix(rest, ".lock") {
			return false // what a git that was stopped leaves
		}
		if ok && (rest == "" || rest == "/*" || rest == "/.*" || rest == "/.[!.]*" || rest == "/.git" ||
			strings.HasPrefix(rest, "/.git/")) {
			return true
		}
	}
	return strings.HasSuffix(e.Path, "/.git")
}

// kinds are the effects that a row's text says it is about.
var kinds = map[string]effect.Kind{
	"problem": effect.Problem, "bomb": effect.Bomb, "secret": effect.Secret, "data": effect.Data, "code": effect.Code,
	"hidden": effect.Hidden, "shell": effect.Shell, "hook": effect.Hook, "dump": effect.Dump,
}

// about is the predicate of rows about one kind of effect, and some of its names.
func about(k effect.Kind, some bool, names []string) When {
	return func(_ *Context, e *effect.Effect) bool {
		return e.Kind == k && (!some || slices.Contains(names, e.Name))
	}
}

// sends is the predicate of rows about what goes out: anywhere, or away from this machine.
func sends(anywhere bool, what []string) When {
	return func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Net && slices.Contains(what, e.Sends) && (anywhere || !e.Inside)
	}
}

// whens are the predicates of rows that are about more than what a program is asked to do.
var whens = map[string]When{
	"guard/internal": unexplained,

	"process/fork-bomb": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Bomb && e.Name != effect.EndlessWrite && e.Name != effect.EndlessInput
	},
	"device/write": func(_ *Context, e *effect.Effect) bool { return Writes(e) && place.BlockDevice(e.Path) },
	"container/socket": func(_ *Context, e *effect.Effect) bool {
		return (e.Kind == effect.Read || Writes(e)) && place.Socket(e.Path)
	},
	"persist/policy": func(_ *Context, e *effect.Effect) bool {
		return Writes(e) && strings.EqualFold(path.Base(e.Path), place.PolicyFile)
	},
	"persist/hook": func(c *Context, e *effect.Effect) bool { return e.Kind == effect.Write && c.Obeyed(e.Path) },
	"persist/tracks": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Env && (e.Name == "HISTFILE" && (e.Text == "/dev/null" || e.Text == "") ||
			(e.Name == "HISTSIZE" || e.Name == "HISTFILESIZE") && e.Text == "0")
	},

	"fs/delete-system": func(c *Context, e *effect.Effect) bool {
		// A home below an allowed root (/tmp in a container) is still a home.
		home := strings.TrimSuffix(e.Path, "/*") == c.Home
		return e.Kind == effect.Delete && !e.Unknown && !e.Maybe && (home || !e.Inside && c.Vital(e.Path))
	},
	"fs/delete-workspace": func(c *Context, e *effect.Effect) bool {
		return e.Kind == effect.Delete && !e.Maybe && slices.Contains(c.Facts.Folders(), e.Path) &&
			!slices.Contains([]string{".", "./"}, e.Text)
	},
	"fs/delete-outside": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Delete && !e.Inside && !e.Unknown && !e.Maybe
	},
	"fs/delete-contents": deletesAll,
	"fs/delete-unknown": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Delete && e.Unknown && !e.Maybe && e.Name != "mv"
	},
	"fs/delete-sources": deletesSources,
	"fs/write-outside": func(c *Context, e *effect.Effect) bool {
		return e.Kind == effect.Write && !e.Inside && !e.Unknown && !c.Granted(e)
	},
	"fs/run-outside": func(c *Context, e *effect.Effect) bool {
		return e.Kind == effect.Read && e.Name != "" && !e.Inside && !(lookers.Has(e.Name) && c.Shown(e)) && !c.Granted(e)
	},
	"fs/read-outside": func(c *Context, e *effect.Effect) bool {
		return e.Kind == effect.Read && e.Name == "" && !e.Inside && !e.Unknown && !c.Public(e.Path) && !c.Shown(e)
	},

	"secret/keys": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Read && (strings.HasPrefix(e.Path, "/dev/input/") && e.Path != "/dev/input/" ||
			strings.HasPrefix(e.Path, "/dev/hidraw"))
	},
	"secret/read": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Read && !e.Discreet && place.Secret(e)
	},
	"secret/metadata": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Net && place.Metadata(e.Text)
	},
	"secret/environment": func(_ *Context, e *effect.Effect) bool { // every way to print all variables at once
		return !e.Discreet && (e.Kind == effect.Secret && e.Name == "environment" || e.Is(effect.PrintsAll))
	},

	"net/socket": func(_ *Context, e *effect.Effect) bool {
		return (Writes(e) || e.Kind == effect.Read) && place.BashSocket(e.Path)
	},

	"program/outside": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Exec && !e.Inside && !e.Unknown
	},
	"program/unknown": func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Exec && e.Unknown },
	"code/remote":     func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Code && effect.Fetched(e.From) },
	"code/decoded":    func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Code && effect.Decoded(e.From) },
	"code/hook":       func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Hook && !e.Inside },
	"env/loader": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Env && place.Loaders(e.Name) && e.Text != ""
	},
}

// lookers only look at the folder they are started in.
var lookers = argv.Names(`ls cat head tail grep egrep rg ag find fd sed awk wc sort uniq cut tree file stat du less
	more diff jq git pwd echo printf test [ true readlink realpath basename dirname md5sum sha256sum nl od xxd strings
	column comm`)

// unexplained reports a problem that no other row is about: a fault of the guard, or a
// problem that was added without a row.
func unexplained(_ *Context, e *effect.Effect) bool {
	switch e.Name {
	case effect.ProblemSize, effect.ProblemBytes, effect.ProblemSyntax, effect.ProblemOpaque, effect.ProblemNesting,
		effect.ProblemDepth, effect.ProblemBudget, effect.ProblemInput:
		return false
	}
	return e.Kind == effect.Problem
}

// sourceDirs are where projects keep what people wrote.
var sourceDirs = argv.Names(`src source app packages internal cmd crates migrations .github tests spec`)

func deletesSources(w *Context, e *effect.Effect) bool {
	if e.Kind != effect.Delete || e.Unknown || e.Name == "mv" || !w.InFolders(e.Path) {
		return false
	}
	p := strings.TrimSuffix(e.Path, "/*")
	dir, name := path.Split(p)
	if e.Recursive && slices.Contains(w.Facts.Folders(), path.Clean(dir)) && sourceDirs.Has(name) {
		return true
	}
	return place.ManySources(e.Path)
}
