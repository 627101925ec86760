package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/seccomp"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// A launcher makes a rung real: it is a filter on the process that runs the
// tests, under which the kernel answers as one that lacks the layer does.
type launcher struct {
	name  string
	rungs []string // what this machine then deserves, best first
	lost  []string // the layers a refusal has to name
	rules func(b *seccomp.Builder)
	// nothing says that not even mode off works, which is what is left of an emulator
	// of another processor's programs.
	nothing bool
}

var launchers = []launcher{
	{name: "as it is", rungs: []string{RungFull, RungNoUserns}},
	{name: "no namespaces", rungs: []string{RungNoUserns}, lost: []string{"namespaces"}, rules: noNamespaces},
	{name: "no mounts in namespaces", rungs: []string{RungNoUserns}, lost: []string{"namespaces"}, rules: noMounts},
	{name: "no Landlock", rungs: []string{RungNoLandlock}, lost: []string{"landlock"}, rules: noLandlock(unix.ENOSYS)},
	{name: "Landlock disabled", rungs: []string{RungNoLandlock}, lost: []string{"landlock"}, rules: noLandlock(unix.EOPNOTSUPP)},
	{name: "neither", lost: []string{"landlock", "namespaces"}, rules: func(b *seccomp.Builder) { noNamespaces(b); noLandlock(unix.ENOSYS)(b) }},
	{name: "no seccomp", lost: []string{"seccomp"}, rules: noSeccomp},
	{name: "no openat2", lost: []string{"openat2"}, rules: func(b *seccomp.Builder) { b.All(seccomp.RetErrno|seccomp.ErrENOSYS, []string{"openat2"}) }},
	{name: "no subreaper", lost: []string{"subreaper"}, rules: noSubreaper, nothing: true},
}

// expected is the best of the launcher's rungs that this version has, on a machine that
// itself may lack namespaces.
func (l launcher) expected() string {
	for _, rung := range l.rungs {
		if slices.Contains(built, rung) && (!policy.OwnNamespaces(rung) || needs.HasNamespaces()) {
			return rung
		}
	}
	return RungNone
}

// noNamespaces is what a container's default profile does.
func noNamespaces(b *seccomp.Builder) {
	b.All(seccomp.RetErrno|seccomp.ErrENOSYS, []string{"clone3"})
	b.Namespaces()
	b.All(seccomp.RetErrno|seccomp.ErrEPERM, []string{"setns"})
	noMounts(b)
}

// noMounts is a distribution that lets anyone make a user namespace and gives no
// rights in it.
func noMounts(b *seccomp.Builder) {
	b.All(seccomp.RetErrno|seccomp.ErrEPERM, []string{
		"mount", "umount2", "pivot_root", "fsopen", "fsconfig", "fsmount", "fspick", "open_tree", "move_mount", "mount_setattr",
	})
}

func noLandlock(errno syscall.Errno) func(b *seccomp.Builder) {
	return func(b *seccomp.Builder) {
		for _, nr := range []uint32{unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_ADD_RULE, unix.SYS_LANDLOCK_RESTRICT_SELF} {
			b.Rules = append(b.Rules, seccomp.Rule{Nr: nr, Conds: nil, Ret: seccomp.RetErrno | uint32(errno)})
		}
	}
}

func noSeccomp(b *seccomp.Builder) {
	b.Rules = append(b.Rules,
		seccomp.Rule{Nr: unix.SYS_SECCOMP, Conds: nil, Ret: seccomp.RetErrno | uint32(unix.EINVAL)},
		seccomp.Rule{Nr: unix.SYS_PRCTL, Conds: []seccomp.Cond{seccomp.Is(0, unix.PR_SET_SECCOMP)}, Ret: seccomp.RetErrno | uint32(unix.EINVAL)})
}

func noSubreaper(b *seccomp.Builder) {
	b.Rules = append(b.Rules, seccomp.Rule{Nr: unix.SYS_PRCTL, Conds: []seccomp.Cond{seccomp.Is(0, unix.PR_SET_CHILD_SUBREAPER)}, Ret: seccomp.RetErrno | uint32(unix.EINVAL)})
}

// launchHelper puts on the filter of the launcher it is given, and becomes the
// test binary again.
func launchHelper(args []string) int {
	i := slices.IndexFunc(launchers, func(l launcher) bool { return l.name == args[0] })
	if launchers[i].rules != nil {
		runtime.LockOSThread()
		b := seccomp.Builder{Nr: seccomp.Numbers()}
		launchers[i].rules(&b)
		if err := wearFilter(b.Rules); err != nil {
			fmt.Println("launcher:", err)
			return 2
		}
	}
	err := syscall.Exec("/proc/self/exe", append([]string{os.Args[0]}, args[1:]...), os.Environ())
	fmt.Println("launcher:", err)
	return 2
}

// administers reports whether this process is root with all that a container may have
// taken away.
func administers() bool {
	kept, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, unix.CAP_SYS_ADMIN, 0, 0, 0)
	return os.Geteuid() == 0 && err == nil && kept == 1
}

func wearFilter(rules []seccomp.Rule) error {
	raw, err := seccomp.Assemble(seccomp.AuditArch, seccomp.X32Bit-1, rules)
	if err != nil {
		return err
	}
	code := make([]unix.SockFilter, len(raw))
	for i, ins := range raw {
		code[i] = unix.SockFilter{Code: ins.Op, Jt: ins.Jt, Jf: ins.Jf, K: ins.K}
	}
	if !administers() { // who does may without, and then no_new_privs is the sandbox's own
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return err
		}
	}
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(code)
	return errnoError(errno)
}
