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

// child is a command, all of which is in its job.
type child struct {
	job     job
	handle  windows.Handle // of the main child
	console *Console       // nil without one
	by      syscall.Signal // what we were asked to end it with
}

func (p *Process) wait() (ExitStatus, error) {
	_, err := windows.WaitForSingleObject(p.handle, windows.INFINITE)
	if err != nil {
		return ExitStatus{}, errors.Join(os.NewSyscallError("WaitForSingleObject", err), p.kill())
	}
	if p.console != nil {
		// Programs that still use the terminal end with it, and the reader of its output
		// finds the end. That may take until everything was read, which is not waited for
		// here.
		p.box.ending.Go(p.console.Close)
	}
	var code uint32
	if err := windows.GetExitCodeProcess(p.handle, &code); err != nil {
		return ExitStatus{}, errors.Join(os.NewSyscallError("GetExitCodeProcess", err), p.kill())
	}
	a, err := p.job.accounting()
	if err != nil {
		return ExitStatus{}, errors.Join(err, p.kill())
	}
	return p.status(code, a), nil
}

// status is how it ended. Windows has no signals: one is reported where we were asked for
// it and the code is ours.
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
	if cpu := p.box.plan().CPU; cpu > 0 && a.user >= cpu {
		p.limit = LimitCPU // the kernel ends the job at that moment
	}
	st.Limit = p.limit
	return st
}

func (p *Process) signal(sig syscall.Signal) error {
	if sig != syscall.SIGTERM && sig != syscall.SIGKILL {
		return syscall.EWINDOWS
	}
	if p.by == 0 {
		p.by = sig
	}
	return os.NewSyscallError("TerminateJobObject", windows.TerminateJobObject(p.job.handle, killedCode))
}

func (p *Process) kill() error { return p.Signal(syscall.SIGKILL) }

func (p *Process) end(leave bool) ([]Leftover, error) {
	p.box.untrack(p)
	_ = windows.CloseHandle(p.handle)
	left, err := p.job.left(p.pid)
	if leave && err == nil && len(left) > 0 && p.park(left, &leftState{job: p.job, stop: make(chan struct{})}) {
		return left, nil
	}
	return left, errors.Join(err, p.job.end(killedCode), p.job.close())
}

// consoleHosts are the system's own, one for each console program: they end on their own
// and are not background processes.
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
		return "" // ended, and kept by a handle
	}
	buf := make([]uint16, windows.MAX_LONG_PATH)
	n := uint32(len(buf))
	if err := windows.QueryFullProcessImageName(h, 0, &buf[0], &n); err != nil {
		return "unknown"
	}
	return filepath.Base(windows.UTF16ToString(buf[:n]))
}

// leftState is a job that stays.
type leftState struct {
	mu   sync.Mutex
	job  job
	stop chan struct{} // closed when it is to be killed
	ask  bool          // stop is closed
}

// leftPoll is how often a job is looked at whether anything still runs in it.
const leftPoll = 250 * time.Millisecond

func (l *leftTree) watch() {
	tick := time.NewTicker(leftPoll)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-tick.C:
			a, err := l.job.accounting()
			running = err == nil && a.active > 0
		case <-l.stop:
			left, _ := l.job.left(0)
			l.killed, running = len(left), false
		}
	}
	_ = l.job.end(killedCode) // should one be stuck, closing the job is all that is left to do
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	_ = l.job.close()
	l.job = job{}
}

func (l *leftTree) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ask {
		l.ask = true
		close(l.stop)
	}
}

func (l *leftTree) now() (all []Left) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.job.handle == 0 {
		return nil
	}
	left, _ := l.job.left(0) // the job is listed again at the next question
	for _, p := range left {
		all = append(all, Left{PID: p.PID, Command: p.Name, Exec: l.exec})
	}
	return all
}
