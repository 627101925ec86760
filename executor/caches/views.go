package caches

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// viewsSuffix is of the directory beside a workspace's caches for what commands change of
// the views in them.
const viewsSuffix = ".views"

const view = "view "

// unseen are files that lie among what a tool caches and may hold a password of a server.
var unseen = map[string][]string{Ccache: {"ccache.conf"}}

// Ccache is the place of its cache among ours.
const Ccache = "xdg/ccache"

// View is, among the variables of Config.Env, the user's own of a cache that a tool only
// adds to: below ours at name, commands see it and what they add. It reaches no command.
func View(name string) string { return view + name }

// IsView says that a variable is one of View's.
func IsView(name string) bool { return strings.HasPrefix(name, view) }

// Views are those in the caches in dir, and where what commands change of them lies.
func Views(dir string, user map[string]string) (all []sandbox.View, in string) {
	for name, theirs := range user {
		if IsView(name) {
			name = strings.TrimPrefix(name, view)
			at := filepath.Join(dir, filepath.FromSlash(name))
			all = append(all, sandbox.View{At: at, Lower: []string{theirs}, Hide: unseen[name]})
		}
	}
	slices.SortFunc(all, func(a, b sandbox.View) int { return strings.Compare(a.At, b.At) })
	return all, dir + viewsSuffix
}
