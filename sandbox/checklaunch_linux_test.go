package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A launcher makes a rung real: it is a filter on the process that runs the
// tests, under which the kernel answers as one that lacks the layer does.
type launcher struct {
	name  string
	rungs []string // what this machine then deserves, best first
	lost  []string // the layers a refusal has to name
	rules func(b *builder)
}

var launchers = []launcher{
	{name: "as it is", rungs: []string{RungFull, RungNoUserns}},
	{name: "no namespaces", rungs: []string{RungNoUserns}, lost: []string{"namespaces"}, rules: noNamespaces},
	{name: "no mounts in namespaces", rungs: []string{RungNoUserns}, lost: []string{"namespaces"}, rules: noMounts},
	{name: "no Landlock", rungs: []string{RungNoLandlock}, lost: []string{"landlock"}, rules: noLandlock(unix.ENOSYS)},
	{name: "Landlock disabled", rungs: []string{RungNoLandlock}, lost: []string{"landlock"}, rules: noLandlock(unix.EOPNOTSUPP)},
	{name: "neither", lost: []string{"landlock", "namespaces"}, rules: func(b *builder) { noNamespaces(b); noLandlock(unix.ENOSYS)(b) }},
	{name: "no seccomp", lost: []string{"seccomp"}, rules: noSeccomp},
}

// expected is the best of the launcher's rungs that this version has.
func (l launcher) expected() string {
	for _, rung := range l.rungs {
		if slices.Contains(built, rung) {
			return rung
		}
	}
	return RungNone
}

// noNamespaces is what a container's default profile does.
func noNamespaces(b *builder) {
	b.all(retErrno|errENOSYS, []string{"clone3"})
	b.namespaces()
	b.all(retErrno|errEPERM, []string{"setns"})
	noMounts(b)
}

// noMounts is a distribution that lets anyone make a user namespace and gives no
// rights in it.
func noMounts(b *builder) {
	b.all(retErrno|errEPERM, []string{
		"mount", "umount2", "pivot_root", "fsopen", "fsconfig", "fsmount", "fspick", "open_tree", "move_mount", "mount_setattr",
	})
}

func noLandlock(errno syscall.Errno) func(b *builder) {
	return func(b *builder) {
		for _, nr := range []uint32{unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_ADD_RULE, unix.SYS_LANDLOCK_RESTRICT_SELF} {
			b.rules = append(b.rules, sysRule{nr, nil, retErrno | uint32(errno)})
		}
	}
}

func noSeccomp(b *builder) {
	b.rules = append(b.rules,
		sysRule{unix.SYS_SECCOMP, nil, retErrno | uint32(unix.EINVAL)},
		sysRule{unix.SYS_PRCTL, []cond{is(0, unix.PR_SET_SECCOMP)}, retErrno | uint32(unix.EINVAL)})
}

// launchHelper puts on the filter of the launcher it is given, and becomes the
// test binary again.
func launchHelper(args []string) int {
	i := slices.IndexFunc(launchers, func(l launcher) bool { return l.name == args[0] })
	if launchers[i].rules != nil {
		runtime.LockOSThread()
		b := builder{nr: syscallNumbers()}
		launchers[i].rules(&b)
		if err := wearFilter(b.rules); err != nil {
			fmt.Println("launcher:", err)
			return 2
		}
	}
	err := syscall.Exec("/proc/self/exe", append([]string{os.Args[0]}, args[1:]...), os.Environ())
	fmt.Println("launcher:", err)
	return 2
}

func wearFilter(rules []sysRule) error {
	raw, err := assemble(auditArch, rules)
	if err != nil {
		return err
	}
	code := make([]unix.SockFilter, len(raw))
	for i, ins := range raw {
		code[i] = unix.SockFilter{Code: ins.Op, Jt: ins.Jt, Jf: ins.Jf, K: ins.K}
	}
	if os.Geteuid() != 0 { // root may without, and then no_new_privs is the sandbox's own
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return err
		}
	}
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(code)
	return nonZero(errno)
}

