package broker

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

// place is a name in a directory that is held open: what the broker acts on.
type place struct {
	dir   int    // O_PATH
	path  string // the directory's real path
	name  string // last component; "", "." or ".." when the path names a directory itself
	slash bool   // the caller's path ended in one
}

func (p place) close() { _ = unix.Close(p.dir) }

// full is the real path of the name.
func (p place) full() string {
	if p.path == "/" {
		return "/" + p.name
	}
	return p.path + "/" + p.name
}

// tail is the name as the caller wrote it, for calls that don't follow links.
func (p place) tail() string {
	if p.slash {
		return p.name + "/"
	}
	return p.name
}

func (p place) isDir() bool { return p.name == "" || p.name == "." || p.name == ".." }

// maxLinks is the kernel's own limit of symlinks in one path.
const maxLinks = 40

// walker resolves one path of a call; the budget of links is the path's.
type walker struct {
	*request
	links int
}

// follow goes on from a place that is a link, and closes it.
func (w *walker) follow(p place, text string) (place, error) {
	next, err := w.from(p.dir, text)
	if err != nil {
		return place{}, err
	}
	next.slash = next.slash || p.slash
	p.close()
	return next, nil
}

// parent resolves all but the last component of the caller's path.
func (a *request) parent(dirfd int32, path string) (place, error) {
	w := walker{request: a}
	if strings.HasPrefix(path, "/") {
		return w.from(unix.AT_FDCWD, path)
	}
	if path == "" {
		return place{}, unix.ENOENT
	}
	base, err := a.base(dirfd)
	if err != nil {
		return place{}, err
	}
	if err = a.alive(); err != nil {
		_ = unix.Close(base)
		return place{}, err
	}
	if strings.IndexByte(path, '/') < 0 { // most are: the base itself is the parent
		p := place{dir: base, name: path}
		if p.path, err = files.RealPath(base); err != nil {
			p.close()
		}
		return p, err
	}
	defer func() { _ = unix.Close(base) }()
	return w.from(base, path)
}

// from is parent, from an open directory. The kernel resolves nearly every path
// in one call, and never follows one of the links in /proc that lead to an open
// file: for the broker they would lead to its own (a link to /proc/self/fd/3
// must not open the broker's descriptor 3).
func (w *walker) from(base int, path string) (place, error) {
	trimmed := strings.TrimRight(path, "/")
	p := place{slash: len(trimmed) < len(path)}
	i := strings.LastIndexByte(trimmed, '/')
	dir := trimmed[:i+1]
	p.name = trimmed[i+1:]
	if trimmed == "" {
		dir = "/"
	}
	if dir == "" {
		dir = "."
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(base, dir, &how)
	if err == nil {
		if p.path, err = files.RealPath(fd); err == nil && !policy.Beneath("/proc", p.path) {
			p.dir = fd
			return p, nil
		}
		_ = unix.Close(fd)
	}
	// Also after an error: /proc/self/task/7 may exist for the caller only.
	if p.dir, err = w.walk(base, dir); err != nil {
		return place{}, err
	}
	if p.path, err = files.RealPath(p.dir); err != nil {
		p.close()
		return place{}, err
	}
	return p, nil
}

// walk resolves component by component, with the caller's meaning of /proc/self.
func (w *walker) walk(base int, path string) (int, error) {
	cur, err := w.start(base, path)
	if err != nil {
		return -1, err
	}
	for path != "" {
		var name string
		name, path, _ = strings.Cut(path, "/")
		if name == "" || name == "." {
			continue
		}
		next, text, err := w.step(cur, name)
		if err == nil && text != "" {
			path = text + "/" + path
			next, err = w.start(cur, text)
		}
		_ = unix.Close(cur)
		if err != nil {
			return -1, err
		}
		cur = next
	}
	return cur, nil
}

// start opens the directory a path begins at.
func (w *walker) start(base int, path string) (int, error) {
	if strings.HasPrefix(path, "/") {
		base = w.b.top
	}
	return unix.Openat(base, ".", unix.O_PATH|unix.O_CLOEXEC|unix.O_DIRECTORY, 0)
}

// step opens one component, or returns the text of the symlink it is.
func (w *walker) step(dir int, name string) (int, string, error) {
	if name == ".." && files.Same(dir, w.b.top) {
		name = "."
	}
	fd, err := unix.Openat(dir, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, "", err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err == nil && st.Mode&unix.S_IFMT != unix.S_IFLNK {
		return fd, "", nil
	}
	defer func() { _ = unix.Close(fd) }()
	if w.links++; w.links > maxLinks {
		return -1, "", unix.ELOOP
	}
	var fs unix.Statfs_t
	if err := unix.Fstatfs(fd, &fs); err == nil && fs.Type == unix.PROC_SUPER_MAGIC {
		return w.procLink(dir, name)
	}
	text, err := files.LinkText(fd, "")
	return -1, text, err
}

// procLink follows a link of /proc. Those at its top are texts, of which two
// mean the reader; all others are doors to what a process holds open, and only
// the caller's own tree is asked for those.
func (w *walker) procLink(dir int, name string) (int, string, error) {
	where, err := files.RealPath(dir)
	if err != nil {
		return -1, "", err
	}
	if where == "/proc" {
		self := strconv.Itoa(w.process())
		if err := w.alive(); err != nil {
			return -1, "", err
		}
		switch name {
		case "self":
			return -1, self, nil
		case "thread-self":
			return -1, self + "/task/" + strconv.Itoa(w.pid), nil
		}
		text, err := files.LinkText(dir, name)
		return -1, text, err
	}
	if !w.ownProc(where) {
		return -1, "", unix.EACCES
	}
	fd, err := unix.Openat(dir, name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err == nil && w.alive() != nil {
		_ = unix.Close(fd)
		return -1, "", unix.ESRCH
	}
	return fd, "", err
}

// inProc reports whether a real path is in some process's directory of /proc.
func inProc(path string) bool {
	rest, ok := strings.CutPrefix(path, "/proc/")
	return ok && rest != "" && rest[0] >= '0' && rest[0] <= '9'
}

// ownProc reports whether a path of /proc is that of the caller or of another
// process of its tree; never ours, whose descriptors are the broker's.
func (a *request) ownProc(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/proc/"), "/")
	pid, err := strconv.Atoi(first)
	return err == nil && pid != unix.Getpid() && (pid == a.pid || pid == a.process() || proc.InTree(pid))
}
