package limits

import (
	"strconv"
	"strings"
)

// reservedPIDs are the numbers a pid namespace gives out once and never again:
// kernel.pid_max can't be less, and leaves max-300 numbers to those that come
// later. pid_namespaces(7), RESERVED_PIDS in the kernel
const reservedPIDs = 300

// PIDMaxFor is the kernel.pid_max with which a pid namespace never refuses as many
// processes, and soon gives few more: 300 more at first. A tree that is refused one
// is then surely seen at the limit, between what ends and what is born.
func PIDMaxFor(processes int) int {
	return min(processes+processes/16+16+reservedPIDs, pidMaxMarker-1)
}

// pidMaxMarker is what a holder sets as its own kernel.pid_max. A runner's new
// namespace starts with another number, unless the kernel has only one for all,
// where lowering it would stop the whole machine.
const pidMaxMarker = 4194303

// OwnPidMax says whether kernels of this release keep kernel.pid_max per pid
// namespace. It is asked before anything is written: on an older one, root in a
// user namespace would change the machine's. Linux 6.14
func OwnPidMax(release string) bool {
	major, rest, _ := strings.Cut(release, ".")
	minor := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	a, err := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	return err == nil && err2 == nil && (a > 6 || a == 6 && b >= 14)
}
