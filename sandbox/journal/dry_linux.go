package journal

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

// node is a name as the steps of a dry run before this one would have left it. A dry run
// decides as the undo does, and changes nodes only.
type node struct {
	real  string // where it is on disk; "" of what is gone, or a directory that is made again
	text  string // the file that has its content, where that is another one
	made  record // of such a directory
	names map[string]*node
}

// in is a name in a directory, at one below.
func (n *node) in(name string) *node {
	if n.names[name] == nil {
		is := &node{}
		if n.real != "" {
			is.real = filepath.Join(n.real, name)
		}
		n.put(name, is)
	}
	return n.names[name]
}

func (n *node) put(name string, is *node) {
	if n.names == nil {
		n.names = map[string]*node{}
	}
	n.names[name] = is
}

func (n *node) at(path string) *node {
	for part := range strings.SplitSeq(path, "/") {
		if part != "" && part != "." {
			n = n.in(part)
		}
	}
	return n
}

func (n *node) stat() (st unix.Stat_t, err error) {
	switch i := n.made.info; {
	case n.real != "":
		return st, unix.Lstat(n.real, &st)
	case n.made.kind == 0:
		return st, unix.ENOENT
	default:
		return unix.Stat_t{
			Dev: i.Dev, Ino: i.Ino, Mode: i.Mode, Uid: i.UID, Gid: i.GID, Nlink: 2,
			Mtim: unix.NsecToTimespec(i.MTime), Ctim: unix.NsecToTimespec(i.CTime),
		}, nil
	}
}

func (n *node) list() (names []string, err error) {
	if n.real != "" {
		f, err := os.Open(n.real)
		if err != nil {
			return nil, err.(*os.PathError).Err
		}
		defer f.Close()
		if names, err = f.Readdirnames(-1); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		n.in(name)
	}
	names = slices.Sorted(maps.Keys(n.names))
	return slices.DeleteFunc(names, func(name string) bool { _, err := n.in(name).stat(); return err != nil }), nil
}

// find is the one of the store, in the nodes of a dry run.
func (u *undo) find(path string) (place, error) {
	root, below := u.store.rootOf(path)
	switch {
	case u.view == nil:
		return u.store.find(path)
	case !below:
		return place{}, errOutside
	}
	in := u.view.at(root)
	for part := range strings.SplitSeq(filepath.Dir(path[len(root)+1:]), "/") {
		in = in.at(part)
		switch st, err := in.stat(); {
		case err != nil:
			return place{}, err
		case st.Mode&unix.S_IFMT == unix.S_IFLNK:
			return place{}, unix.ELOOP
		case st.Mode&unix.S_IFMT != unix.S_IFDIR:
			return place{}, unix.ENOTDIR
		}
	}
	return place{-1, filepath.Dir(path), filepath.Base(path), in}, nil
}

func (u *undo) findRoot(path string) (place, error) {
	switch {
	case u.view == nil:
		return u.store.findRoot(path)
	case slices.Contains(u.store.Roots, path):
		return place{-1, filepath.Dir(path), filepath.Base(path), u.view.at(filepath.Dir(path))}, nil
	}
	return u.find(path)
}

// List and Read are for a look through what would become a git directory.
func (n *node) List(dir string) (map[string]fs.FileMode, error) {
	in := n.at(dir)
	names, err := in.list()
	types := map[string]fs.FileMode{}
	for _, name := range names {
		st, _ := in.in(name).stat()
		types[name] = typeOf(&st)
	}
	return types, err
}

// typeOf tells directories and files from all others.
func typeOf(st *unix.Stat_t) fs.FileMode {
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFREG:
		return 0
	}
	return fs.ModeIrregular
}

func (n *node) Read(file string) (string, error) {
	is := n.at(file)
	text, _, err := files.Read(unix.AT_FDCWD, cmp.Or(is.text, is.real), protect.MaxConfig)
	return text, err
}
