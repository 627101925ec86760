package sandbox

import (
	"strconv"
	"strings"
	"time"
)

// Limits bound what one command and everything it starts may take of the machine.
// A zero member is the default, so that nothing runs without a limit because
// somebody forgot to name one; only CPU has none by default. Mode Off has none.
type Limits struct {
	Processes int           // processes and threads at once
	Memory    int64         // bytes
	FileSize  int64         // bytes of each file that is written
	OpenFiles int           // descriptors of each process
	CPU       time.Duration // of the whole tree; 0 is no limit
	FreeDisk  int64         // bytes that must stay free where a command may write
	Tmp       int64         // bytes of temporary files in memory, where the rung has them
}

// The defaults. Each leaves room for the largest builds we know of and ends what
// would otherwise take the editor with it.
const (
	defaultProcesses = 1024
	defaultMemory    = 8 << 30  // or half of the machine's
	defaultFileSize  = 16 << 30 // a disk image, not an endless log
	defaultOpenFiles = 65536
	defaultFreeDisk  = 512 << 20
	defaultTmp       = 4 << 30 // or a quarter of the machine's memory
)

// limitsFor are the defaults on a machine with so many bytes of memory; 0 is
// unknown.
func limitsFor(ram int64) Limits {
	l := Limits{
		Processes: defaultProcesses, Memory: defaultMemory, FileSize: defaultFileSize,
		OpenFiles: defaultOpenFiles, FreeDisk: defaultFreeDisk, Tmp: defaultTmp,
	}
	if ram > 0 {
		l.Memory, l.Tmp = min(l.Memory, ram/2), min(l.Tmp, ram/4)
	}
	return l
}

// DefaultLimits are the limits of a Policy that names none, on this machine.
func DefaultLimits() Limits { return limitsFor(totalMemory()) }

// or is l with d in place of what it doesn't say.
func (l Limits) or(d Limits) Limits {
	orElse(&l.Processes, d.Processes)
	orElse(&l.Memory, d.Memory)
	orElse(&l.FileSize, d.FileSize)
	orElse(&l.OpenFiles, d.OpenFiles)
	orElse(&l.CPU, d.CPU)
	orElse(&l.FreeDisk, d.FreeDisk)
	orElse(&l.Tmp, d.Tmp)
	return l
}

func orElse[T int | int64 | time.Duration](have *T, other T) {
	if *have <= 0 {
		*have = other
	}
}

// Limit names what ended a command; "" is none.
type Limit string

// The limits that end a command. Open files end nothing: a call fails.
const (
	LimitMemory    Limit = "memory"
	LimitProcesses Limit = "processes"
	LimitFileSize  Limit = "fileSize"
	LimitCPU       Limit = "cpu"
	LimitDisk      Limit = "disk"
)

// reservedPIDs are the numbers a pid namespace gives out once and never again:
// kernel.pid_max can't be less, and leaves max-300 numbers to those that come
// later. pid_namespaces(7), RESERVED_PIDS in the kernel
const reservedPIDs = 300

// pidMaxFor is the kernel.pid_max with which a pid namespace never refuses as many
// processes, and soon gives few more: 300 more at first. A tree that is refused one
// is then surely seen at the limit, between what ends and what is born.
func pidMaxFor(processes int) int {
	return min(processes+processes/16+16+reservedPIDs, pidMaxMarker-1)
}

// pidMaxMarker is what a holder sets as its own kernel.pid_max. A runner's new
// namespace starts with another number, unless the kernel has only one for all,
// where lowering it would stop the whole machine.
const pidMaxMarker = 4194303

// ownPidMax says whether kernels of this release keep kernel.pid_max per pid
// namespace. It is asked before anything is written: on an older one, root in a
// user namespace would change the machine's. Linux 6.14
func ownPidMax(release string) bool {
	major, rest, _ := strings.Cut(release, ".")
	minor := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	a, err := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	return err == nil && err2 == nil && (a > 6 || a == 6 && b >= 14)
}

// overrun describes a limit as a violation: what was refused, and the key that
// would allow more.
func overrun(l Limit, attribution string) Violation {
	v := map[Limit]Violation{
		LimitMemory:    {Op: "allocate", Grant: "limits.maxMemoryBytes", Errno: "ENOMEM"},
		LimitProcesses: {Op: "fork", Grant: "limits.maxProcesses", Errno: "EAGAIN"},
		LimitFileSize:  {Op: "write", Grant: "limits.maxFileBytes", Errno: "EFBIG"},
		LimitCPU:       {Op: "run", Grant: "limits.maxCpuSeconds"},
		LimitDisk:      {Op: "write", Grant: "limits.minFreeDiskBytes", Errno: "ENOSPC"},
	}[l]
	v.Rule, v.Attribution, v.Count = "limit "+string(l), attribution, 1
	return v
}
