package limits

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// System V shared memory belongs to no process: unmapped it is in no process's account,
// and it stays when its command is over. In the IPC namespace of a sandbox it is counted
// for the command that made it, and removed with it; without that namespace commands have
// none.

// segment is one of them, made by a process of our own pid namespace.
type segment struct {
	id    int
	bytes int64 // in memory or swap
}

// ownSegments reads them. The kernel shows 0 for a maker in another pid namespace:
// those are another command's. proc_sysvipc_shm(5)
func ownSegments() (list []segment) {
	b, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		return nil
	}
	for line := range bytes.Lines(b) {
		const shmid, cpid, rss, swap = 1, 4, 14, 15
		f := strings.Fields(string(line))
		if len(f) <= swap || f[cpid] == "0" {
			continue
		}
		id, err := strconv.Atoi(f[shmid])
		if err != nil {
			continue // the heading
		}
		held, _ := strconv.ParseInt(f[rss], 10, 64)
		swapped, _ := strconv.ParseInt(f[swap], 10, 64)
		list = append(list, segment{id: id, bytes: held + swapped})
	}
	return list
}

// segmentsUsed is what they take.
func (m *Meter) segmentsUsed() (total int64) {
	if m.own && anySegment() {
		for _, s := range ownSegments() {
			total += s.bytes
		}
	}
	return total
}

// RemoveSegments ends those of the command that is over.
func (m *Meter) RemoveSegments() {
	if m == nil || !m.own || !anySegment() {
		return
	}
	for _, s := range ownSegments() {
		_, _ = unix.SysvShmCtl(s.id, unix.IPC_RMID, nil)
	}
}

// anySegment asks the kernel whether there is any in this namespace: one cheap call
// for all the commands that never heard of them. shmctl(2), SHM_INFO
func anySegment() bool {
	const shmInfo = 14
	var info struct {
		used                                   int32
		total, held, swapped, tries, successes uint64
	}
	_, _, errno := unix.Syscall(unix.SYS_SHMCTL, 0, shmInfo, uintptr(unsafe.Pointer(&info)))
	return errno != 0 || info.used > 0
}
