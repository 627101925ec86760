package sandbox

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// What the user's own settings point to inside a workspace is run by the user's git, or
// obeyed by another tool, whatever it is called: hooks in .husky, an include, a driver,
// a .vscode that is a link. It was there before the sandbox, and stays as it is.

// pointed remembers what was found, as long as the files that say so stay the same.
type pointed struct {
	mu    sync.Mutex
	roots map[string]pointedRoot
}

type pointedRoot struct {
	stamps map[string]stamp
	found  []string
}

// stamp tells whether a file is still the same; the zero one, that there is none.
type stamp struct {
	size  int64
	mtime time.Time
}

func stampOf(file string) stamp {
	st, err := os.Stat(file)
	if err != nil {
		return stamp{}
	}
	return stamp{st.Size(), st.ModTime()}
}

// below are the absolute paths in these roots that settings of the user's point to.
func (x *pointed) below(roots []string) []string {
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	var all []string
	for _, root := range roots {
		old, known := x.roots[root]
		same := func(file string, s stamp) bool { return stampOf(file) == s }
		if known && !changed(old.stamps, same) {
			all = append(all, old.found...)
			continue
		}
		if x.roots == nil || len(x.roots) > maxPointed {
			x.roots = map[string]pointedRoot{}
		}
		found := lookForPointed(root)
		x.roots[root] = found
		all = append(all, found.found...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// pointing is what there is for a command that starts now.
func (b *box) pointing() []string {
	if b.conf.policy.Mode != WorkspaceWrite {
		return nil
	}
	return b.pointed.below(b.conf.policy.Writable)
}

// maxPointed bounds how many folders are remembered.
const maxPointed = 256

func changed(stamps map[string]stamp, same func(string, stamp) bool) bool {
	for file, s := range stamps {
		if !same(file, s) {
			return true
		}
	}
	return false
}

func lookForPointed(root string) pointedRoot {
	s := pointers{root: root, top: root, files: map[string]bool{root: true}, found: map[string]bool{}}
	common := filepath.Join(root, dotGit)
	if st, err := os.Lstat(common); err != nil || !st.IsDir() { // nearly always it is one
		said, err := gitOutside(root, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
		if top, dir, both := strings.Cut(strings.TrimSuffix(said, "\n"), "\n"); err == nil && both {
			s.top, common = top, dir
		}
	}
	s.hooks(filepath.Join(common, "hooks"))
	if list, err := gitOutside(root, "config", "--list", "--show-origin", "-z"); err == nil {
		s.settings(list)
	}
	s.links()
	for _, file := range []string{"/etc/gitconfig", home(".gitconfig"), home(".config/git/config"), filepath.Join(root, ".git/config")} {
		s.files[file] = true
	}
	stamps := map[string]stamp{}
	for file := range s.files {
		stamps[file] = stampOf(file)
	}
	return pointedRoot{stamps, slices.Collect(maps.Keys(s.found))}
}

func home(name string) string {
	dir, _ := os.UserHomeDir()
	return filepath.Join(dir, name)
}

// gitOutside asks the user's git about its settings, which runs nothing of the folder's.
func gitOutside(dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	out, err := cmd.Output()
	return string(out), err
}

// pointers collects what is pointed to below a root.
type pointers struct {
	root, top string
	files     map[string]bool // what says so
	found     map[string]bool
}

// everywhere notes a relative path: it means one in every work tree.
func (s *pointers) everywhere(rel string) {
	rel = filepath.Clean(rel)
	if rel != "." && !filepath.IsAbs(rel) && !strings.HasPrefix(rel, "..") && !strings.HasPrefix(rel, dotGit+"/") {
		s.found[rel] = true
	}
}

// add notes a path, and where it leads if it is a link.
func (s *pointers) add(path string) {
	path = filepath.Clean(path)
	to := path
	if fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0); err == nil {
		if where, err := realPath(fd); err == nil {
			to = where
		}
		_ = unix.Close(fd)
	}
	for _, p := range []string{path, to} {
		if rel, below := strings.CutPrefix(p, s.root+"/"); below {
			if z := locate(rel); z.free() || z.data() || rel == dotEnv { // else its name protects it
				s.found[p] = true
			}
		}
	}
}

// hooks notes a directory of hooks, and what the links in it lead to. Husky's has only
// scripts that call those of the directory above it.
func (s *pointers) hooks(dir string) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.top, dir)
	}
	s.files[dir] = true
	s.add(dir)
	if filepath.Base(dir) == "_" {
		s.add(filepath.Dir(dir))
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type()&os.ModeSymlink != 0 {
			s.add(filepath.Join(dir, e.Name()))
		}
	}
}

// settings reads git's list: origin and setting by turns, each ended by NUL.
func (s *pointers) settings(list string) {
	fields := strings.Split(list, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		origin := strings.TrimPrefix(fields[i], "file:")
		if !filepath.IsAbs(origin) {
			origin = filepath.Join(s.root, origin)
		}
		s.files[origin] = true
		key, value, _ := strings.Cut(fields[i+1], "\n")
		s.setting(origin, key, value)
	}
}

// setting notes every word of a value that names a file below the root. A value may be a
// path, a program with its arguments, or a line for the shell.
func (s *pointers) setting(origin, key, value string) {
	section, _, _ := strings.Cut(key, ".")
	switch section {
	case "remote", "branch", "submodule", "url", "user", "safe", "extensions":
		return
	}
	if key == "core.worktree" {
		return
	}
	if key == "core.hookspath" {
		if rest, ok := strings.CutPrefix(value, "~/"); ok {
			value = home(rest)
		}
		s.hooks(value)
		s.everywhere(strings.TrimSuffix(value, "/_"))
		return
	}
	from, isPath := s.top, strings.HasSuffix(key, "path") || strings.HasSuffix(key, "file") || strings.HasSuffix(key, "dir")
	if section == "include" || section == "includeif" {
		from = filepath.Dir(origin)
	}
	words := []string{value}
	if !isPath {
		words = strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`;|&()<>=!", r) })
	}
	for _, w := range words {
		if rest, ok := strings.CutPrefix(w, "~/"); ok {
			w = home(rest)
		}
		if strings.HasPrefix(w, "./") || isPath && section != "include" && section != "includeif" {
			s.everywhere(w)
		}
		plain := isPath || strings.HasPrefix(w, "./") || strings.HasPrefix(w, "../") || filepath.IsAbs(w)
		if !filepath.IsAbs(w) {
			w = filepath.Join(from, w)
		}
		if _, err := os.Lstat(w); err == nil && strings.Contains(value, "/") || plain {
			s.add(w)
		}
	}
}

// links notes where a name leads that is obeyed and is a link.
func (s *pointers) links() {
	entries, _ := os.ReadDir(s.root)
	for _, e := range entries {
		if e.Type()&os.ModeSymlink != 0 && (sealedName(canonical(e.Name())) != "" || plainNames[e.Name()]) {
			s.add(filepath.Join(s.root, e.Name()))
		}
	}
}

// plainNames are files that git reads wherever they are. gitignore(5), gitattributes(5),
// gitmailmap(5)
var plainNames = map[string]bool{".gitignore": true, ".gitattributes": true, ".mailmap": true}
