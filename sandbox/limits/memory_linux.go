package limits

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

// TotalMemory is how much there is for us: the machine's, or a container's.
func TotalMemory() int64 {
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

// machineUse is what lies in memory as files, and what in swap, of everybody.
func machineUse() (files, swap int64) {
	var si unix.Sysinfo_t
	if err := unix.Sysinfo(&si); err != nil {
		return 0, 0
	}
	return int64(si.Sharedram) * int64(si.Unit), int64(si.Totalswap-si.Freeswap) * int64(si.Unit)
}

// nameless is what a process has open of files in memory that were never in any
// directory, each of them once: such a file needs not be mapped, and belongs to no
// process then. memfd_create(2)
func (m *Meter) nameless(p proc.Process, seen map[uint64]bool) (total int64) {
	dir := "/proc/" + strconv.Itoa(m.living(p)) + "/fd"
	for _, fd := range Names(dir) {
		n, err := unix.Readlink(dir+"/"+fd, m.buf[:])
		if err != nil || !strings.HasPrefix(string(m.buf[:n]), "/memfd:") {
			continue
		}
		var st unix.Stat_t
		if err := unix.Stat(dir+"/"+fd, &st); err == nil && !seen[st.Ino] {
			seen[st.Ino] = true
			total += st.Blocks * 512
		}
	}
	return total
}

// scratchUsed is what lies in the sandbox's own file systems in memory. They
// belong to every command of the sandbox and outlive each, so the caller compares
// with what was there before.
func (m *Meter) scratchUsed() (used int64) {
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

// freeDisk is what is left on the fullest disk that commands may write on, for an
// ordinary user; -1 where there is none.
func (m *Meter) freeDisk() int64 {
	free := int64(-1)
	for _, dir := range m.disks {
		var fs unix.Statfs_t
		if err := unix.Statfs(dir, &fs); err != nil || fs.Type == unix.TMPFS_MAGIC || fs.Blocks == 0 {
			continue
		}
		left := int64(fs.Bavail) * fs.Bsize
		if fs.Files > 0 { // without an inode no file can be made, however much room there is
			left = min(left, int64(float64(fs.Ffree)/float64(fs.Files)*float64(fs.Blocks))*fs.Bsize)
		}
		if free < 0 || left < free {
			free = left
		}
	}
	return free
}
