package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// killedCode is the exit code of what we ended, STATUS_CONTROL_C_EXIT: what a person's
// Ctrl-C leaves, too.
const killedCode = 0xc000013a

// Process is one running command and everything it starts, which is all in its job.
type Process struct {
	box     *box
	id      string // Command.ID
	pid     int
	job     job
	handle  windows.Handle // of the main child
	console *Console       // nil without one

	mu    sync.Mutex
	ended bool // the handles may be gone
	by    syscall.Signal
	limit Limit
}

// Pid is the main child's process id.
func (p *Process) Pid() int { return p.pid }

// Wait returns when the main child has ended; its descendants may still run. An
// error means that its end could not be seen; the tree was killed then. Call it once,
// then End.
func (p *Process) Wait() (ExitStatus, error) {
	_, err := windows.WaitForSingleObject(p.handle, windows.INFINITE)
	if err != nil {
		return ExitStatus{}, errors.Join(os.NewSyscallError("WaitForSingleObject", err), p.Kill())
	}
	if p.console != nil {
		// What still uses the terminal ends with it, and the reader of its output finds
		// the end. That may take until everything was read, which is not waited for here.
		p.box.ending.Go(p.console.Close)
	}
	var code uint32
	if err := windows.GetExitCodeProcess(p.handle, &code); err != nil {
		return ExitStatus{}, errors.Join(os.NewSyscallError("GetExitCodeProcess", err), p.Kill())
	}
	a, err := p.job.accounting()
	if err != nil {
		return ExitStatus{}, errors.Join(err, p.Kill())
	}
	return p.status(code, a), nil
}

// status is how it ended. Windows has no signals: one is told where we were asked
// for it and the code is ours.
func (p *Process) status(code uint32, a accounting) ExitStatus {
	p.mu.Lock()
	defer p.mu.Unlock()
	st := ExitStatus{
		Code: int(code), User: time.Duration(a.user) * 100, System: time.Duration(a.kernel) * 100,
		MaxRSS: p.job.peakMemory(),
	}
	if p.by != 0 && code == killedCode {
		st.Code, st.Signal = -1, p.by
	}
	if cpu := p.box.plan().cpu; cpu > 0 && a.user >= cpu {
		p.limit = LimitCPU // the kernel ends the job at that moment
	}
	st.Limit = p.limit
	return st
}

// Violations are none: Windows tells nobody what it refused to a program.
func (p *Process) Violations() ([]Violation, int) { return nil, 0 }

// Signal ends every process of the tree; SIGTERM and SIGKILL are the same here, and
// there is no other. It may be called while Wait blocks.
func (p *Process) Signal(sig syscall.Signal) error {
	if sig != syscall.SIGTERM && sig != syscall.SIGKILL {
		return syscall.EWINDOWS
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return os.ErrProcessDone
	}
	if p.by == 0 {
		p.by = sig
	}
	return os.NewSyscallError("TerminateJobObject", windows.TerminateJobObject(p.job.handle, killedCode))
}

// Kill ends every process of the tree; Wait and End then return.
func (p *Process) Kill() error { return p.Signal(syscall.SIGKILL) }

// Limit is the limit that ended the command, "" if none did.
func (p *Process) Limit() Limit { return p.limit }

// End deals with what the main child left, and tells what that was. It is killed,
// and End returns when nothing of the tree runs; or, with leave, it stays in its job
// until it ends by itself, Manager.Reset or Manager.Close. Call it once, after Wait.
func (p *Process) End(leave bool) ([]Leftover, error) {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.box.untrack(p)
	_ = windows.CloseHandle(p.handle)
	left, err := p.job.left(p.pid)
	if leave && err == nil && len(left) > 0 && p.box.park(p, left) {
		for i := range left {
			left[i].Left = true
		}
		return left, nil
	}
	err = errors.Join(err, p.job.end(killedCode), p.job.close())
	p.box.unhold()
	return left, err
}

// consoleHosts are the system's own, one for each console program: they end on their
// own and are nobody's background process.
var consoleHosts = []string{"conhost.exe", "openconsole.exe"}

// left describes what is in the job besides the main child.
func (j job) left(main int) ([]Leftover, error) {
	pids, err := j.pids()
	if err != nil {
		return nil, err
	}
	var left []Leftover
	for _, pid := range pids {
		name := programName(pid)
		if pid != main && name != "" && !slices.Contains(consoleHosts, strings.ToLower(name)) {
			left = append(left, Leftover{PID: pid, Name: name})
		}
	}
	return left, nil
}

// programName is the file name of a process's program, "" for one that is gone.
func programName(pid int) string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(h)
	if event, err := windows.WaitForSingleObject(h, 0); err != nil || event == windows.WAIT_OBJECT_0 {
		return "" // ended, and kept by somebody's handle
	}
	buf := make([]uint16, windows.MAX_LONG_PATH)
	n := uint32(len(buf))
	if err := windows.QueryFullProcessImageName(h, 0, &buf[0], &n); err != nil {
		return "unknown"
	}
	return filepath.Base(windows.UTF16ToString(buf[:n]))
}
