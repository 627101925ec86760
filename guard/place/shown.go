package place

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// Shower is what Facts may be besides: the plan of the sandbox that a command
// will run in. A command is never refused what that shows,
// nor what a person has granted.
type Shower interface {
	// Shows names the row of the plan by which a command may read the resolved
	// path, "" if there is none.
	Shows(path string) (row string)
	// Grants says that a person lets this command write to the resolved path, outside
	// of the workspace.
	Grants(path string) bool
}

// Shown reports a path outside the workspace that the sandbox lets commands read,
// credentials and accounts excepted.
func (w *World) Shown(e *effect.Effect) bool {
	plan, ok := w.Facts.(Shower)
	path := known(e.Path)
	if !ok || path == "" || path == "/etc" && !e.Discreet { // a copy of all of it
		return false
	}
	row := plan.Shows(path)
	if row == "system" && e.Recursive {
		return false // whether it is only read, nobody knows
	}
	return row != "" && !slices.Contains(accountFiles, path) && !SecretPath(path)
}

// Granted reports a write outside the workspace that a person has granted. What other
// rules say of the path stands: a yes to a directory is none to the credentials in it.
func (w *World) Granted(e *effect.Effect) bool {
	plan, ok := w.Facts.(Shower)
	if !ok || e.Path == "" || w.Restrict || SecretPath(e.Path) {
		return false
	}
	return plan.Grants(known(e.Path))
}

// known is a path as far as it has no pattern in it.
func known(path string) string {
	if i := strings.IndexAny(path, "*?["); i >= 0 {
		return path[:max(1, strings.LastIndexByte(path[:i], '/'))]
	}
	return path
}

// accountFiles tell who may log in. Every program may read some of them, and no
// task of a project does.
var accountFiles = []string{
	"/etc/passwd", "/etc/passwd-", "/etc/group", "/etc/group-", "/etc/login.defs",
	"/etc/pam.d", "/etc/security", "/etc/crontab",
}