// relaunch runs the calling test again as a user, behind a launcher, in a
// directory of its own with a home that nobody minds.
func relaunch(t *testing.T, uid int, l launcher) {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "pn-")
	must(t, err)
	t.Cleanup(func() { removeTree(dir) })
	self, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	exe, setID := filepath.Join(dir, "sandbox.test"), filepath.Join(dir, "setid.test")
	must(t, os.WriteFile(exe, self, 0o755))
	must(t, os.WriteFile(setID, self, 0o755))
	if os.Getuid() == 0 {
		must(t, os.Chown(setID, 65534-uid, 65534-uid)) // the other one
	}
	must(t, os.Chmod(setID, 0o6755))
	for _, d := range []string{dir, dir + "/t", dir + "/home"} {
		must(t, os.MkdirAll(d, 0o755))
		must(t, os.Chmod(d, 0o755))
		must(t, os.Chown(d, uid, uid))
	}
	foreign := dir + "/foreign"
	must(t, os.Mkdir(foreign, 0o755))
	if os.Getuid() == 0 {
		must(t, os.Chown(foreign, 65534-uid, 65534-uid))
	}
	test, _, _ := strings.Cut(t.Name(), "/")
	cmd := exec.Command(exe, "launch", l.name, "-test.v", "-test.run=^"+test+"$")
	cmd.Dir = dir
	cmd.Env = []string{
		"PILLION_TEST_RUNG=" + l.expected(), "PILLION_TEST_LAUNCHER=" + l.name, "PILLION_TEST_FOREIGN=" + foreign, "TMPDIR=" + dir + "/t", "HOME=" + dir + "/home", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
		"PILLION_TEST_SETID=" + setID, "PILLION_SECRET_TOKEN=x", "AWS_SECRET_ACCESS_KEY=x", "NODE_OPTIONS=", "BASH_ENV=/dev/null",
	}
	if uid != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+test) {
		t.Fatalf("%v\n%s", err, failures(string(out)))
	}
	t.Logf("%s", strings.Join(waiting(string(out)), "\n"))
}

// failures leaves out the names of what passed.
func failures(out string) string {
	var keep []string
	for _, line := range strings.Split(out, "\n") {
		if !strings.HasPrefix(line, "=== ") && !strings.Contains(line, "--- PASS") {
			keep = append(keep, line)
		}
	}
	return strings.Join(keep, "\n")
}

func waiting(out string) []string {
	return slices.DeleteFunc(strings.Split(out, "\n"), func(line string) bool { return !strings.Contains(line, "waits for") })
}

// users are the one that started the tests and, when that is root, an ordinary
// one: what holds for one proves nothing for the other.
func users() []int {
	if os.Getuid() == 0 {
		return []int{0, 65534}
	}
	return []int{os.Getuid()}
}

// onEveryRung runs a test once for each user and each rung that some launcher
// makes; where this version refuses to run commands, there is none to test.
func onEveryRung(t *testing.T, f func(t *testing.T, rung string)) {
	t.Helper()
	if rung := os.Getenv("PILLION_TEST_RUNG"); rung != "" {
		f(t, rung)
		return
	}
	for _, uid := range users() {
		done := map[string]bool{RungNone: true}
		for _, l := range launchers {
			if rung := l.expected(); !done[rung] {
				done[rung] = true
				t.Run("uid="+strconv.Itoa(uid)+"/"+rung, func(t *testing.T) { relaunch(t, uid, l) })
			}
		}
	}
}

// onHost runs a test for each user behind the first launcher only.
func onHost(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	if os.Getenv("PILLION_TEST_RUNG") != "" {
		f(t)
		return
	}
	for _, uid := range users() {
		t.Run("uid="+strconv.Itoa(uid), func(t *testing.T) { relaunch(t, uid, launchers[0]) })
	}
}
