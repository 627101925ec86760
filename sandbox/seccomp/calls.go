package seccomp

import "runtime"

// sets are what is done to a call, and where.
type sets uint16

const (
	// denied: EPERM. Each reaches beyond the sandbox, or is kernel surface that no build needs.
	denied sets = 1 << iota
	// absent: ENOSYS, so that libraries fall back.
	absent
	// sysv: EACCES where nothing else keeps them apart. They make objects that outlive every
	// process and that other users of the machine can attach to.
	sysv
	// attribute: EOPNOTSUPP, which cp, tar and install take in stride, where Landlock is alone:
	// it has no right for extended attributes.
	attribute
	// setAttribute is done by the broker in a writable workspace.
	setAttribute
	// newAttribute has its arguments in memory, which the filter doesn't see: ENOSYS where
	// the broker sets attributes.
	newAttribute
	// metadata changes a file's mode, owner or times: the broker does it, where the file is
	// below a writable root.
	metadata
	// mediated changes something by name: the broker does it in a writable workspace.
	mediated
	// address takes a socket's address, which may be a path: the broker does it where sockets
	// are not refused.
	address
	// peer names another process in its first argument, peer2 in its second: the broker looks
	// who that is, where there is no pid namespace.
	peer
	peer2
	// tested has rules of its own, by its arguments.
	tested
)

// call is one that the filter knows, with its numbers; -1 for none.
type call struct {
	name         string
	amd64, arm64 int16
	sets         sets
}

