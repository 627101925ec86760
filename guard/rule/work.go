package rule

import (
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
)

// workWhen are predicates of rows about work that lies in files and perhaps nowhere else.
var workWhen = map[string]When{
	"fs/delete-sources": deletesSources,
}

// sourceDirs are where projects keep what people wrote.
var sourceDirs = []string{
	"src", "source", "app", "packages", "internal", "cmd", "crates", "migrations", ".github",
	"tests", "spec",
}

func deletesSources(w *Context, e *effect.Effect) bool {
	if e.Kind != effect.Delete || e.Unknown || e.Name == "mv" || !w.InFolders(e.Path) {
		return false
	}
	p := strings.TrimSuffix(e.Path, "/*")
	dir, name := path.Split(p)
	if e.Recursive && slices.Contains(w.Facts.Folders(), path.Clean(dir)) && slices.Contains(sourceDirs, name) {
		return true
	}
	return place.ManySources(e.Path)
}
