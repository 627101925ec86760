package sandbox

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

func kernelRelease() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// machineKey changes whenever an old self-test could be wrong: another boot (its
// parameters choose the LSMs), kernel, program, user, Landlock version or control
// group.
func machineKey() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	var st unix.Stat_t
	if err := unix.Stat("/proc/self/exe", &st); err != nil {
		return ""
	}
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %s %d %d %d %d %d %d %q", strings.TrimSpace(string(boot)), kernelRelease(),
		st.Dev, st.Ino, st.Size, st.Mtim.Nano(), os.Geteuid(), landlockABI(), ownGroup(string(groups)))
}
