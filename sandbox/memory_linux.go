package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// totalMemory is how much there is for us: the machine's, or a container's.
func totalMemory() int64 {
	var si unix.Sysinfo_t
	if err := unix.Sysinfo(&si); err != nil {
		return 0
	}
	total := int64(si.Totalram) * int64(si.Unit) //nolint:unconvert // uint32 on 32-bit machines
	for _, f := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil && n > 0 {
			total = min(total, n)
		}
	}
	return total
}

// swapUsed is the whole machine's.
func swapUsed() int64 {
	var si unix.Sysinfo_t
	if err := unix.Sysinfo(&si); err != nil {
		return 0
	}
	return int64(si.Totalswap-si.Freeswap) * int64(si.Unit)
}

// scratchUsed is what lies in the sandbox's own file systems in memory. They
// belong to every command of the sandbox; the caller compares.
func (m *meter) scratchUsed() (used int64) {
	seen := map[unix.Fsid]bool{}
	for _, dir := range m.scratch {
		var fs unix.Statfs_t
		if err := unix.Statfs(dir, &fs); err != nil || fs.Type != unix.TMPFS_MAGIC || seen[fs.Fsid] {
			continue
		}
		seen[fs.Fsid] = true
		used += int64(fs.Blocks-fs.Bfree) * fs.Bsize
	}
	return used
}

// segments is what System V shared memory takes, attached or not, in an IPC
// namespace of our own. Elsewhere commands have none. proc_sysvipc(5)
func segments(own bool) (total int64) {
	if !own {
		return 0
	}
	b, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(b) {
		const rss, swap = 14, 15
		f := strings.Fields(string(line))
		if len(f) <= swap {
			continue
		}
		for _, i := range []int{rss, swap} {
			if n, err := strconv.ParseInt(f[i], 10, 64); err == nil { // the heading isn't one
				total += n
			}
		}
	}
	return total
}

// freeDisk is what is left on the fullest disk that commands may write on, for an
// ordinary user; -1 where there is none.
func (m *meter) freeDisk() int64 {
	free := int64(-1)
	for _, dir := range m.disks {
		var fs unix.Statfs_t
		if err := unix.Statfs(dir, &fs); err != nil || fs.Type == unix.TMPFS_MAGIC || fs.Blocks == 0 {
			continue
		}
		if left := int64(fs.Bavail) * fs.Bsize; free < 0 || left < free {
			free = left
		}
	}
	return free
}
