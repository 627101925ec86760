package sandbox

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/pillion-sidecar/pillion/sandbox/wintoken"
)

// attributeJobList puts a new process into jobs before its first instruction.
// PROC_THREAD_ATTRIBUTE_JOB_LIST of winbase.h
const attributeJobList = 0x2000d

// spawned is a process that has not run yet.
type spawned struct {
	process, thread windows.Handle
	pid             int
}

// spawn creates the command's process, suspended and in the job. Errors:
// *SpawnError for what CreateProcess says about the program.
func spawn(j job, token windows.Token, c Command) (spawned, error) {
	in, err := prepareStart(c)
	if err != nil {
		return spawned{}, err
	}
	defer in.close()
	attributes, err := in.attributes(j)
	if err != nil {
		return spawned{}, err
	}
	defer attributes.Delete()
	start := windows.StartupInfoEx{ProcThreadAttributeList: attributes.List()}
	start.Cb = uint32(unsafe.Sizeof(start))
	// With a console of its own a command gets no handles: without this flag, those
	// of ours would be offered to it. Without one it has these three.
	start.Flags = windows.STARTF_USESTDHANDLES
	if c.Console == nil {
		start.StdInput, start.StdOutput, start.StdErr = in.stdio[0], in.stdio[1], in.stdio[2]
	}
	flags := uint32(windows.CREATE_SUSPENDED | windows.CREATE_UNICODE_ENVIRONMENT | windows.EXTENDED_STARTUPINFO_PRESENT | windows.CREATE_DEFAULT_ERROR_MODE)
	if c.Console == nil {
		flags |= windows.CREATE_NO_WINDOW
	}
	var p windows.ProcessInformation
	if token == 0 {
		err = windows.CreateProcess(in.path, in.line, nil, nil, c.Console == nil, flags, &in.env[0], in.dir, &start.StartupInfo, &p)
	} else {
		err = windows.CreateProcessAsUser(token, in.path, in.line, nil, nil, c.Console == nil, flags, &in.env[0], in.dir, &start.StartupInfo, &p)
	}
	runtime.KeepAlive(in)
	if err != nil {
		var errno syscall.Errno
		if errors.As(err, &errno) {
			return spawned{}, &SpawnError{Program: c.Path, Errno: errno}
		}
		return spawned{}, err
	}
	s := spawned{process: p.Process, thread: p.Thread, pid: int(p.ProcessId)}
	// Whatever the attribute was taken for: outside of the job it doesn't run.
	if held, err := j.holds(s.process); err != nil || !held {
		err = errors.Join(err, errNotHeld, windows.TerminateProcess(s.process, killedCode))
		s.close()
		return spawned{}, &SetupError{Stage: "job", Err: err}
	}
	return s, nil
}

var errNotHeld = errors.New("the process was not put into its job object")

func (s spawned) resume() error {
	_, err := windows.ResumeThread(s.thread)
	return os.NewSyscallError("ResumeThread", err)
}

func (s spawned) close() {
	_ = windows.CloseHandle(s.thread)
	_ = windows.CloseHandle(s.process)
}

// startInfo is a command as CreateProcess takes it.
type startInfo struct {
	path, line, dir *uint16
	env             []uint16
	stdio           []windows.Handle // inheritable, ours to close
	jobs            [1]windows.Handle
	console         *Console
}

func prepareStart(c Command) (*startInfo, error) {
	if errno := wintoken.CheckProgram(c.Path, c.Argv, c.Env); errno != 0 {
		return nil, &SpawnError{Program: c.Path, Errno: errno}
	}
	line := windows.ComposeCommandLine(c.Argv)
	s := &startInfo{console: c.Console}
	invalid := func(errno syscall.Errno) error { return &SpawnError{Program: c.Path, Errno: errno} }
	utf, err := windows.UTF16FromString(line)
	if err != nil {
		return nil, invalid(syscall.EINVAL)
	}
	if wintoken.TooLong(utf) {
		return nil, invalid(syscall.E2BIG)
	}
	s.line = &utf[0]
	if s.path, err = windows.UTF16PtrFromString(c.Path); err != nil {
		return nil, invalid(syscall.EINVAL)
	}
	if s.env, err = wintoken.EnvironmentBlock(c.Env); err != nil {
		return nil, invalid(syscall.EINVAL)
	}
	dir, err := finalPath(windows.Handle(c.Dir.Fd()))
	if err != nil {
		return nil, &SetupError{Stage: "directory", Err: err}
	}
	if s.dir, err = windows.UTF16PtrFromString(wintoken.PlainPath(dir)); err != nil {
		return nil, invalid(syscall.EINVAL)
	}
	if c.Console != nil {
		return s, nil
	}
	for _, f := range []*os.File{c.Stdin, c.Stdout, c.Stderr} {
		var h windows.Handle
		self := windows.CurrentProcess()
		if err := windows.DuplicateHandle(self, windows.Handle(f.Fd()), self, &h, 0, true, windows.DUPLICATE_SAME_ACCESS); err != nil {
			s.close()
			return nil, &SetupError{Stage: "handles", Err: os.NewSyscallError("DuplicateHandle", err)}
		}
		s.stdio = append(s.stdio, h)
	}
	return s, nil
}

// attributes name the job and the only handles that cross: an inheritable handle
// that another part of the sidecar has open at this moment would otherwise be the
// command's as well.
func (s *startInfo) attributes(j job) (*windows.ProcThreadAttributeListContainer, error) {
	list, err := windows.NewProcThreadAttributeList(2)
	if err != nil {
		return nil, &SetupError{Stage: "attributes", Err: err}
	}
	s.jobs[0] = j.handle
	err = list.Update(attributeJobList, unsafe.Pointer(&s.jobs[0]), unsafe.Sizeof(s.jobs))
	if err == nil && s.console != nil {
		err = s.console.attach(list)
	} else if err == nil {
		err = list.Update(windows.PROC_THREAD_ATTRIBUTE_HANDLE_LIST, unsafe.Pointer(&s.stdio[0]), uintptr(len(s.stdio))*unsafe.Sizeof(s.stdio[0]))
	}
	if err != nil {
		list.Delete()
		return nil, &SetupError{Stage: "attributes", Err: os.NewSyscallError("UpdateProcThreadAttribute", err)}
	}
	return list, nil
}

func (s *startInfo) close() {
	for _, h := range s.stdio {
		_ = windows.CloseHandle(h)
	}
}

// finalPath is where an open file or directory is now, by its handle: a name can be
// given to something else in between.
func finalPath(h windows.Handle) (string, error) {
	buf := make([]uint16, windows.MAX_PATH)
	for {
		n, err := windows.GetFinalPathNameByHandle(h, &buf[0], uint32(len(buf)), 0)
		if err != nil {
			return "", os.NewSyscallError("GetFinalPathNameByHandle", err)
		}
		if int(n) < len(buf) {
			return windows.UTF16ToString(buf[:n]), nil
		}
		buf = make([]uint16, n+1)
	}
}
