package refs

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// openPlain opens a file and waits for nobody: the name may be a FIFO's by now.
func openPlain(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
}

// stamp tells a file's versions apart, also where somebody sets its times: nobody can set
// the time of its last change (inode(7)). "" is no file.
func stamp(path string) string {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return ""
	}
	return fmt.Sprint(st.Dev, st.Ino, st.Size, st.Mtim, st.Ctim)
}
