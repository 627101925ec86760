package sandbox

import (
	"maps"

	"golang.org/x/sys/unix"
)

// syscallNumbers names this architecture's calls for the filter. file_setattr
// and open_tree_attr are newer than x/sys and have the same number everywhere.
func syscallNumbers() map[string]uint32 {
	nr := map[string]uint32{
		"ptrace": unix.SYS_PTRACE, "process_vm_readv": unix.SYS_PROCESS_VM_READV,
		"process_vm_writev": unix.SYS_PROCESS_VM_WRITEV, "process_madvise": unix.SYS_PROCESS_MADVISE,
		"process_mrelease": unix.SYS_PROCESS_MRELEASE, "pidfd_getfd": unix.SYS_PIDFD_GETFD, "kcmp": unix.SYS_KCMP,
		"move_pages": unix.SYS_MOVE_PAGES, "migrate_pages": unix.SYS_MIGRATE_PAGES,
		"bpf": unix.SYS_BPF, "perf_event_open": unix.SYS_PERF_EVENT_OPEN, "userfaultfd": unix.SYS_USERFAULTFD,
		"keyctl": unix.SYS_KEYCTL, "add_key": unix.SYS_ADD_KEY, "request_key": unix.SYS_REQUEST_KEY,
		"fanotify_init": unix.SYS_FANOTIFY_INIT, "lookup_dcookie": unix.SYS_LOOKUP_DCOOKIE,
		"mount": unix.SYS_MOUNT, "umount2": unix.SYS_UMOUNT2, "pivot_root": unix.SYS_PIVOT_ROOT, "chroot": unix.SYS_CHROOT,
		"setns": unix.SYS_SETNS, "fsopen": unix.SYS_FSOPEN, "fsconfig": unix.SYS_FSCONFIG, "fsmount": unix.SYS_FSMOUNT,
		"fspick": unix.SYS_FSPICK, "open_tree": unix.SYS_OPEN_TREE, "move_mount": unix.SYS_MOVE_MOUNT,
		"mount_setattr": unix.SYS_MOUNT_SETATTR, "open_tree_attr": 467,
		"open_by_handle_at": unix.SYS_OPEN_BY_HANDLE_AT,
		"swapon":            unix.SYS_SWAPON, "swapoff": unix.SYS_SWAPOFF, "reboot": unix.SYS_REBOOT,
		"sethostname": unix.SYS_SETHOSTNAME, "setdomainname": unix.SYS_SETDOMAINNAME,
		"init_module": unix.SYS_INIT_MODULE, "finit_module": unix.SYS_FINIT_MODULE, "delete_module": unix.SYS_DELETE_MODULE,
		"kexec_load": unix.SYS_KEXEC_LOAD, "kexec_file_load": unix.SYS_KEXEC_FILE_LOAD, "acct": unix.SYS_ACCT,
		"quotactl": unix.SYS_QUOTACTL, "quotactl_fd": unix.SYS_QUOTACTL_FD, "nfsservctl": unix.SYS_NFSSERVCTL,
		"vhangup": unix.SYS_VHANGUP, "syslog": unix.SYS_SYSLOG, "settimeofday": unix.SYS_SETTIMEOFDAY,
		"clock_settime": unix.SYS_CLOCK_SETTIME, "clock_adjtime": unix.SYS_CLOCK_ADJTIME, "adjtimex": unix.SYS_ADJTIMEX,
		"clone3": unix.SYS_CLONE3, "io_uring_setup": unix.SYS_IO_URING_SETUP, "io_uring_enter": unix.SYS_IO_URING_ENTER,
		"io_uring_register": unix.SYS_IO_URING_REGISTER, "file_setattr": 469, "io_setup": unix.SYS_IO_SETUP,
		"getxattr": unix.SYS_GETXATTR, "lgetxattr": unix.SYS_LGETXATTR, "fgetxattr": unix.SYS_FGETXATTR, "getxattrat": 464,
		"listxattr": unix.SYS_LISTXATTR, "llistxattr": unix.SYS_LLISTXATTR, "flistxattr": unix.SYS_FLISTXATTR, "listxattrat": 465,
		"fchmodat2": unix.SYS_FCHMODAT2,
		"setxattr":  unix.SYS_SETXATTR, "lsetxattr": unix.SYS_LSETXATTR, "fsetxattr": unix.SYS_FSETXATTR, "setxattrat": 463,
		"removexattr": unix.SYS_REMOVEXATTR, "lremovexattr": unix.SYS_LREMOVEXATTR, "fremovexattr": unix.SYS_FREMOVEXATTR,
		"removexattrat": 466,
		"shmget":        unix.SYS_SHMGET, "semget": unix.SYS_SEMGET, "msgget": unix.SYS_MSGGET,
		"shmat": unix.SYS_SHMAT, "shmctl": unix.SYS_SHMCTL, "semop": unix.SYS_SEMOP, "semtimedop": unix.SYS_SEMTIMEDOP,
		"semctl": unix.SYS_SEMCTL, "msgsnd": unix.SYS_MSGSND, "msgrcv": unix.SYS_MSGRCV, "msgctl": unix.SYS_MSGCTL,
		"mq_open": unix.SYS_MQ_OPEN, "mq_unlink": unix.SYS_MQ_UNLINK,
		"fchmod": unix.SYS_FCHMOD, "fchmodat": unix.SYS_FCHMODAT, "fchown": unix.SYS_FCHOWN, "fchownat": unix.SYS_FCHOWNAT,
		"utimensat": unix.SYS_UTIMENSAT,
		"clone":     unix.SYS_CLONE, "unshare": unix.SYS_UNSHARE, "socket": unix.SYS_SOCKET, "socketpair": unix.SYS_SOCKETPAIR,
		"kill": unix.SYS_KILL, "tkill": unix.SYS_TKILL, "tgkill": unix.SYS_TGKILL,
		"rt_sigqueueinfo": unix.SYS_RT_SIGQUEUEINFO, "rt_tgsigqueueinfo": unix.SYS_RT_TGSIGQUEUEINFO,
		"pidfd_open": unix.SYS_PIDFD_OPEN, "fcntl": unix.SYS_FCNTL, "ioctl": unix.SYS_IOCTL, "personality": unix.SYS_PERSONALITY,
		"openat": unix.SYS_OPENAT, "openat2": unix.SYS_OPENAT2, "mknodat": unix.SYS_MKNODAT, "mkdirat": unix.SYS_MKDIRAT,
		"symlinkat": unix.SYS_SYMLINKAT, "linkat": unix.SYS_LINKAT, "renameat": unix.SYS_RENAMEAT, "renameat2": unix.SYS_RENAMEAT2,
		"unlinkat": unix.SYS_UNLINKAT, "truncate": unix.SYS_TRUNCATE, "umask": unix.SYS_UMASK, "prctl": unix.SYS_PRCTL,
		"prlimit64": unix.SYS_PRLIMIT64, "setpriority": unix.SYS_SETPRIORITY, "ioprio_set": unix.SYS_IOPRIO_SET,
		"sched_setaffinity": unix.SYS_SCHED_SETAFFINITY, "sched_setscheduler": unix.SYS_SCHED_SETSCHEDULER,
		"sched_setparam": unix.SYS_SCHED_SETPARAM, "sched_setattr": unix.SYS_SCHED_SETATTR,
	}
	maps.Copy(nr, legacyCalls)
	return nr
}
