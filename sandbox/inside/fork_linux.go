package inside

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// files is how many descriptors come with a start: stdio and, where the sandbox
// shares the host's mounts, the opened directory. With mounts of its own a
// directory from outside would be a way out of them.
func (r *runner) files() int {
	if r.conf.Namespaced() {
		return 3
	}
	return 4
}

// fork starts the program. Its files were opened by the sidecar, so nothing but
// the directory is opened here under the restrictions.
func (r *runner) fork(req wire.Start, fds []*os.File) (int, syscall.Errno) {
	dir, errno := r.directory(req, fds)
	if errno != 0 {
		return 0, errno
	}
	defer unix.Close(dir)
	attr := syscall.ProcAttr{
		// The opened directory itself, not its name: nothing can be swapped in.
		Dir: fmt.Sprintf("/proc/self/fd/%d", dir),
		Env: req.Env,
		Sys: &syscall.SysProcAttr{Setsid: true, Setctty: req.Terminal, Pdeathsig: syscall.SIGKILL, PidFD: &r.pidfd},
	}
	for _, f := range fds[:3] {
		attr.Files = append(attr.Files, f.Fd())
	}
	if err := r.score.Set(limits.MostOOMScore); err != nil {
		return 0, errnoOf(err)
	}
	pid, err := syscall.ForkExec(req.Path, req.Argv, &attr)
	_ = r.score.Set(r.score.Own) // as it was
	if err == nil {
		return pid, 0
	}
	r.pidfd = -1 // ForkExec has closed it
	if !errors.As(err, &errno) {
		errno = unix.EINVAL
	}
	return 0, errno
}

// directory opens the working directory inside, and makes sure that it is the one
// the sidecar opened outside.
func (r *runner) directory(req wire.Start, fds []*os.File) (int, syscall.Errno) {
	if len(fds) > 3 {
		fd, err := unix.FcntlInt(fds[3].Fd(), unix.F_DUPFD_CLOEXEC, 0)
		return fd, errnoOf(err)
	}
	fd, err := openPlainDir(req.Dir)
	if err != nil {
		return -1, errnoOf(err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || int64(st.Dev) != req.Dev || int64(st.Ino) != req.Ino {
		_ = unix.Close(fd)
		return -1, unix.ESTALE
	}
	return fd, 0
}

// openat2 would do it in one call, but the filter of this thread refuses it.
func openPlainDir(path string) (int, error) {
	fd, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	for _, name := range strings.FieldsFunc(path, func(r rune) bool { return r == '/' }) {
		if err != nil {
			return -1, err
		}
		up := fd
		fd, err = unix.Openat(up, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		_ = unix.Close(up)
	}
	return fd, err
}

func errnoOf(err error) syscall.Errno {
	var errno syscall.Errno
	if err != nil && !errors.As(err, &errno) {
		errno = unix.EINVAL
	}
	return errno
}
