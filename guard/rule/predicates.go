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

// About is the predicate of rows about one kind of effect, and with names about those
// of that name.
func About(k effect.Kind, names ...string) When {
	return func(_ *Context, e *effect.Effect) bool {
		return e.Kind == k && (names == nil || slices.Contains(names, e.Name))
	}
}

// sends is the predicate of rows about what goes out: anywhere, or away from this machine.
func sends(anywhere bool, what ...string) When {
	return func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Net && slices.Contains(what, e.Sends) && (anywhere || !e.Inside)
	}
}

// whens are the predicates of rows that are about more than what a program is asked to do.
var whens = map[string]When{
	"input/bytes":         About(effect.Problem, effect.ProblemBytes),
	"input/size":          About(effect.Problem, effect.ProblemSize),
	"input/invalid":       About(effect.Problem, effect.ProblemInput),
	"input/nested-shells": About(effect.Problem, effect.ProblemDepth),
	"parse/error":         About(effect.Problem, effect.ProblemSyntax),
	"parse/opaque":        About(effect.Problem, effect.ProblemOpaque),
	"budget/work":         About(effect.Problem, effect.ProblemBudget, effect.ProblemNesting),
	"guard/internal":      unexplained,

	"process/fork-bomb": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Bomb && e.Name != effect.EndlessWrite && e.Name != effect.EndlessInput
	},
	"process/memory": About(effect.Bomb, effect.EndlessInput),
	"system/flood":   About(effect.Bomb, effect.EndlessWrite),
	"device/write":   func(_ *Context, e *effect.Effect) bool { return Writes(e) && place.BlockDevice(e.Path) },
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
	"secret/search-history": About(effect.Secret, "history"),
	"secret/metadata": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Net && place.Metadata(e.Text)
	},
	"secret/variable": About(effect.Secret, "variable"),
	"secret/environment": func(_ *Context, e *effect.Effect) bool { // every way to print all variables at once
		return !e.Discreet && (e.Kind == effect.Secret && e.Name == "environment" || e.Is(effect.PrintsAll))
	},

	"net/socket": func(_ *Context, e *effect.Effect) bool {
		return (Writes(e) || e.Kind == effect.Read) && place.BashSocket(e.Path)
	},
	"net/shell":       sends(true, effect.SendsShell),
	"net/environment": sends(false, effect.SendsEnvironment),
	"net/project":     sends(false, effect.SendsProject),
	"net/encoded":     sends(false, effect.SendsEncoded),
	"net/send":        sends(false, effect.SendsFile, effect.SendsOutput),
	"net/tunnel":      sends(true, effect.OpensTunnel, effect.Waits),
	"outward/remote":  sends(true, effect.ChangesThere),
	"data/destroy":    About(effect.Data),

	"windows/encoded": About(effect.Code, effect.EncodedCode),
	"program/outside": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Exec && !e.Inside && !e.Unknown
	},
	"program/unknown":  func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Exec && e.Unknown },
	"code/remote":      func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Code && effect.Fetched(e.From) },
	"code/decoded":     func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Code && effect.Decoded(e.From) },
	"code/library":     About(effect.Code, "library"),
	"code/unknown":     About(effect.Code),
	"code/hook":        func(_ *Context, e *effect.Effect) bool { return e.Kind == effect.Hook && !e.Inside },
	"code/hidden":      About(effect.Hidden),
	"code/shell":       About(effect.Shell),
	"code/script-hook": About(effect.Hook),
	"env/dump":         About(effect.Dump),
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
