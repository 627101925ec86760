package sandbox

import (
	"errors"
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/pillion-sidecar/pillion/sandbox/wintoken"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// job is the job object that holds one command and all it starts. Closing it kills
// what is in it, and so does our end.
type job struct{ handle windows.Handle }

func newJob(plan wintoken.JobPlan) (j job, err error) {
	j.handle, err = windows.CreateJobObject(nil, nil)
	if err != nil {
		return j, os.NewSyscallError("CreateJobObject", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: plan.Limits, ActiveProcessLimit: plan.Processes, PerJobUserTimeLimit: plan.CPU,
		},
		JobMemoryLimit: uintptr(plan.Memory),
	}
	err = j.set(windows.JobObjectExtendedLimitInformation, unsafe.Pointer(&limits), unsafe.Sizeof(limits))
	if err == nil && plan.UI != 0 {
		ui := windows.JOBOBJECT_BASIC_UI_RESTRICTIONS{UIRestrictionsClass: plan.UI}
		err = j.set(windows.JobObjectBasicUIRestrictions, unsafe.Pointer(&ui), unsafe.Sizeof(ui))
	}
	if err != nil {
		return j, errors.Join(err, j.close())
	}
	return j, nil
}

func (j job) set(class uint32, info unsafe.Pointer, size uintptr) error {
	_, err := windows.SetInformationJobObject(j.handle, class, uintptr(info), uint32(size))
	return os.NewSyscallError("SetInformationJobObject", err)
}

func (j job) query(class int32, info unsafe.Pointer, size uintptr) error {
	err := windows.QueryInformationJobObject(j.handle, class, uintptr(info), uint32(size), nil)
	return os.NewSyscallError("QueryInformationJobObject", err)
}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION of winnt.h; times are in
// 100 ns.
type accounting struct {
	user, kernel, periodUser, periodKernel    int64
	faults, processes, active, byLimitsKilled uint32
}

func (j job) accounting() (a accounting, err error) {
	err = j.query(windows.JobObjectBasicAccountingInformation, unsafe.Pointer(&a), unsafe.Sizeof(a))
	return a, err
}

// peakMemory is the most that was committed by the whole tree at once, in bytes.
func (j job) peakMemory() int64 {
	var l windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	if err := j.query(windows.JobObjectExtendedLimitInformation, unsafe.Pointer(&l), unsafe.Sizeof(l)); err != nil {
		return 0 // a number to show; nothing is decided by it
	}
	return int64(l.PeakJobMemoryUsed)
}

// mostListed bounds how many processes are reported.
const mostListed = 1024

// pids are the processes in the job, at most mostListed.
func (j job) pids() ([]int, error) {
	var list struct {
		assigned, listed uint32
		ids              [mostListed]uintptr
	}
	err := j.query(windows.JobObjectBasicProcessIdList, unsafe.Pointer(&list), unsafe.Sizeof(list))
	if err != nil && !errors.Is(err, windows.ERROR_MORE_DATA) {
		return nil, err
	}
	out := make([]int, 0, list.listed)
	for _, id := range list.ids[:min(list.listed, mostListed)] {
		out = append(out, int(id))
	}
	return out, nil
}

// end kills everything in the job and waits until all of it has ended.
func (j job) end(code uint32) error {
	if err := windows.TerminateJobObject(j.handle, code); err != nil {
		return os.NewSyscallError("TerminateJobObject", err)
	}
	pause := time.Millisecond
	for until := time.Now().Add(wire.EndTimeout); ; time.Sleep(pause) {
		a, err := j.accounting()
		switch {
		case err != nil:
			return err
		case a.active == 0:
			return nil
		case time.Now().After(until):
			return fmt.Errorf("%d processes of the command have not ended after %s", a.active, wire.EndTimeout)
		}
		pause = min(2*pause, 20*time.Millisecond)
	}
}

func (j job) close() error { return os.NewSyscallError("CloseHandle", windows.CloseHandle(j.handle)) }

// holds says that a process is in the job; the zero job is any.
func (j job) holds(process windows.Handle) (bool, error) {
	var in int32
	r, _, err := procIsProcessInJob.Call(uintptr(process), uintptr(j.handle), uintptr(unsafe.Pointer(&in)))
	if r == 0 {
		return false, os.NewSyscallError("IsProcessInJob", err)
	}
	return in != 0, nil
}

// inJob says that this process is in some job. Without an answer, a command can't be
// started in one with limits of the user interface: it is refused, not run without.
func inJob() bool {
	in, err := job{}.holds(windows.CurrentProcess())
	return err == nil && in
}

var (
	kernel32 = windows.NewLazySystemDLL("kernel32.dll")

	procIsProcessInJob = kernel32.NewProc("IsProcessInJob")
)
