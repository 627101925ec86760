package limits

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

// LimitSelf sets what the kernel limits by itself, on a runner before it gives up
// its rights; commands inherit it and can only lower it further.
func LimitSelf(c policy.Conf) (OOMScore, error) {
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return NoOOMScore, fmt.Errorf("core: %w", err)
	}
	if !c.Sandboxed() {
		return NoOOMScore, nil
	}
	for _, l := range []struct {
		name     string
		resource int
		value    int64
	}{
		{"file size", unix.RLIMIT_FSIZE, c.Policy.Limits.FileSize},
		{"open files", unix.RLIMIT_NOFILE, int64(c.Policy.Limits.OpenFiles)},
		{"timers and queued signals", unix.RLIMIT_SIGPENDING, MaxPending},
	} {
		var have unix.Rlimit
		if err := unix.Getrlimit(l.resource, &have); err != nil {
			return NoOOMScore, fmt.Errorf("%s: %w", l.name, err)
		}
		most := min(uint64(l.value), have.Max)
		if err := unix.Setrlimit(l.resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return NoOOMScore, fmt.Errorf("%s: %w", l.name, err)
		}
	}
	return limitInProc(c)
}

// MaxPending bounds timers and queued signals, which are the user's in common: a command
// took 96,000, and other programs had none. timer_create(2)
const MaxPending = 4096

// MarkWatches keeps half of the user's inotify instances and watches for everybody
// else: with all of them an editor sees no changes any more. They are counted for every
// user namespace on the way up. inotify(7), namespaces(7)
func MarkWatches() error {
	for _, name := range []string{"instances", "watches"} {
		all, err := readNumber(unix.AT_FDCWD, "/proc/sys/fs/inotify/max_user_"+name)
		if err != nil {
			return nil // a kernel without inotify
		}
		if err := WriteAt(unix.AT_FDCWD, "/proc/sys/user/max_inotify_"+name, strconv.Itoa(max(all/2, 1))); err != nil {
			return err
		}
	}
	return nil
}

// limitInProc sees to the two limits that are files. In a pid namespace of our own that is
// a /proc which nobody else ever sees: the one that commands get can't be written.
func limitInProc(c policy.Conf) (OOMScore, error) {
	if !c.Namespaced() {
		return openOOMScore(unix.AT_FDCWD, "/proc/self")
	}
	proc, err := detachedProc()
	if err != nil {
		return NoOOMScore, fmt.Errorf("proc: %w", err)
	}
	defer unix.Close(proc)
	b, err := openOOMScore(proc, "self")
	return b, errors.Join(err, limitPids(proc, c.Policy.Limits.Processes))
}

// limitPids makes the kernel refuse processes, where that can't touch any
// namespace but ours.
func limitPids(p, processes int) error {
	const file = "sys/kernel/pid_max"
	if !OwnPidMax(proc.KernelRelease()) {
		return nil
	}
	now, err := readNumber(p, file)
	if err != nil || now == pidMaxMarker {
		return err // the holder's, so there is one for all: the watch has to do
	}
	return WriteAt(p, file, strconv.Itoa(PIDMaxFor(processes)))
}

// MarkPids is the other half, in the holder.
func MarkPids() error {
	if !OwnPidMax(proc.KernelRelease()) {
		return nil
	}
	return WriteAt(unix.AT_FDCWD, "/proc/sys/kernel/pid_max", strconv.Itoa(pidMaxMarker))
}

// PidsHeld says whether that was done for the calling process's namespace.
func PidsHeld(c policy.Conf) bool {
	if !c.Namespaced() {
		return false
	}
	n, err := readNumber(unix.AT_FDCWD, "/proc/sys/kernel/pid_max")
	return err == nil && n == PIDMaxFor(c.Policy.Limits.Processes)
}

// detachedProc is a fresh /proc of our pid namespace that is mounted nowhere.
func detachedProc() (int, error) {
	fs, err := unix.Fsopen("proc", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, err
	}
	defer unix.Close(fs)
	if err := unix.FsconfigCreate(fs); err != nil {
		return -1, err
	}
	return unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
}

// WriteAt writes a file of a directory.
func WriteAt(dir int, name, value string) error {
	fd, err := unix.Openat(dir, name, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer unix.Close(fd)
	if _, err := unix.Write(fd, []byte(value)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func readNumber(dir int, name string) (int, error) {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	b := make([]byte, 32)
	n, err := f.Read(b)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b[:n])))
}
