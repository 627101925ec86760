package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

// legacyCalls exist on x86-64 and not on newer architectures.
var legacyCalls = map[string]uint32{
	"chmod": unix.SYS_CHMOD, "chown": unix.SYS_CHOWN, "lchown": unix.SYS_LCHOWN,
	"utime": unix.SYS_UTIME, "utimes": unix.SYS_UTIMES, "futimesat": unix.SYS_FUTIMESAT,
	"open": unix.SYS_OPEN, "creat": unix.SYS_CREAT, "mknod": unix.SYS_MKNOD,
	"mkdir": unix.SYS_MKDIR, "rmdir": unix.SYS_RMDIR, "symlink": unix.SYS_SYMLINK, "link": unix.SYS_LINK,
	"rename": unix.SYS_RENAME, "unlink": unix.SYS_UNLINK,
	"iopl": unix.SYS_IOPL, "ioperm": unix.SYS_IOPERM, "uselib": unix.SYS_USELIB, "modify_ldt": unix.SYS_MODIFY_LDT,
}
