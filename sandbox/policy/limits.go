package policy

import "time"

// Limits bound what one command and everything it starts may take of the machine. A zero
// member is the default, so that nothing runs without a limit because none was named; only
// CPU has none by default. Mode Off has no limits.
type Limits struct {
	Processes int           // processes and threads at once
	Memory    int64         // bytes
	FileSize  int64         // bytes of each file that is written
	OpenFiles int           // descriptors of each process
	CPU       time.Duration // of the whole tree; 0: no limit
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

// LimitsFor are the defaults on a machine with so many bytes of memory; 0 is
// unknown.
func LimitsFor(ram int64) Limits {
	l := Limits{
		Processes: defaultProcesses, Memory: defaultMemory, FileSize: defaultFileSize,
		OpenFiles: defaultOpenFiles, FreeDisk: defaultFreeDisk, Tmp: defaultTmp,
	}
	if ram > 0 {
		l.Memory, l.Tmp = min(l.Memory, ram/2), min(l.Tmp, ram/4)
	}
	return l
}

// Or is l with d in place of what it doesn't say.
func (l Limits) Or(d Limits) Limits {
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

// Limit names what ended a command, or "".
type Limit string

// The limits that end a command; LimitOpenFiles ends nothing: a call fails.
const (
	LimitMemory    Limit = "memory"
	LimitProcesses Limit = "processes"
	LimitFileSize  Limit = "fileSize"
	LimitCPU       Limit = "cpu"
	LimitDisk      Limit = "disk"
	LimitOpenFiles Limit = "openFiles"
)

// LimitViolation describes a limit as a violation: what was refused, and the key that
// would allow more.
func LimitViolation(l Limit, attribution string) Violation {
	v := map[Limit]Violation{
		LimitMemory:    {Op: "allocate", Grant: "limits.maxMemoryBytes", Errno: "ENOMEM"},
		LimitProcesses: {Op: "fork", Grant: "limits.maxProcesses", Errno: "EAGAIN"},
		LimitFileSize:  {Op: "write", Grant: "limits.maxFileBytes", Errno: "EFBIG"},
		LimitCPU:       {Op: "run", Grant: "limits.maxCpuSeconds"},
		LimitDisk:      {Op: "write", Grant: "limits.minFreeDiskBytes", Errno: "ENOSPC"},
		LimitOpenFiles: {Op: "open", Grant: "limits.maxOpenFiles", Errno: "EMFILE"},
	}[l]
	v.Rule, v.Attribution, v.Count = "limit "+string(l), attribution, 1
	return v
}
