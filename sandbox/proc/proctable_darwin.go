package proc

import (
	"encoding/binary"
	"os"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// zombie is the state of a process that has ended and was not waited for. sys/proc.h
const Zombie = 5

// Table lists every process but our own. sysctl(3), KERN_PROC_ALL
func Table() ([]Row, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	self := os.Getpid()
	rows := make([]Row, 0, len(all))
	for i := range all {
		p, e := &all[i].Proc, &all[i].Eproc
		pid := int(p.P_pid)
		if pid <= 1 || pid == self {
			continue
		}
		sid, err := unix.Getsid(pid)
		if err != nil {
			sid = -pid // it has ended since
		}
		rows = append(rows, Row{
			Pid: pid, ppid: int(e.Ppid), pgid: int(e.Pgid), sid: sid,
			Start: p.P_starttime.Sec*1e6 + int64(p.P_starttime.Usec), Zombie: p.P_stat == Zombie,
			Name: unix.ByteSliceToString(p.P_comm[:]),
		})
	}
	return rows, nil
}

// startOf is when a process began, in microseconds since 1970; 0 when it is gone.
func startOf(pid int) int64 {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return 0
	}
	return k.Proc.P_starttime.Sec*1e6 + int64(k.Proc.P_starttime.Usec)
}

var pidUsage = sync.OnceValue(func() uintptr { return Symbol("proc_pid_rusage") })

// ticksPerSecond is the clock in which it gives times: nanoseconds on Intel, others on
// Apple's own processors.
var ticksPerSecond = sync.OnceValue(func() uint64 {
	if n, err := unix.SysctlUint64("hw.tbfrequency"); err == nil && n > 0 {
		return n
	}
	return 1e9
})

// Where struct rusage_info_v1 has its members, and its size. sys/resource.h
const (
	rusageInfoV1    = 1
	rusageUser      = 16
	rusageSystem    = 24
	rusageFootprint = 72
	rusageChildUser = 96
	rusageChildSys  = 104
	rusageSize      = 144
)

// ProcessUsage is nothing for one that has ended or is another user's. The time is that of
// children it has waited for, too.
func ProcessUsage(pid int) (memory int64, cpu time.Duration) {
	fn := pidUsage()
	if fn == 0 {
		return 0, 0
	}
	info := make([]byte, rusageSize)
	r, _, _ := syscall_syscall6(fn, uintptr(pid), rusageInfoV1, uintptr(unsafe.Pointer(&info[0])), 0, 0, 0)
	runtime.KeepAlive(info)
	if int32(r) != 0 {
		return 0, 0
	}
	at := func(offset int) uint64 { return binary.LittleEndian.Uint64(info[offset:]) }
	ticks := at(rusageUser) + at(rusageSystem) + at(rusageChildUser) + at(rusageChildSys)
	seconds := float64(ticks) / float64(ticksPerSecond())
	return int64(at(rusageFootprint)), time.Duration(seconds * float64(time.Second))
}
