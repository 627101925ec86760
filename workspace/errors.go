package workspace

import (
	"errors"
	"fmt"
	"strings"
)

// ErrChanged says that a path changed under our hands: a folder was removed or
// replaced after Open, or a directory was swapped on every attempt to open it.
var ErrChanged = errors.New("the folder changed while it was in use; open the workspace again")

// OutsideError says that a path lies in none of the open folders.
type OutsideError struct {
	Path     string   // as it was asked for
	Resolved string   // where it leads once symlinks are followed, "" if unknown
	Folders  []string // the open folders, resolved
}

// Error names the path, where it leads, and what to do instead.
func (e *OutsideError) Error() string {
	if len(e.Folders) == 0 && e.Path == "" {
		return "there is no directory to run in: no folder is open; open one first"
	}
	if len(e.Folders) == 0 {
		return fmt.Sprintf("%q is outside the workspace: no folder is open; open one first", e.Path)
	}
	where := ""
	if e.Resolved != "" && e.Resolved != e.Path {
		where = fmt.Sprintf(" (it leads to %q)", e.Resolved)
	}
	return fmt.Sprintf("%q is outside the workspace%s; use a directory inside %s, or open its folder too",
		e.Path, where, strings.Join(e.Folders, " or "))
}

// RefusedRootError says that a folder is too much to hand to commands as a
// workspace. Options.Grants lifts it for that very folder.
type RefusedRootError struct {
	Path   string // resolved
	Reason string // what is wrong with it
	Hint   string // what to do instead
}

// Error is the reason and the hint in one line.
func (e *RefusedRootError) Error() string {
	return fmt.Sprintf("%s cannot be a workspace: %s; %s", e.Path, e.Reason, e.Hint)
}