// calls are all of them. What the broker does for those that it is handed is a row of its
// own table, in sandbox/broker.
var calls = []call{
	// other processes' memory and descriptors
	{"ptrace", 101, 117, denied},
	{"process_vm_readv", 310, 270, denied},
	{"process_vm_writev", 311, 271, denied},
	{"process_madvise", 440, 440, denied},
	{"process_mrelease", 448, 448, denied},
	{"pidfd_getfd", 438, 438, denied},
	{"kcmp", 312, 272, denied},
	{"move_pages", 279, 239, denied},
	{"migrate_pages", 256, 238, denied},
	// kernel surface with a history of escapes
	{"bpf", 321, 280, denied},
	{"perf_event_open", 298, 241, denied},
	{"userfaultfd", 323, 282, denied},
	{"keyctl", 250, 219, denied},
	{"add_key", 248, 217, denied},
	{"request_key", 249, 218, denied},
	{"fanotify_init", 300, 262, denied},
	{"lookup_dcookie", 212, 18, denied},
	// mounts and namespaces
	{"mount", 165, 40, denied},
	{"umount2", 166, 39, denied},
	{"pivot_root", 155, 41, denied},
	{"chroot", 161, 51, denied},
	{"setns", 308, 268, denied},
	{"fsopen", 430, 430, denied},
	{"fsconfig", 431, 431, denied},
	{"fsmount", 432, 432, denied},
	{"fspick", 433, 433, denied},
	{"open_tree", 428, 428, denied},
	{"open_tree_attr", 467, 467, denied},
	{"move_mount", 429, 429, denied},
	{"mount_setattr", 442, 442, denied},
	// files by handle pass every path rule (matters for root: CAP_DAC_READ_SEARCH)
	{"open_by_handle_at", 304, 265, denied},
	// the machine
	{"swapon", 167, 224, denied},
	{"swapoff", 168, 225, denied},
	{"reboot", 169, 142, denied},
	{"sethostname", 170, 161, denied},
	{"setdomainname", 171, 162, denied},
	{"init_module", 175, 105, denied},
	{"finit_module", 313, 273, denied},
	{"delete_module", 176, 106, denied},
	{"kexec_load", 246, 104, denied},
	{"kexec_file_load", 320, 294, denied},
	{"iopl", 172, -1, denied},
	{"ioperm", 173, -1, denied},
	{"acct", 163, 89, denied},
	{"quotactl", 179, 60, denied},
	{"quotactl_fd", 443, 443, denied},
	{"nfsservctl", 180, 42, denied},
	{"vhangup", 153, 58, denied},
	{"syslog", 103, 116, denied},
	{"settimeofday", 164, 170, denied},
	{"clock_settime", 227, 112, denied},
	{"clock_adjtime", 305, 266, denied},
	{"adjtimex", 159, 171, denied},
	{"uselib", 134, -1, denied},
	{"modify_ldt", 154, -1, denied},
	// clone3's flags are in memory, io_uring runs calls no filter sees, file_setattr
	// changes inode flags by path
	{"clone3", 435, 435, absent},
	{"io_uring_setup", 425, 425, absent},
	{"io_uring_enter", 426, 426, absent},
	{"io_uring_register", 427, 427, absent},
	{"file_setattr", 469, 469, absent},
	{"fchmodat2", 452, 452, absent}, // in glibc's fchmodat, which then uses a call the broker knows
	// a command took all of fs.aio-max-nr, and other programs had none; libaio's users fall back
	{"io_setup", 206, 0, absent},
	// extended attributes. To read one is refused, too, where nothing else hides a file: one
	// holds the address, with its password, that a download came from
	{"setxattr", 188, 5, attribute | setAttribute},
	{"lsetxattr", 189, 6, attribute | setAttribute},
	{"fsetxattr", 190, 7, attribute | setAttribute},
	{"removexattr", 197, 14, attribute | setAttribute},
	{"lremovexattr", 198, 15, attribute | setAttribute},
	{"fremovexattr", 199, 16, attribute | setAttribute},
	{"setxattrat", 463, 463, attribute | newAttribute},
	{"removexattrat", 466, 466, attribute | newAttribute},
	{"getxattr", 191, 8, attribute},
	{"lgetxattr", 192, 9, attribute},
	{"fgetxattr", 193, 10, attribute},
	{"getxattrat", 464, 464, attribute},
	{"listxattr", 194, 11, attribute},
	{"llistxattr", 195, 12, attribute},
	{"flistxattr", 196, 13, attribute},
	{"listxattrat", 465, 465, attribute},
	// an id is enough to reach what another program of the user made
	{"semget", 64, 190, sysv | tested},
	{"shmget", 29, 194, sysv},
	{"msgget", 68, 186, sysv},
	{"mq_open", 240, 180, sysv},
	{"mq_unlink", 241, 181, sysv},
	{"shmat", 30, 196, sysv},
	{"shmctl", 31, 195, sysv},
	{"semop", 65, 193, sysv},
	{"semtimedop", 220, 192, sysv},
	{"semctl", 66, 191, sysv},
	{"msgsnd", 69, 189, sysv},
	{"msgrcv", 70, 188, sysv},
	{"msgctl", 71, 187, sysv},
	// files
	{"chmod", 90, -1, metadata},
	{"fchmod", 91, 52, metadata},
	{"fchmodat", 268, 53, metadata},
	{"chown", 92, -1, metadata},
	{"lchown", 94, -1, metadata},
	{"fchown", 93, 55, metadata},
	{"fchownat", 260, 54, metadata},
	{"utime", 132, -1, metadata},
	{"utimes", 235, -1, metadata},
	{"futimesat", 261, -1, metadata},
	{"utimensat", 280, 88, metadata},
	{"open", 2, -1, tested},
	{"openat", 257, 56, tested},
	{"openat2", 437, 437, tested},
	{"creat", 85, -1, mediated | tested},
	{"mknod", 133, -1, mediated | tested},
	{"mknodat", 259, 33, mediated | tested},
	{"mkdir", 83, -1, mediated},
	{"mkdirat", 258, 34, mediated},
	{"symlink", 88, -1, mediated},
	{"symlinkat", 266, 36, mediated},
	{"link", 86, -1, mediated},
	{"linkat", 265, 37, mediated},
	{"rename", 82, -1, mediated},
	{"renameat", 264, 38, mediated},
	{"renameat2", 316, 276, mediated},
	{"unlink", 87, -1, mediated},
	{"unlinkat", 263, 35, mediated},
	{"rmdir", 84, -1, mediated},
	{"truncate", 76, 45, mediated},
	{"umask", 95, 166, mediated}, // continues: what is made on the caller's behalf must have its mask
	// sockets, processes and the rest
	{"connect", 42, 203, address},
	{"bind", 49, 200, address},
	{"setpriority", 141, 140, peer2 | tested},
	{"ioprio_set", 251, 30, peer2 | tested},
	{"prlimit64", 302, 261, peer},
	{"sched_setaffinity", 203, 122, peer},
	{"sched_setscheduler", 144, 119, peer},
	{"sched_setparam", 142, 118, peer},
	{"sched_setattr", 314, 274, peer},
	{"clone", 56, 220, tested},
	{"unshare", 272, 97, tested},
	{"socket", 41, 198, tested},
	{"socketpair", 53, 199, tested},
	{"kill", 62, 129, tested},
	{"tkill", 200, 130, tested},
	{"tgkill", 234, 131, tested},
	{"rt_sigqueueinfo", 129, 138, tested},
	{"rt_tgsigqueueinfo", 297, 240, tested},
	{"pidfd_open", 434, 434, tested},
	{"fcntl", 72, 25, tested},
	{"ioctl", 16, 29, tested},
	{"personality", 135, 92, tested},
	{"prctl", 157, 167, tested},
	{"inotify_add_watch", 254, 27, tested},
}

// in are the names of a set.
func in(s sets) (names []string) {
	for _, c := range calls {
		if c.sets&s != 0 {
			names = append(names, c.name)
		}
	}
	return names
}

// AuditArch is the kernel's name for this architecture. seccomp(2)
var AuditArch = map[string]uint32{"amd64": 0xC000003E, "arm64": 0xC00000B7}[runtime.GOARCH]

// Numbers are those of this architecture.
func Numbers() map[string]uint32 { return numbers(runtime.GOARCH) }

func numbers(arch string) map[string]uint32 {
	nr := make(map[string]uint32, len(calls))
	for _, c := range calls {
		n := c.amd64
		if arch == "arm64" {
			n = c.arm64
		}
		if n >= 0 {
			nr[c.name] = uint32(n)
		}
	}
	return nr
}
