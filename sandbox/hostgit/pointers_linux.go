package hostgit

import (
	"cmp"
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

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
	"github.com/pillion-sidecar/pillion/sandbox/settings"
)

// Pointers remembers what was found, as long as the files that say so stay the same.
type Pointers struct {
	Own []string // what decides about the next command: it stays as it is in a home that is a root, too

	mu     sync.Mutex
	roots  map[string]foundBelow
	links  []string // what those of the home lead to
	looked time.Time
}

type foundBelow struct {
	stamps map[string]stamp
	found  []string
}

// stamp says whether a file is still the same; the zero one, that there is none.
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

// Below are the absolute paths in these roots that settings of the user's point to.
func (x *Pointers) Below(roots []string) []string {
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	var all []string
	for _, root := range roots {
		old, known := x.roots[root]
		if known && old.isCurrent() {
			all = append(all, old.found...)
			continue
		}
		if x.roots == nil || len(x.roots) > maxRoots {
			x.roots = map[string]foundBelow{}
		}
		found := lookBelow(root, hostProgram("git", roots))
		x.roots[root] = found
		all = append(all, found.found...)
	}
	for _, to := range slices.Concat(x.Own, x.homeLinks()) {
		if slices.ContainsFunc(roots, func(r string) bool { return to != r && policy.Beneath(r, to) }) {
			all = append(all, to)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// homeLinks are looked for again after a while: they change rarely.
func (x *Pointers) homeLinks() []string {
	if time.Since(x.looked) > 10*time.Second {
		x.links, x.looked = settings.HomeLinks(home("")), time.Now()
	}
	return x.links
}

// maxRoots bounds how many folders are remembered.
const maxRoots = 256

func (r foundBelow) isCurrent() bool {
	for file, s := range r.stamps {
		if stampOf(file) != s {
			return false
		}
	}
	return true
}

func lookBelow(root, git string) foundBelow {
	s := settings.New(root, root, home(""))
	common := filepath.Join(root, protect.DotGit)
	if st, err := os.Lstat(common); err != nil || !st.IsDir() { // nearly always it is one
		said, err := gitOutside(git, root, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
		if top, dir, both := strings.Cut(strings.TrimSuffix(said, "\n"), "\n"); err == nil && both {
			s.Top, common = top, dir
		}
	}
	s.Hooks(filepath.Join(common, "hooks"))
	if list, err := gitOutside(git, root, "config", "--list", "--show-origin", "-z"); err == nil {
		s.Settings(list)
	}
	s.Links(root)
	s.Environment(os.Getenv)
	for _, file := range []string{"/etc/gitconfig", home(".gitconfig"), home(".config/git/config"), filepath.Join(root, ".git/config")} {
		s.Files[file] = true
	}
	for _, top := range settings.Tops(root) {
		s.Files[filepath.Join(top, ".git/config")] = true
		for p := range settings.Nested(root, top, home("")) {
			if filepath.IsAbs(p) && !policy.Beneath(top, p) { // the rest is known when a command comes there
				s.Found[p] = true
			}
		}
	}
	stamps := map[string]stamp{}
	for file := range s.Files {
		stamps[file] = stampOf(file)
	}
	return foundBelow{stamps, slices.Collect(maps.Keys(s.Found))}
}

func home(name string) string {
	dir, _ := os.UserHomeDir()
	return filepath.Join(dir, name)
}

// hostProgram finds a program that is run outside the sandbox: in PATH, and nowhere that a
// command can write to. With a virtual environment's or node_modules' directory in PATH, a
// command's own bin/git was run with the user's rights. One that only root can replace
// comes first: the directory may be of another workspace.
func hostProgram(name string, roots []string) (found string) {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		// The file itself: a link on the way to it could be a command's, and changed.
		file, err := files.Real(filepath.Join(dir, name))
		if err != nil || !filepath.IsAbs(dir) || slices.ContainsFunc(roots, func(r string) bool { return policy.Beneath(r, file) }) {
			continue
		}
		var st unix.Stat_t
		if unix.Stat(file, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Mode&0o111 == 0 {
			continue
		}
		if slices.ContainsFunc(policy.SystemDirs, func(d string) bool { return policy.Beneath(d, file) }) && st.Uid == 0 {
			return file
		}
		found = cmp.Or(found, file)
	}
	return found
}

// gitOutside asks the user's git about its settings, which runs no program of the folder's.
func gitOutside(git, dir string, args ...string) (string, error) {
	if git == "" {
		return "", exec.ErrNotFound
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, git, append([]string{"-C", dir}, args...)...)
	cmd.Env = outsideEnv()
	out, err := cmd.Output()
	return string(out), err
}
