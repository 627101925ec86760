package sandbox

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the plan says is tried: whatever it shows can be read, whatever it does not
// show can't, on every rung and with policies made at random.
func TestThePlanShowsWhatACommandReads(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		b := newBench(t)
		must(t, os.WriteFile(filepath.Join(b.ws, "a"), []byte("x"), 0o644))
		roots := readableRoots(t, b)
		paths := readsToTry(b, roots)
		for seed := range uint64(3) {
			r := rand.New(rand.NewPCG(seed, 1))
			p := b.policy
			p.Name = fmt.Sprintf("shows%d", seed)
			p.Readable = append([]string{}, b.policy.Readable...)
			for _, root := range roots {
				if r.IntN(2) == 0 {
					p.Readable = append(p.Readable, root)
				}
			}
			if seed == 2 {
				p.Reads = ReadsAll
			}
			b.tryReads(p, paths, rung)
		}
	})
}

// readableRoots are directories of the host with a file each, as dependencies are.
func readableRoots(t *testing.T, b *bench) (roots []string) {
	t.Helper()
	for _, name := range []string{"mod", "registry", "nvm", "pyenv", "m2", "notes"} {
		root := filepath.Join(b.out, name)
		must(t, os.MkdirAll(filepath.Join(root, "pkg"), 0o755))
		must(t, os.WriteFile(filepath.Join(root, "pkg", "f.txt"), []byte("x"), 0o644))
		roots = append(roots, root)
	}
	return roots
}

// readsToTry are two hundred files: of the system, of its configuration, and of
// dependencies.
func readsToTry(b *bench, roots []string) []string {
	paths := []string{filepath.Join(b.ws, "a")}
	for _, root := range roots {
		paths = append(paths, filepath.Join(root, "pkg", "f.txt"))
	}
	for _, pattern := range []string{"/etc/*", "/usr/share/*/*", "/usr/include/*", "/usr/lib/*/*", "/usr/bin/*"} {
		found, _ := filepath.Glob(pattern)
		n := 0
		for _, path := range found {
			real, err := filepath.EvalSymlinks(path)
			info, statErr := os.Stat(path)
			if err == nil && statErr == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o004 != 0 && real == path {
				paths = append(paths, path)
				if n++; n == 48 {
					break
				}
			}
		}
	}
	return paths
}

// tryReads compares the plan's answers with what a command could open.
func (b *bench) tryReads(p Policy, paths []string, rung string) {
	b.t.Helper()
	before := b.policy
	b.policy = p
	defer func() { b.policy = before }()
	var script strings.Builder
	for _, path := range paths {
		fmt.Fprintf(&script, "if (: < '%s') 2>/dev/null; then echo 'yes %s'; else echo 'no %s'; fi\n", path, path, path)
	}
	out := b.sh(script.String()).out
	for _, path := range paths {
		read := strings.Contains(out, "yes "+path+"\n")
		if !read && !strings.Contains(out, "no "+path+"\n") {
			b.t.Errorf("%s: %s was not tried: %.200s", rung, path, out)
			return
		}
		// Without mounts of its own a sandbox that shows everything shows the host's
		// places for temporary files, too; the plan answers for those that hide them.
		if rung == RungNoUserns && p.Reads == ReadsAll && strings.HasPrefix(path, b.out) {
			continue
		}
		if row := p.Shows(realHome(), path); (row != "") != read {
			b.t.Errorf("%s: %s read %v, the plan says %q", rung, path, read, row)
		}
	}
}
