package needs

import (
	"os"

	"golang.org/x/sys/unix"
)

// topOfTrees is EXT4_TOPDIR_FL of the kernel's fs/ext4/ext4.h, chattr's T: what is made
// in such a directory has nothing to do with each other.
const topOfTrees = 0x20000

// TempDir is os.MkdirTemp of a directory whose directories ext4 spreads over the disk.
// Otherwise they share a group of inodes, and for each new one ext4 looks at all that
// were given up in that group within minutes: half of the system's time of tests that
// make and remove trees was that.
func TempDir(pattern string) (string, error) {
	dir, err := os.MkdirTemp("", pattern)
	if err != nil {
		return "", err
	}
	f, err := os.Open(dir)
	if err != nil {
		return "", err
	}
	defer f.Close()
	// A hint: elsewhere than on ext4 there is nothing to do.
	if flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS); err == nil {
		_ = unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags|topOfTrees)
	}
	return dir, nil
}
