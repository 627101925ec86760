package sandbox

// deniedCalls answer EPERM. Each reaches beyond the sandbox, or is kernel
// surface that no build needs.
var deniedCalls = []string{
	// other processes' memory and descriptors
	"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease",
	"pidfd_getfd", "kcmp", "move_pages", "migrate_pages",
	// kernel surface with a history of escapes
	"bpf", "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key", "fanotify_init", "lookup_dcookie",
	// mounts and namespaces
	"mount", "umount2", "pivot_root", "chroot", "setns", "fsopen", "fsconfig", "fsmount", "fspick",
	"open_tree", "open_tree_attr", "move_mount", "mount_setattr",
	// files by handle pass every path rule (matters for root: CAP_DAC_READ_SEARCH)
	"open_by_handle_at",
	// the machine
	"swapon", "swapoff", "reboot", "sethostname", "setdomainname", "init_module", "finit_module", "delete_module",
	"kexec_load", "kexec_file_load", "iopl", "ioperm", "acct", "quotactl", "quotactl_fd", "nfsservctl", "vhangup",
	"syslog", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "uselib", "modify_ldt",
}

// absentCalls answer ENOSYS, so that libraries fall back: clone3's flags are
// behind a pointer, io_uring runs calls no filter sees, file_setattr changes
// inode flags by path.
var absentCalls = []string{
	"clone3", "io_uring_setup", "io_uring_enter", "io_uring_register", "file_setattr",
	"fchmodat2", // behind glibc's fchmodat, which then uses a call the broker knows
	"io_setup",  // a command took all of fs.aio-max-nr, and nobody else had any; libaio's users fall back
}

// xattrCalls answer EOPNOTSUPP, which cp, tar and install take in stride:
// Landlock has no right for extended attributes.
var xattrCalls = []string{
	"setxattr", "lsetxattr", "fsetxattr", "setxattrat",
	"removexattr", "lremovexattr", "fremovexattr", "removexattrat",
}

// readXattrCalls answer so, too, where nothing else hides a file: one holds the address,
// with its password, that a download came from.
var readXattrCalls = []string{
	"getxattr", "lgetxattr", "fgetxattr", "getxattrat", "listxattr", "llistxattr", "flistxattr", "listxattrat",
}

// changedXattrCalls are those the broker does where attributes are not refused, and
// newXattrCalls the forms with arguments behind a pointer, which nobody needs.
var (
	changedXattrCalls = []string{
		"setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr",
	}
	newXattrCalls = []string{"setxattrat", "removexattrat"}
)

// sysvCalls make objects that outlive every process and that other users of the
// machine can attach to.
var sysvCalls = []string{
	"shmget", "semget", "msgget", "mq_open", "mq_unlink",
	// an id is enough to reach what another program of the user made
	"shmat", "shmctl", "semop", "semtimedop", "semctl", "msgsnd", "msgrcv", "msgctl",
}

// metadataCalls change a file's mode, owner or times; the broker does them
// where the file is below a writable root.
var metadataCalls = []string{
	"chmod", "fchmod", "fchmodat",
	"chown", "lchown", "fchown", "fchownat",
	"utime", "utimes", "futimesat", "utimensat",
}

// mediatedCalls change something by name; open and openat are tested by flags.
var mediatedCalls = []string{
	"creat", "mkdir", "mkdirat", "mknod", "mknodat", "symlink", "symlinkat", "link", "linkat",
	"rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir", "truncate",
	"umask", // continues: what is made on the caller's behalf must have its mask
}

// peerCalls name another process in the given argument.
var peerCalls = []struct {
	name string
	arg  uint32
}{
	{"prlimit64", 0},
	{"setpriority", 1},
	{"ioprio_set", 1},
	{"sched_setaffinity", 0},
	{"sched_setscheduler", 0},
	{"sched_setparam", 0},
	{"sched_setattr", 0},
}
