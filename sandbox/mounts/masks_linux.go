package mounts

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// The kernel takes a mount away, in every namespace, when a program on the host renames
// another file over the one it is on, or removes it, as an editor's save, `npm login` and
// passwd do: what the plan hides is seen again. A runner that finds that ends itself
// before it reads a request, and the holder hides it again before it starts the next. A
// command that runs at that moment may see it.

// Lost lists what the plan hides and what is seen again.
func (p Plan) Lost() []step {
	var seen []step
	for _, s := range p.steps {
		if (s.op == opBlank || s.op == opClosed) && Unmasked(s.Path) {
			seen = append(seen, s)
		}
	}
	return seen
}

// Unmasked needs no capability, and a microsecond.
func Unmasked(path string) bool {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_TYPE, &st)
	return err == nil && st.Attributes&unix.STATX_ATTR_MOUNT_ROOT == 0
}

// Masks keeps what a holder needs to hide a path again: one mount of each kind
// that is nowhere yet.
type Masks struct {
	Plan  Plan
	Views map[string]int // the views that were mounted, by their paths
	spare map[string]int
}

// spares are made while the file system of blanks still is where it can be cloned.
func (b *build) spares() (map[string]int, error) {
	spare := map[string]int{}
	for _, s := range b.plan.steps {
		name := blankName(s)
		if _, ok := spare[name]; ok || s.op != opBlank && s.op != opClosed {
			continue
		}
		fd, err := b.tree(s)
		if err != nil {
			return nil, err
		}
		spare[name] = fd
	}
	return spare, nil
}

// Mend hides again what is seen. Where a link has taken the place of a file there is
// nothing to mount on, and the sandbox can't be used any more.
func (m *Masks) Mend() error {
	for _, s := range m.Plan.Lost() {
		name := blankName(s)
		root, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(root)
		switch err := put(m.spare[name], root, below(s.Path)); {
		case errors.Is(err, unix.ENOENT):
			continue // useradd's lock, or another file for a moment
		case err != nil:
			return fmt.Errorf("hide %s again: %w", s.Path, err)
		}
		_ = unix.Close(m.spare[name])
		if m.spare[name], err = cloneTree(root, below(s.Path), attrReadOnly); err != nil {
			return fmt.Errorf("hide %s again: %w", s.Path, err)
		}
	}
	return nil
}

// Paths are what the namespace hides, for a runner to look at.
func (m *Masks) Paths() (all []string) {
	for _, s := range m.Plan.steps {
		if s.op == opBlank || s.op == opClosed {
			all = append(all, s.Path)
		}
	}
	return all
}
