package gocache

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pillion-sidecar/pillion/workspace"
)

// verb is the first argument of a process that serves a go command.
const verb = "serve-go-cache"

// self is this program, if its main has called Child: another one would take verb for
// something else.
var self struct {
	path string
	info os.FileInfo
}

// Child is what main calls before it reads its arguments. ok says that this process served
// a go command and must exit with code now.
func Child() (code int, ok bool) {
	if len(os.Args) == 4 && os.Args[1] == verb {
		own, behind := os.Args[2], os.Args[3]
		if os.Getenv("GOCACHE") != own { // the command has a cache of its own
			own, behind = os.Getenv("GOCACHE"), ""
		}
		if err := serve(os.Stdin, os.Stdout, store(own), store(behind)); err != nil {
			fmt.Fprintln(os.Stderr, "pillion: go's cache:", err)
			return 1, true
		}
		return 0, true
	}
	path, err := os.Executable()
	if err != nil {
		return 0, false
	}
	path, _ = workspace.Resolve(nil, path, string(filepath.Separator))
	if info, err := os.Stat(path); err == nil {
		self.path, self.info = path, info
	}
	return 0, false
}

// Program is the file that commands must be able to run, "" for none. One that has taken
// its place since is another one, which a sandbox that is open may not show.
func Program() string {
	if self.path == "" {
		return ""
	}
	if now, err := os.Stat(self.path); err != nil || !os.SameFile(self.info, now) {
		return ""
	}
	return self.path
}

// Setting is the value of GOCACHEPROG for a go command that has its cache in own and reads
// what is not there in behind, or "" where that doesn't work: go stops when it can't start
// what the variable names.
func Setting(own, behind string) string {
	words := []string{Program(), verb, own, behind}
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, `"`+"\n") {
			return ""
		}
		words[i] = `"` + w + `"`
	}
	return strings.Join(words, " ")
}
