package policy

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Alias says that a link is another way to a file that is there, by the file's own name:
// a program of the user's that follows one means that file. Python's are called so with
// any version: a virtual environment has links to them.
func Alias(name, to string) bool {
	to, err := filepath.EvalSymlinks(to)
	if err != nil {
		return false
	}
	st, err := os.Stat(to)
	is := path.Base(to)
	return err == nil && st.Mode().IsRegular() && (name == is || strings.HasPrefix(name, "python") && strings.HasPrefix(is, "python"))
}
