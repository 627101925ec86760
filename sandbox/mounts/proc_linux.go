package mounts

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// procHidden shows kernel memory, addresses and keys, or drives hardware. Most of
// it checks for capabilities; nothing a command needs is lost by not asking it.
var procHidden = []string{
	"kcore", "kallsyms", "keys", "key-users", "kmsg", "kpagecount", "kpageflags", "vmallocinfo", "slabinfo",
	"timer_list", "sched_debug", "latency_stats", "acpi", "scsi",
}

// MountProc gives a runner in a pid namespace of its own the view of that
// namespace in place of the holder's. It needs the capabilities the runner drops
// right after.
func MountProc() error {
	if os.Getpid() != 1 {
		return errors.New("/proc: not in a pid namespace of our own")
	}
	root, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open /: %w", err)
	}
	defer unix.Close(root)
	fd, err := newProc() // while the holder's can be seen
	if err != nil {
		return err
	}
	// Taken away and not mounted over: the other one below must not be found.
	if err := unix.Unmount("/proc", unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW); err != nil {
		return errors.Join(fmt.Errorf("unmount the holder's /proc: %w", err), unix.Close(fd))
	}
	return putProc(fd, root, "proc")
}

// newProc is a fresh /proc, read-only as a whole: as root, /proc/sys and
// /proc/sysrq-trigger belong to the caller, and core_pattern names a program that
// the kernel runs outside of every sandbox.
//
// The kernel lets a user namespace have a new proc only where an old one can be seen
// wholly. Mounts that hide parts of the holder's don't count against it: a runner is in
// the same user namespace, so those mounts are not locked for it.
func newProc() (int, error) { return newFS("proc", attrReadOnly|unix.MOUNT_ATTR_NOEXEC) }

func putProc(fd, root int, at string) error {
	if err := attach(fd, root, at); err != nil {
		return err
	}
	proc, err := files.OpenPlain(root, at, unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer unix.Close(proc)
	for _, name := range procHidden {
		if err := hideProc(root, proc, name); err != nil {
			return fmt.Errorf("hide %s: %w", name, err)
		}
	}
	return nil
}

func hideProc(root, proc int, name string) error {
	var st unix.Stat_t
	if err := unix.Fstatat(proc, name, &st, unix.AT_SYMLINK_NOFOLLOW); errors.Is(err, unix.ENOENT) {
		return nil // not in this kernel
	} else if err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		fd, err := newFS("tmpfs", attrReadOnly, "size=4k", "nr_inodes=1", "mode=0")
		if err != nil {
			return err
		}
		return attach(fd, proc, name)
	}
	fd, err := cloneTree(root, "dev/null", attrReadOnly) // a device where devices don't work: it can't be opened
	if err != nil {
		return err
	}
	return attach(fd, proc, name)
}
