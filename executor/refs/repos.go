package refs

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/sandbox/protect"
	"github.com/pillion-sidecar/pillion/workspace"
)

// Watch is what the repositories around a command held before it.
type Watch struct {
	folders []string
	sight   Sight
	kept    string // where what is well is kept while commands run

	mu    sync.Mutex
	repos []repo
}

// repo is a repository whose directory a command may write to.
type repo struct {
	top    string // the work tree
	common string // the git directory that its work trees share
	dirs   []gitDir
	state  []state // of each of dirs
	held   handle  // common, where it could be moved
	shared shared  // with other commands
	unsure error   // why state may be what another command has made up
}

// gitDir is the repository's own directory, or that of a linked work tree or submodule.
type gitDir struct {
	path string
	top  string // its work tree, "" where that is not known
	// outside: the work tree is where commands can't go.
	outside bool
}

const (
	maxModules = 100
	maxRepos   = 1000 // that are compared around one command
)

// Look reads what there is before a command. folders are the workspace's, cwd is where it
// will run. What commands at the same time share is in kept; with "" each has its own. In
// the workspace it writes nothing, and it starts nothing. Judge or Close ends it.
func Look(folders []string, cwd, kept string, sight Sight) *Watch {
	w := &Watch{folders: folders, sight: sight, kept: kept}
	for _, top := range slices.Backward(tops(folders, cwd)) { // a submodule's is its project's
		w.add(top, directory(top))
	}
	return w
}

// Near reads what there is in a git directory that a command has come to, before it
// changes anything there.
func (w *Watch) Near(dir string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.add("", dir)
}

// Close is for a command that did not start.
func (w *Watch) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, r := range w.repos {
		r.shared.end(r, nil)
		w.repos[i].shared = shared{}
	}
}

func (w *Watch) add(top, own string) {
	common := commonOf(own)
	if len(w.repos) > maxRepos || !w.inside(own) || !w.inside(common) || w.has(own) || w.has(common) {
		return
	}
	r := repo{top: top, common: common, dirs: []gitDir{w.dir(own)}}
	if top != "" {
		r.dirs[0] = gitDir{path: own, top: top}
	} else if r.top = r.dirs[0].top; r.top == "" || r.dirs[0].outside {
		r.top = common
	}
	if common != own {
		r.dirs = append(r.dirs, w.dir(common))
	}
	r.dirs = append(r.dirs, slices.DeleteFunc(w.below(common), func(d gitDir) bool { return d.path == own })...)
	if !slices.Contains(w.folders, top) {
		r.held = hold(common)
	}
	if len(w.repos) < maxRepos { // the last one says that there were more
		r.state, r.shared, r.unsure = w.before(r)
	}
	w.repos = append(w.repos, r)
}

// of is what a repository held before, or holds: the command has not come to it then.
func (w *Watch) of(own string) repo {
	for _, r := range w.repos {
		if len(r.state) > 0 && r.dirs[0].path == own {
			return r
		}
	}
	r := repo{top: filepath.Dir(own), common: own, dirs: []gitDir{w.dir(own)}}
	r.state, r.shared, _ = w.before(r)
	r.shared.end(r, nil)
	return r
}

// has says that a git directory is one of those that were read, wherever they are now.
func (w *Watch) has(dir string) bool {
	h := hold(dir)
	at := h.now()
	h.close()
	return slices.ContainsFunc(w.repos, func(r repo) bool {
		was := dir
		if r.held != (handle{}) {
			rest, below := strings.CutPrefix(at, r.held.now())
			if was = r.common + rest; at == "" || !below {
				return false
			}
		}
		return slices.ContainsFunc(r.dirs, func(d gitDir) bool { return d.path == was })
	})
}

func (w *Watch) inside(dir string) bool {
	return slices.ContainsFunc(w.folders, func(f string) bool { return workspace.Within(f, dir) })
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

// directory is a work tree's git directory; "" where its .git says none.
func directory(top string) string {
	own := filepath.Join(top, protect.DotGit)
	if text, err := readFile(own, maxSmall); err == nil {
		if own, err = protect.PointerTarget(text, top); err != nil {
			return ""
		}
	}
	return own
}

// commonOf is the directory that a git directory shares with others, or itself.
func commonOf(own string) string {
	text, err := readFile(filepath.Join(own, "commondir"), maxSmall)
	if err != nil {
		return own
	}
	if text = strings.TrimSuffix(text, "\n"); filepath.IsAbs(text) {
		return filepath.Clean(text)
	}
	return filepath.Join(own, text)
}

// dir finds the work tree of a git directory.
func (w *Watch) dir(path string) gitDir {
	top := ""
	if filepath.Base(path) == protect.DotGit {
		top = filepath.Dir(path)
	}
	if text, err := readFile(filepath.Join(path, "gitdir"), maxSmall); err == nil {
		top = filepath.Dir(strings.TrimSuffix(text, "\n"))
	} else if text, err := readFile(filepath.Join(path, "config"), maxSmall); err == nil {
		for _, set := range protect.ListConfig(text) {
			if set.String() != "core.worktree" {
				continue
			}
			if top = set.Value; !filepath.IsAbs(top) {
				top = filepath.Join(path, top)
			}
		}
	}
	return gitDir{path, top, top != "" && !w.inside(top)}
}

// below are the git directories of linked work trees and of submodules.
func (w *Watch) below(common string) (found []gitDir) {
	_ = walkDir(filepath.Join(common, "modules"), func(dir string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() || len(found) >= maxModules {
			return fs.SkipDir // what can't be read by us now is not the user's, see showAll
		}
		if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err == nil {
			found = append(append(found, w.dir(dir)), w.below(dir)...)
			return fs.SkipDir
		}
		return nil
	})
	trees, _ := readDir(filepath.Join(common, "worktrees")) // there are none, mostly
	for _, t := range trees {
		found = append(found, w.dir(filepath.Join(common, "worktrees", t.Name())))
	}
	return found
}

// withNewTrees has the work trees that were linked since, which were nothing before. What
// a submodule holds that was added since comes from elsewhere, as a clone does.
func (w *Watch) withNewTrees(r repo) repo {
	for _, d := range w.below(r.common) {
		known := slices.ContainsFunc(r.dirs, func(o gitDir) bool { return o.path == d.path })
		if strings.HasPrefix(d.path, filepath.Join(r.common, "worktrees")+"/") && !known {
			r.dirs, r.state = append(slices.Clip(r.dirs), d), append(slices.Clip(r.state), state{})
		}
	}
	return r
}

// followed is a repository where it is now.
func (r repo) followed() repo {
	at := r.held.now()
	if at == "" || at == r.common {
		return r
	}
	is := func(was string) string {
		if workspace.Within(r.common, was) {
			return at + was[len(r.common):]
		}
		if workspace.Within(r.top, was) && filepath.Base(at) == protect.DotGit {
			return filepath.Dir(at) + was[len(r.top):]
		}
		return was
	}
	r.dirs = slices.Clone(r.dirs)
	for i, d := range r.dirs {
		r.dirs[i].path, r.dirs[i].top = is(d.path), is(d.top)
	}
	r.top, r.common = is(r.top), at
	return r
}
