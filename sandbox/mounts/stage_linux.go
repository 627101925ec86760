package mounts

import (
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// Two file systems are only there to be bound from, and go away with the host's
// root: one of empty things, one for every temporary file. Before Linux 6.15 a
// bind needs its source mounted somewhere; over the old root no path leads to it.

// cover mounts what fd holds over the root of the namespace. The process's own
// root stays what it is.
func cover(fd int) error {
	if err := unix.MoveMount(fd, "", unix.AT_FDCWD, "/", unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("move_mount over /: %w", err)
	}
	return nil
}

// newBlank holds the things that hide others. The mask of a file stays a file: a tool that
// finds a directory or a device where its settings should be fails.
func newBlank() (fd int, err error) {
	fd, err = newFS("tmpfs", attrHarmless, "size=64k", "nr_inodes=16", "mode=0755")
	if err != nil {
		return -1, err
	}
	for _, s := range []step{
		{op: opBlank, file: true, mode: 0o444},
		{op: opBlank, mode: 0o555},
		{op: opClosed, file: true, mode: 0},
		{op: opClosed, mode: 0},
	} {
		if s.file {
			err = makeFile(fd, blankName(s), s.mode)
		} else {
			err = makeDir(fd, blankName(s), s.mode)
		}
		if err != nil {
			return fd, err
		}
	}
	return fd, cover(fd)
}

func blankName(s step) string {
	if s.file {
		return s.op.String() + "-file"
	}
	return s.op.String() + "-dir"
}

// newScratch is one file system for /tmp, /var/tmp and /dev/shm, so that one
// limit holds for all of them. The inodes are limited as well: empty files take
// kernel memory that no size counts.
func newScratch(size int64) (fd int, err error) {
	fd, err = newFS("tmpfs", attrHarmless, "size="+strconv.FormatInt(size, 10), "nr_inodes=1m", "mode=0755")
	if err != nil {
		return -1, err
	}
	for _, d := range []string{"tmp", "var-tmp", "shm"} {
		if err := makeDir(fd, d, 0o1777); err != nil {
			return fd, err
		}
	}
	return fd, cover(fd)
}
