package sandbox

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lacks names the call that a rung is built on and this kernel does not have. An
// emulator of another processor's programs, and some containers, have even less
// than an old kernel.
func lacks(rung string) *Missing {
	if rung != RungNoLandlock {
		if abi := landlockABI(); abi < minABI {
			return &Missing{
				Feature: "landlock", Reason: fmt.Sprintf("the kernel offers Landlock ABI %d, %d is needed", abi, minABI),
				Hint: "Linux 6.12 or newer with landlock in the lsm= list (cat /sys/kernel/security/lsm)",
			}
		}
	}
	fd, err := unix.Openat2(unix.AT_FDCWD, "/", &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC})
	switch {
	case err == nil:
		_ = unix.Close(fd)
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // the kernel, or a container's filter
		return &Missing{
			Feature: "openat2", Reason: "a path can't be opened without leaving its directory: openat2: " + err.Error(),
			Hint: "Linux 5.6 or newer; in a container, a seccomp profile that allows openat2",
		}
	}
	return nil
}

// tryOff starts a program in a sandbox of mode off, where no rung serves. Else a
// rung's own canaries have used the same keeper and runner.
func tryOff(o Options) *Missing {
	if err := runOff(o); err != nil {
		return &Missing{
			Feature: "processTree", Reason: err.Error(),
			Hint: "a kernel that lets pillion adopt what its commands leave (PR_SET_CHILD_SUBREAPER) and start /proc/self/exe",
		}
	}
	return nil
}

func runOff(o Options) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	p := Policy{Mode: Off, Network: NetworkAllow, Reads: ReadsAll, Name: "self-test"}
	box, err := openBox(o, RungNone, p, nil)
	if err != nil {
		return err
	}
	defer box.close(true)
	_, err = runIn(&Sandbox{policy: p, box: box}, exe, "/", []string{canaryName})
	return err
}
