package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fileTricks run inside the sandbox; each prints nothing when all is as it should
// be. They do what no shell can.
var fileTricks = map[string]func() error{
	"unnamed file": func() error {
		fd, err := unix.Open(".", unix.O_TMPFILE|unix.O_RDWR, 0o640)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("/proc/self/fd/%d", fd)
		if err := unix.Linkat(unix.AT_FDCWD, name, unix.AT_FDCWD, "named", unix.AT_SYMLINK_FOLLOW); err != nil {
			return err
		}
		if err := unix.Fchmod(fd, 0o600); err != nil {
			return err
		}
		return want(unix.Linkat(unix.AT_FDCWD, name, unix.AT_FDCWD, ".envrc2/../.mcp.json", unix.AT_SYMLINK_FOLLOW), unix.ENOENT,
			unix.Linkat(unix.AT_FDCWD, name, unix.AT_FDCWD, ".mcp.json", unix.AT_SYMLINK_FOLLOW), unix.EROFS,
			unix.Linkat(unix.AT_FDCWD, name, unix.AT_FDCWD, ".git/hooks/pre-commit", unix.AT_SYMLINK_FOLLOW), unix.EROFS,
			second(unix.Open(".idea", unix.O_TMPFILE|unix.O_RDWR, 0o640)), unix.EROFS)
	},
	"exchange": func() error {
		if err := errors.Join(os.Mkdir("x", 0o755), os.WriteFile("y", nil, 0o644), os.WriteFile("z", []byte("z"), 0o644)); err != nil {
			return err
		}
		at := func(a, b string) error {
			return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
		}
		return want(at("y", "z"), nil, at(".git", "x"), unix.EROFS, at("x", ".git"), unix.EROFS, at("y", ".git/config"), unix.EROFS,
			at(".idea", "x"), unix.EROFS, at("y", ".envrc"), unix.EROFS, at("y", "none"), unix.ENOENT,
			unix.Renameat2(unix.AT_FDCWD, "y", unix.AT_FDCWD, "z", unix.RENAME_NOREPLACE), unix.EEXIST,
			unix.Renameat2(unix.AT_FDCWD, "y", unix.AT_FDCWD, "w", unix.RENAME_WHITEOUT), unix.EINVAL)
	},
	"paths": func() error {
		long := strings.Repeat("./", 2045) + "fffff" // 4095 bytes
		return want(create(long), nil, create("./"+long), unix.ENAMETOOLONG, create(""), unix.ENOENT, create("/"), unix.EISDIR,
			create("."), unix.EISDIR, create(".."), unix.EISDIR, create("new/"), unix.EISDIR, create("f/x"), unix.ENOTDIR,
			create("none/x"), unix.ENOENT, create(strings.Repeat("n", 256)), unix.ENAMETOOLONG, create("a//b/./../b/new"), nil,
			second(unix.Open("f/", unix.O_WRONLY, 0)), unix.ENOTDIR, second(unix.Open("none", unix.O_WRONLY, 0)), unix.ENOENT,
			second(unix.Open("f", unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, 0)), unix.EEXIST,
			unix.Mkdir("f", 0o755), unix.EEXIST, unix.Mkdir("m/", 0o755), nil, unix.Mkdir("", 0o755), unix.ENOENT, unix.Rmdir("m/"), nil,
			unix.Rmdir("."), unix.EINVAL, unix.Rmdir("a"), unix.ENOTEMPTY, unix.Unlink("a"), unix.EISDIR, unix.Unlink("f/"), unix.ENOTDIR,
			unix.Rename("f", "."), unix.EBUSY, unix.Rename("f", "a"), unix.EISDIR, unix.Rename("none", "x"), unix.ENOENT,
			unix.Symlink("", "s"), unix.ENOENT, unix.Symlink("x", "f"), unix.EEXIST, unix.Truncate("a", 0), unix.EISDIR,
			unix.Unlinkat(unix.AT_FDCWD, "f", 1), unix.EINVAL, unix.Mknod("dev", unix.S_IFCHR, 0x103), unix.EPERM)
	},
	"descriptors": func() error {
		dir, err := unix.Open("a", unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		file, err := unix.Open("f", unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		at := func(dir int, name string) error {
			return second(unix.Openat(dir, name, unix.O_CREAT|unix.O_WRONLY, 0o644))
		}
		if err := want(at(dir, "byfd"), nil, at(dir, "../byfd"), nil, at(999, "x"), unix.EBADF, at(file, "x"), unix.ENOTDIR,
			at(999, "/proc/self/cwd/abs"), nil, at(dir, "b/c/d/.git/hooks/x"), unix.EROFS,
			unix.Mkdirat(dir, ".vscode", 0o755), unix.EROFS, unix.Renameat(unix.AT_FDCWD, "abs", dir, ".envrc"), unix.EROFS); err != nil {
			return err
		}
		if _, err := os.Stat("a/byfd"); err != nil {
			return err
		}
		pathOnly, err := unix.Open(".git/config", unix.O_PATH|unix.O_RDWR|unix.O_CREAT, 0)
		if err != nil {
			return err
		}
		return want(second(unix.Open(fmt.Sprintf("/proc/self/fd/%d", pathOnly), unix.O_WRONLY, 0)), unix.EROFS,
			unix.Fchmod(file, 0o600), nil, unix.Fchmod(999, 0o600), unix.EBADF)
	},
	"close on exec": func() error {
		for flags, expect := range map[int]int{unix.O_CLOEXEC: unix.FD_CLOEXEC, 0: 0} {
			fd, err := unix.Open("ce", unix.O_CREAT|unix.O_RDWR|flags, 0o644)
			if err != nil {
				return err
			}
			if got, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || got != expect {
				return fmt.Errorf("descriptor flags %d, %w", got, err)
			}
			if got, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err != nil || got&unix.O_NONBLOCK != 0 {
				return fmt.Errorf("status flags %#x, %w", got, err)
			}
		}
		return nil
	},
	"a deleted working directory": func() error {
		if err := errors.Join(os.Mkdir("gone", 0o755), unix.Chdir("gone"), os.Remove("../gone")); err != nil {
			return err
		}
		return want(create("x"), unix.ENOENT, unix.Mkdir("x", 0o755), unix.ENOENT)
	},
	"an unreadable process": func() error {
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
			return err
		}
		return want(create("undumpable"), nil)
	},
	"a bad pointer": func() error {
		_, _, errno := unix.Syscall(unix.SYS_MKDIRAT, ^uintptr(99), 8, 0o755)
		return want(errno, unix.EFAULT)
	},
	"a path at the end of memory": func() error {
		m, err := unix.Mmap(-1, 0, 8192, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			return err
		}
		if err := unix.Mprotect(m[4096:], unix.PROT_NONE); err != nil {
			return err
		}
		copy(m[4096-4:], "end\x00")
		_, _, errno := unix.Syscall(unix.SYS_MKDIRAT, ^uintptr(99), uintptr(unsafe.Pointer(&m[4092])), 0o755)
		copy(m[4096-4:], "endx")
		_, _, unterminated := unix.Syscall(unix.SYS_MKDIRAT, ^uintptr(99), uintptr(unsafe.Pointer(&m[4092])), 0o755)
		return want(errno, syscall.Errno(0), unterminated, unix.EFAULT)
	},
	"the file size limit": func() error {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 100, Max: 100}); err != nil {
			return err
		}
		return want(unix.Truncate("f", 100), nil, unix.Truncate("f", 101), unix.EFBIG)
	},
	"no descriptors left": func() error {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 3, Max: 3}); err != nil {
			return err
		}
		return want(create("nofile"), unix.EMFILE)
	},
	"a directory of one thread": func() error {
		runtime.LockOSThread()
		if err := errors.Join(unix.Unshare(unix.CLONE_FS), unix.Chdir("a")); err != nil {
			return err
		}
		if err := create("thread"); err != nil {
			return err
		}
		_, err := os.Stat("/proc/thread-self/cwd/thread")
		return errors.Join(err, want(create("/proc/thread-self/cwd/thread2"), nil, unix.Unlink("/proc/thread-self/cwd/thread2"), nil))
	},
	"exchange over the border": func() error {
		there := os.Getenv("TMPDIR") + "/border"
		if err := errors.Join(os.MkdirAll(there+"/.vscode", 0o755), os.Mkdir("border", 0o755)); err != nil {
			return err
		}
		at := func(a, b string) error {
			return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
		}
		return want(at(there, "border"), unix.EXDEV, at("border", there), unix.EXDEV, unix.Rename(there, "border"), unix.EXDEV)
	},
	"extended attributes": func() error {
		if errors.Is(unix.Setxattr("f", "user.x", nil, 0), unix.EOPNOTSUPP) {
			return nil // without mounts nobody has them
		}
		// acl(5): version, then tag, permissions and id of owner, group and others: rwxrwxrwx
		everything := []byte("\x02\x00\x00\x00\x01\x00\x07\x00\xff\xff\xff\xff\x04\x00\x07\x00\xff\xff\xff\xff\x20\x00\x07\x00\xff\xff\xff\xff")
		const list, hook = "system.posix_acl_access", ".git/hooks/pre-commit.sample"
		fd, err := unix.Open(hook, unix.O_RDONLY, 0)
		long := bytes.Repeat([]byte("v"), 1000)
		if err = errors.Join(err, os.Symlink("f", "attribute"), want(
			unix.Setxattr(hook, list, everything, 0), unix.EROFS, unix.Lsetxattr(hook, list, everything, 0), unix.EROFS,
			unix.Fsetxattr(fd, list, everything, 0), unix.EROFS, unix.Setxattr(".git/hooks", "system.posix_acl_default", everything, 0), unix.EROFS,
			unix.Setxattr(".git/config", "user.x", nil, 0), unix.EROFS, unix.Removexattr(hook, list), unix.EROFS, unix.Fremovexattr(fd, list), unix.EROFS,
			unix.Setxattr("none", "user.x", nil, 0), unix.ENOENT, unix.Setxattr("", "user.x", nil, 0), unix.ENOENT,
			unix.Setxattr("f", "user.x", long, 0), nil, unix.Setxattr("f", "user.x", nil, unix.XATTR_CREATE), unix.EEXIST,
			unix.Setxattr("f", "user.y", nil, unix.XATTR_REPLACE), unix.ENODATA, unix.Setxattr("f", "user.y", make([]byte, 1<<16+1), 0), unix.E2BIG,
			unix.Lsetxattr("attribute", "user.x", nil, 0), unix.EPERM, unix.Fsetxattr(999, "user.x", nil, 0), unix.EBADF,
			unix.Setxattr("f", list, everything, 0), nil)); err != nil {
			return err
		}
		got := make([]byte, 2000)
		if n, err := unix.Getxattr("attribute", "user.x", got); err != nil || !bytes.Equal(got[:n], long) {
			return fmt.Errorf("%q, %w", got[:max(n, 0)], err)
		}
		return want(unix.Removexattr("f", "user.x"), nil, unix.Lremovexattr("f", "user.x"), unix.ENODATA)
	},
	"openat2": func() error {
		return want(second(unix.Openat2(unix.AT_FDCWD, "f", &unix.OpenHow{Flags: unix.O_RDONLY})), unix.ENOSYS)
	},
}

// second drops what came before an error.
func second(_ int, err error) error { return err }

func create(name string) error {
	fd, err := unix.Open(name, unix.O_CREAT|unix.O_WRONLY, 0o644)
	if err == nil {
		err = unix.Close(fd)
	}
	return err
}

// want compares pairs of an error and the expected one.
func want(pairs ...error) error {
	var wrong []error
	for i := 0; i+1 < len(pairs); i += 2 {
		if !errors.Is(pairs[i], pairs[i+1]) {
			wrong = append(wrong, fmt.Errorf("number %d: %v, want %v", i/2+1, pairs[i], pairs[i+1]))
		}
	}
	return errors.Join(wrong...)
}

func trickHelper(name string) int {
	if err := fileTricks[name](); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}
