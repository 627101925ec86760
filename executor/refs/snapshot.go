package refs

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/sandbox/protect"
	"github.com/pillion-sidecar/pillion/workspace"
)

// Watch is what the repositories around a command held before it.
type Watch struct {
	repos []repo
	sight Sight
}

// repo is a repository whose directory a command may write to.
type repo struct {
	top     string // the work tree
	common  string // the git directory that its work trees share
	dirs    []gitDir
	state   []state // of each of dirs
	folders []string
}

// gitDir is the repository's own directory, or that of a linked work tree or submodule.
type gitDir struct {
	path string
	top  string // its work tree, "" where that is not known
	// outside: the work tree is where commands can't go.
	outside bool
}

// state is what a git directory holds besides objects.
type state struct {
	files map[string]string // by their path in it: loose refs, heads of operations, packed-refs
	large map[string]bool   // that were there, and not read
	moves []string          // the last lines of HEAD's log that git checkout - goes by
	index index
	graph string // what tells its commit graphs from others
}

const (
	maxFile    = 16 << 20 // of one file that is read; packed-refs of 100,000 refs are 7 MB
	maxSmall   = 1 << 20  // of a file that holds the state of an operation
	maxFiles   = 20_000   // that are read of a git directory
	maxModules = 100
)

// Look reads what there is before a command. folders are the workspace's, cwd is where it
// will run. It writes nothing and starts nothing.
func Look(folders []string, cwd string, sight Sight) *Watch {
	w := &Watch{sight: sight}
	for _, top := range tops(folders, cwd) {
		own, common, ok := directories(top, folders)
		if !ok {
			continue
		}
		r := repo{top: top, common: common, folders: folders, dirs: []gitDir{{path: own, top: top}}}
		if common != own {
			r.dirs = append(r.dirs, gitDir{path: common})
		}
		r.dirs = append(r.dirs, below(common, folders)...)
		for _, d := range r.dirs {
			r.state = append(r.state, sight.read(d))
		}
		w.repos = append(w.repos, r)
	}
	return w
}

// tops are the directories with a .git, from where the command runs up to a folder, and
// the folders themselves.
func tops(folders []string, cwd string) (found []string) {
	add := func(dir string) {
		if _, err := os.Lstat(filepath.Join(dir, protect.DotGit)); err == nil && !slices.Contains(found, dir) {
			found = append(found, dir)
		}
	}
	for _, f := range folders {
		for dir := cwd; workspace.Within(f, dir); dir = filepath.Dir(dir) {
			add(dir)
			if dir == f {
				break
			}
		}
		add(f)
	}
	return found
}

// directories are a work tree's git directory and the one that it shares; not ok for
// one outside of the folders, which no command can change.
func directories(top string, folders []string) (own, common string, ok bool) {
	own = filepath.Join(top, protect.DotGit)
	if text, err := readFile(own, maxSmall); err == nil {
		if own, err = protect.PointerTarget(text, top); err != nil {
			return "", "", false
		}
	}
	common = own
	if text, err := readFile(filepath.Join(own, "commondir"), maxSmall); err == nil {
		if common = strings.TrimSuffix(text, "\n"); !filepath.IsAbs(common) {
			common = filepath.Join(own, common)
		}
	}
	inside := func(dir string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return workspace.Within(f, dir) })
	}
	return own, common, inside(own) && inside(common)
}

// below are the git directories of linked work trees and of submodules.
func below(common string, folders []string) (found []gitDir) {
	_ = filepath.WalkDir(filepath.Join(common, "modules"), func(dir string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() || len(found) >= maxModules {
			return fs.SkipDir // what can't be read by us, the command can't have changed either
		}
		if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err == nil {
			found = append(found, gitDir{path: dir})
			return fs.SkipDir
		}
		return nil
	})
	trees, _ := os.ReadDir(filepath.Join(common, "worktrees")) // there are none, mostly
	for _, t := range trees {
		dir := filepath.Join(common, "worktrees", t.Name())
		text, _ := readFile(filepath.Join(dir, "gitdir"), maxSmall)
		top := filepath.Dir(strings.TrimSuffix(text, "\n"))
		inside := slices.ContainsFunc(folders, func(f string) bool { return workspace.Within(f, top) })
		found = append(found, gitDir{dir, top, !inside})
	}
	return found
}

// operations hold what git goes on with.
var operations = []string{"rebase-merge", "rebase-apply", "sequencer"}

func (x Sight) read(d gitDir) state {
	dir := d.path
	s := state{files: map[string]string{}, large: map[string]bool{}, moves: movesOf(dir), graph: graphOf(dir)}
	take := func(name string, most int64) {
		text, err := readFile(filepath.Join(dir, name), most)
		if err == nil && len(s.files) < maxFiles {
			s.files[name] = text
		} else if !errors.Is(err, fs.ErrNotExist) {
			s.large[name] = true
		}
	}
	take("packed-refs", maxFile)
	take(stashLog, maxFile)
	entries, _ := os.ReadDir(dir) // it may be gone
	for _, e := range entries {
		if headName().MatchString(e.Name()) {
			take(e.Name(), maxSmall)
		}
	}
	for _, in := range append([]string{"refs"}, operations...) {
		_ = filepath.WalkDir(filepath.Join(dir, in), func(file string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				take(file[len(dir)+1:], maxSmall)
			}
			return nil
		})
	}
	known := heads{d.top, map[string]bool{}}
	s.index = indexOf(filepath.Join(dir, "index"), func(name, mode string) bool { return x.notableBy(known, name, mode) })
	return s
}

// headName is one such as HEAD or MERGE_AUTOSTASH.
var headName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z][A-Z_]*$`) })

// readFile reads a regular file; no FIFO is waited for, and no link is followed.
func readFile(path string, most int64) (string, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular() || info.Size() > most:
		return "", fs.ErrInvalid
	}
	f, err := openPlain(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most))
	return string(text), err
}

// objectName is how git spells one: 40 hexadecimal digits, or 64 with SHA-256.
var objectName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b([0-9a-f]{40}|[0-9a-f]{64})\b`)
})

// refs are the names that a git directory gives to objects, and everything else in it
// that names one.
func (s state) refs() map[string][]string {
	out := map[string][]string{}
	for file, text := range s.files {
		if file != "packed-refs" {
			out[file] = objectName().FindAllString(text, -1)
		}
	}
	for line := range strings.Lines(s.files["packed-refs"]) {
		oid, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if _, loose := out[name]; ok && !loose && objectName().MatchString(oid) {
			out[name] = []string{oid}
		}
	}
	for file, text := range s.files {
		if isSymbolic(text) {
			out[file] = out[s.leadsTo(file)]
		}
	}
	return out
}

func isSymbolic(text string) bool { return strings.HasPrefix(text, "ref: ") }

// leadsTo is the name that a symbolic one stands for; it is another symbolic one where
// git gives up, too.
func (s state) leadsTo(name string) string {
	for range 5 { // SYMREF_MAXDEPTH
		to, symbolic := strings.CutPrefix(s.files[name], "ref: ")
		if !symbolic {
			break
		}
		name = strings.TrimSpace(to)
	}
	return name
}

// same says that nothing was changed that names an object.
func (s state) same(o state) bool {
	return s.index.stamp != "" && s.index.stamp == o.index.stamp && s.graph == o.graph && maps.Equal(s.files, o.files) && slices.Equal(s.moves, o.moves)
}
