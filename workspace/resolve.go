package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is the number of symlinks the Linux kernel follows in one path.
const maxLinks = 40

// maxPath bounds a path in bytes: twice what Linux takes, so that resolving
// costs little whatever is asked.
const maxPath = 8192

// As the kernel says it of what it is asked itself: neither is a bug of ours.
var (
	errTooLong      error = syscall.ENAMETOOLONG
	errTooManyLinks       = fmt.Errorf("%w (a loop?)", syscall.ELOOP)
)

// resolve follows an absolute path the way the kernel does: symlinks first,
// then "..". Only names are looked at (lstat, readlink), nothing is opened, so
// FIFOs and devices cannot block. Below a missing component the rest is lexical
// and exists is false; when ".." leads back above it, links are followed again,
// for `mkdir new; cat new/../link/x` makes it exist before it is used.
func resolve(path string) (resolved string, exists bool, err error) {
	if len(path) > maxPath {
		return "", false, errTooLong
	}
	w := walker{exists: true}
	w.restart(filepath.FromSlash(path))
	for len(w.rest) > 0 {
		if err := w.step(); err != nil {
			return "", false, err
		}
	}
	return w.done, w.exists, nil
}

// walker holds the part of a path already resolved and the components to come.
type walker struct {
	done   string
	rest   []string // in reverse: the next component is the last one
	absent int      // components at the end of done that do not exist
	exists bool
	links  int
}

// restart puts an absolute path in front of what is left to do.
func (w *walker) restart(path string) {
	vol := filepath.VolumeName(path)
	w.done = vol + string(filepath.Separator)
	w.push(path[len(vol):])
}

func (w *walker) push(path string) {
	parts := strings.Split(path, string(filepath.Separator))
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i] != "" && parts[i] != "." {
			w.rest = append(w.rest, parts[i])
		}
	}
}

// step takes one component. ".." after a followed link leaves the link's
// target, which is why it cannot be cleaned away before.
func (w *walker) step() error {
	name := w.rest[len(w.rest)-1]
	w.rest = w.rest[:len(w.rest)-1]
	if name == ".." {
		w.done = filepath.Dir(w.done)
		w.absent = max(w.absent-1, 0)
		return nil
	}
	next := filepath.Join(w.done, name)
	if w.absent > 0 {
		w.done = next
		w.absent++
		return nil
	}
	info, err := os.Lstat(next)
	switch {
	case err != nil && missing(err):
		w.exists, w.absent = false, 1
	case err != nil:
		return err
	case mayLink(info.Mode()):
		if target, err := os.Readlink(next); err == nil {
			return w.follow(target)
		} else if info.Mode()&fs.ModeSymlink != 0 {
			return err
		}
	}
	w.done = next
	return nil
}

func (w *walker) follow(target string) error {
	if w.links++; w.links > maxLinks {
		return errTooManyLinks
	}
	target = filepath.FromSlash(target)
	switch {
	case filepath.IsAbs(target):
		w.restart(target)
	case strings.HasPrefix(target, string(filepath.Separator)): // Windows: this volume's root
		w.restart(filepath.VolumeName(w.done) + target)
	default:
		w.push(target)
	}
	return nil
}

// mayLink includes ModeIrregular: Windows junctions are reported so, and Readlink
// recognises them.
func mayLink(m fs.FileMode) bool { return m&(fs.ModeSymlink|fs.ModeIrregular) != 0 }
