package seccomp

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// The broker's thread reads what commands wrote: paths, settings, indexes. Should one of
// them ever make it do what it was not made for, it can still do nothing but what is
// listed here: no program is started, no process or thread made or attached to, nothing
// mounted, no namespace entered. What is not listed fails.

// brokerNumbers are the calls of its work and of Go's runtime on any thread.
func brokerNumbers() []uint32 {
	work := []uint32{
		unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_CLOSE, unix.SYS_READ, unix.SYS_PREAD64, unix.SYS_WRITE, unix.SYS_PWRITE64,
		unix.SYS_LSEEK, unix.SYS_FSTAT, unix.SYS_NEWFSTATAT, unix.SYS_FSTATFS, unix.SYS_GETDENTS64, unix.SYS_READLINKAT,
		unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_UNLINKAT, unix.SYS_MKDIRAT, unix.SYS_MKNODAT,
		unix.SYS_SYMLINKAT, unix.SYS_LINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_FCHMOD, unix.SYS_FCHMODAT,
		unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT, unix.SYS_SETXATTR, unix.SYS_REMOVEXATTR,
		unix.SYS_TRUNCATE, unix.SYS_FTRUNCATE, unix.SYS_COPY_FILE_RANGE, unix.SYS_FCNTL, unix.SYS_MEMFD_CREATE, unix.SYS_UMASK,
		unix.SYS_IOCTL, unix.SYS_PROCESS_VM_READV, unix.SYS_PRLIMIT64, unix.SYS_PPOLL, unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD,
		unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_SHUTDOWN, unix.SYS_INOTIFY_ADD_WATCH, unix.SYS_GETSOCKOPT, unix.SYS_FCHDIR, unix.SYS_CHDIR,
		unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_GETEUID, unix.SYS_GETRANDOM,
		// of the journal, see kept_linux.go
		unix.SYS_FLOCK, unix.SYS_GETXATTR, unix.SYS_FGETXATTR, unix.SYS_FLISTXATTR, unix.SYS_FSETXATTR, unix.SYS_STATX, unix.SYS_INOTIFY_INIT1,
	}
	runtime := []uint32{
		unix.SYS_FUTEX, unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MADVISE, unix.SYS_MPROTECT, unix.SYS_BRK, unix.SYS_MINCORE,
		unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_TGKILL,
		unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME, unix.SYS_SCHED_YIELD, unix.SYS_RESTART_SYSCALL,
		unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
	}
	return append(work, runtime...)
}

// EnterBroker limits the calling OS thread to that list for good.
func EnterBroker() error {
	prog := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: AuditArch, SkipTrue: 1},
		bpf.RetConstant{Val: retKill},
		bpf.LoadAbsolute{Off: offNr, Size: 4},
	}
	for _, nr := range brokerNumbers() {
		prog = append(prog, bpf.JumpIf{Cond: bpf.JumpEqual, Val: nr, SkipFalse: 1}, bpf.RetConstant{Val: retAllow})
	}
	prog = append(prog, // of sockets only the one that asks what listens: see ownSocket
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_SOCKET, SkipFalse: 3},
		bpf.LoadAbsolute{Off: offArgs, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_NETLINK, SkipFalse: 1},
		bpf.RetConstant{Val: retAllow},
	)
	code, err := bpf.Assemble(append(prog, bpf.RetConstant{Val: RetErrno | ErrEPERM}))
	if err != nil {
		return err
	}
	return enterFilter(code)
}
