package mounts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

// kernelTypes are file systems that show the kernel or other processes. A chroot
// or a container below a granted directory has them mounted: through its /proc
// other processes would be seen, and uid 0 owns what is in its /sys.
var kernelTypes = []string{
	"proc", "sysfs", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs", "configfs", "bpf", "pstore", "efivarfs",
	"binfmt_misc", "fusectl", "devtmpfs", "devpts", "mqueue", "rpc_pipefs", "nfsd",
}

// knownViews are the ones that programs need and that are bound read-only.
var knownViews = []string{"sysfs", "cgroup", "cgroup2", "securityfs"}

// kernelMounts reads, in /proc/self/mountinfo, where such file systems are mounted. Mounts
// below /proc, /dev and /run are replaced anyway. proc(5)
func kernelMounts(mountinfo string) []string {
	var all []string
	for line := range strings.Lines(mountinfo) {
		before, after, _ := strings.Cut(line, " - ")
		f, kind := strings.Fields(before), strings.Fields(after)
		if len(f) < 5 || len(kind) == 0 || !slices.Contains(kernelTypes, kind[0]) {
			continue
		}
		at := proc.UnescapeMount(f[4])
		if policy.Beneath("/proc", at) || policy.Beneath("/dev", at) || policy.Beneath("/run", at) ||
			policy.Beneath("/sys", at) && slices.Contains(knownViews, kind[0]) {
			continue
		}
		all = append(all, at)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// mapped reads a user namespace's uid_map or gid_map. user_namespaces(7)
func mapped(idMap string, id uint64) bool {
	for line := range strings.Lines(idMap) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		first, err := strconv.ParseUint(f[0], 10, 32)
		count, err2 := strconv.ParseUint(f[2], 10, 32)
		if err == nil && err2 == nil && id >= first && id-first < count {
			return true
		}
	}
	return false
}
