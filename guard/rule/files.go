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
			return false // what a git that was stopped leaves behind
		}
		if ok && (rest == "" || rest == "/*" || rest == "/.*" || rest == "/.[!.]*" || rest == "/.git" ||
			strings.HasPrefix(rest, "/.git/")) {
			return true
		}
	}
	return strings.HasSuffix(e.Path, "/.git")
}

// fsWhen are predicates of rows about what is deleted, written and read where.
var fsWhen = map[string]When{
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
	"net/socket": func(_ *Context, e *effect.Effect) bool {
		return (Writes(e) || e.Kind == effect.Read) && place.BashSocket(e.Path)
	},
	"fs/write-outside": func(c *Context, e *effect.Effect) bool {
		return e.Kind == effect.Write && !e.Inside && !e.Unknown && !c.Granted(e)
	},
	"fs/run-outside": func(c *Context, e *effect.Effect) bool {
		return e.Kind == effect.Read && e.Name != "" && !e.Inside && !(lookers.Has(e.Name) && c.Shown(e))
	},
	"fs/read-outside": func(c *Context, e *effect.Effect) bool {
		return e.Kind == effect.Read && e.Name == "" && !e.Inside && !e.Unknown && !c.Public(e.Path) && !c.Shown(e)
	},
	"fs/delete-contents": deletesAll,
	"fs/delete-unknown": func(_ *Context, e *effect.Effect) bool {
		return e.Kind == effect.Delete && e.Unknown && !e.Maybe && e.Name != "mv"
	},
}

// lookers only look at the folder they are started in.
var lookers = argv.Names(`ls cat head tail grep egrep rg ag find fd sed awk wc sort uniq cut tree file stat du less
	more diff jq git pwd echo printf test [ true readlink realpath basename dirname md5sum sha256sum nl od xxd strings
	column comm`)
