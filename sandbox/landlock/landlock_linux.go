package landlock

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

const (
	fsRead   = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	fsChange = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE
	// MAKE_CHAR, MAKE_BLOCK and IOCTL_DEV are handled and never granted: no
	// device node is made, no driver is spoken to.
	fsHandled = fsRead | fsChange | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	fsOnFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// MinABI is Linux 6.12's Landlock: the first with truncation, device ioctls,
// TCP and the scopes that keep signals and abstract sockets inside.
const MinABI = 6

// ABI is the kernel's Landlock version, 0 where there is none.
// landlock_create_ruleset(2)
func ABI() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// RulesetSize is that of the attributes as of ABI 6.
const RulesetSize = unsafe.Offsetof(unix.LandlockRulesetAttr{}.Scoped) + unsafe.Sizeof(unix.LandlockRulesetAttr{}.Scoped)

// NewRuleset builds the Landlock ruleset of a policy once; every runner of the
// sandbox gets the same descriptor. Paths that don't exist grant nothing.
func NewRuleset(c policy.Conf, rs []rule) (int, error) {
	attr := unix.LandlockRulesetAttr{
		Handled_access_fs:  fsHandled,
		Handled_access_net: unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP,
		Scoped:             unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL,
	}
	if c.Policy.Network == policy.NetworkAllow || c.Namespaced() { // a network namespace lets own servers be
		attr.Handled_access_net = 0
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), RulesetSize, 0)
	if errno != 0 {
		return -1, fmt.Errorf("landlock_create_ruleset: %w", errno)
	}
	for _, r := range rs {
		if err := addRule(int(fd), r); err != nil {
			return -1, errors.Join(err, unix.Close(int(fd)))
		}
	}
	return int(fd), nil
}

// AllowWriting lets a ruleset's threads write below a directory, too.
func AllowWriting(ruleset int, dir string) error { return addRule(ruleset, rule{dir, Write}) }

func addRule(ruleset int, r rule) error {
	fd, err := unix.Open(r.Path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) {
		return nil // granting nothing is always safe
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", r.Path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("stat %s: %w", r.Path, err)
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: r.Access.rights(), Parent_fd: int32(fd)}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		attr.Allowed_access &= fsOnFile
	}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("landlock_add_rule %s: %w", r.Path, errno)
	}
	return nil
}

func (a access) rights() uint64 {
	switch a {
	case Write:
		return fsRead | fsChange
	case Device:
		return unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE
	case Terminal:
		return unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR |
			unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	case List:
		return unix.LANDLOCK_ACCESS_FS_READ_DIR
	}
	return fsRead
}

// Etc grants /etc. An ordinary user's permissions already hide the shadow
// file and host keys; uid 0 owns them, so for root only what every user may
// read is granted, entry by entry. Mounts hide the rest, too, but one over a file
// goes when the host replaces that file. shared is what files.Shared has found just now,
// nil to look.
func Etc(shared []string) []rule {
	if os.Geteuid() != 0 {
		return []rule{{"/etc", Read}}
	}
	if shared == nil {
		shared = files.Shared("/etc").Open
	}
	var rs []rule
	for _, path := range shared {
		rs = append(rs, rule{path, Read})
	}
	return append(rs, rule{"/etc", List})
}

// Enter is landlock_restrict_self(2) for the calling thread.
func Enter(ruleset int) error {
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return fmt.Errorf("landlock_restrict_self: %w", errno)
	}
	return nil
}

// EnterScope puts the calling thread, and what it forks, into a domain of its
// own below the sandbox's, from which no signal and no abstract socket reaches
// out: not to the rest of this process either.
func EnterScope() error {
	attr := unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), RulesetSize, 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(fd))
	return Enter(int(fd))
}
