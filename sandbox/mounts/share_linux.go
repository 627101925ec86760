package mounts

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// Views are those of one process's sandboxes. The kernel keeps what it has looked up in an
// overlay: in a second one with the same upper layer files of the first are missing, and
// can't be made. So the sandboxes share one, which the first of them mounts, and every
// process has upper layers of its own.
type Views struct {
	mu   sync.Mutex
	mine map[string]*os.File // by ViewsIn: the directory of our upper layers, locked
	have map[string][]Giver  // who has them mounted
}

// Giver is what has the views of a sandbox.
type Giver interface {
	// Views clones them, as soon as they are mounted.
	Views() (at []string, mounts []*os.File, err error)
	Gone() bool
}

// Share starts what will have the views of a policy. Those that are mounted already are its
// descriptors from firstFD on.
func (v *Views) Share(c policy.Conf, firstFD int, start func(policy.Conf, []*os.File) (Giver, error)) error {
	in := c.Policy.ViewsIn
	if v == nil || !c.Namespaced() || len(c.Policy.Views) == 0 {
		_, err := start(c, nil)
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	at, given, live := v.ask(in)
	for i := range given {
		defer given[i].Close()
		c.Views = append(c.Views, policy.View{At: at[i], FD: firstFD + i})
	}
	if !live {
		c.Views = v.fresh(c.Policy)
	}
	g, err := start(c, given)
	if err == nil {
		v.have[in] = append(v.have[in], g)
	}
	return err
}

func (v *Views) ask(in string) (at []string, given []*os.File, live bool) {
	if v.have == nil {
		v.have, v.mine = map[string][]Giver{}, map[string]*os.File{}
	}
	v.have[in] = slices.DeleteFunc(v.have[in], Giver.Gone)
	for _, g := range v.have[in] {
		if at, given, err := g.Views(); err == nil {
			return at, given, true
		}
	}
	return nil, nil, false
}

// maxOthers bounds the layers: all are named in 256 bytes. fsconfig(2)
const maxOthers = 8

// fresh lays the views of a policy out. What commands of another process have left is in
// them too, below our own.
func (v *Views) fresh(p policy.Policy) (all []policy.View) {
	dir, err := v.own(p.ViewsIn)
	if err != nil {
		return nil
	}
	root, err := os.OpenRoot(p.Caches[0]) // commands write there
	if err != nil {
		return nil
	}
	defer root.Close()
	for _, w := range p.Views {
		rel, err := filepath.Rel(p.Caches[0], w.At)
		if err != nil || root.MkdirAll(rel, 0o700) != nil {
			continue
		}
		w.Upper, w.Work = filepath.Join(dir, "upper", rel), filepath.Join(dir, "work", rel)
		others, _ := filepath.Glob(filepath.Join(p.ViewsIn, "*", "upper", rel))
		others = slices.DeleteFunc(others, func(o string) bool { return o == w.Upper })
		w.Lower = slices.Concat(others[:min(len(others), maxOthers)], []string{w.At}, w.Lower)
		files.RemoveTree(w.Work) // it says that what lies there may not have been written
		if os.MkdirAll(w.Upper, 0o700) == nil && os.MkdirAll(w.Work, 0o700) == nil && hide(w) == nil {
			all = append(all, w)
		}
	}
	return all
}

// hide lays empty files over those that the view doesn't show. What a command has put in
// their place, or its having removed them, hides them as well.
func hide(w policy.View) error {
	for _, name := range w.Hide {
		f, err := os.OpenFile(filepath.Join(w.Upper, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		switch {
		case errors.Is(err, fs.ErrExist):
		case err != nil:
			return err
		default:
			_ = f.Close()
		}
	}
	return nil
}

// own is a directory that no other process uses.
func (v *Views) own(in string) (string, error) {
	if f := v.mine[in]; f != nil {
		return f.Name(), nil
	}
	for i := 0; ; i++ {
		dir := filepath.Join(in, strconv.Itoa(i))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
		f, err := os.Open(dir)
		if err != nil {
			return "", err
		}
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
			v.mine[in] = f
			return dir, nil
		}
		_ = f.Close()
		if err != unix.EWOULDBLOCK && err != unix.EINTR {
			return "", err
		}
	}
}

// Close lets other processes use what was ours. No sandbox may be left.
func (v *Views) Close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, f := range v.mine {
		files.RemoveTree(filepath.Join(f.Name(), "work")) // the kernel's is in the way of a user's rm -r
		_ = f.Close()
	}
	v.mine = nil
}
