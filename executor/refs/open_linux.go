package refs

import (
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// openPlain opens a file and never waits: the name may be a FIFO's by now.
func openPlain(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
}

// stamp distinguishes a file's versions, also where its times were set: the time of its
// last change can't be set (inode(7)).
type stamp struct {
	Dev, Ino    uint64
	Size        int64
	Mtime, Time unix.Timespec
}

// clockTick is longer than what the kernel takes for one moment: two changes in it may
// have one time.
const clockTick = 100 * time.Millisecond

// stampOf is zero for what is not a file. It is sure where another change would have
// another one.
func stampOf(path string) (s stamp, sure bool) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return s, err != nil
	}
	s = stamp{st.Dev, st.Ino, st.Size, st.Mtim, st.Ctim}
	return s, time.Since(time.Unix(st.Ctim.Unix())) > clockTick
}

// handle is a directory, wherever it is moved.
type handle struct{ f *os.File }

func hold(dir string) (h handle) {
	h.f, _ = os.OpenFile(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	return h
}

// now is where it is, or "" if that is not known.
func (h handle) now() (path string) {
	if h.f != nil {
		path, _ = os.Readlink("/proc/self/fd/" + strconv.Itoa(int(h.f.Fd())))
	}
	return path
}

func (h handle) close() { _ = h.f.Close() } // which may be of none
