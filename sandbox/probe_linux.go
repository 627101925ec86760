package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/sandbox/canary"
	"github.com/pillion-sidecar/pillion/sandbox/landlock"
	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// probe runs the self-test: from the strongest rung down, one canary per mode,
// each in a real sandbox with the network denied and reads private, until all get
// what they must. A version number proves nothing.
func probe(o Options, modes []Mode) findings {
	o.group = limits.FindGroup()
	s, err := climb(o, modes)
	if errors.Is(err, limits.ErrGroup) {
		o.group = ""
		s, err = climb(o, modes)
	}
	if err != nil {
		s.exhausted(modes, err)
	}
	s.group = o.group
	return s
}

// rungs are those of Linux, the strongest first.
var rungs = []string{RungFull, RungNoUserns, RungNoLandlock}

var offFacts = assess.Facts{Backend: []string{"subreaper"}}

// hint says how this machine could give more.
func hint(rung string) string {
	switch {
	case rung == RungNoUserns:
		return "a container may refuse landlock or seccomp; allow both in its seccomp profile"
	case sysctl("kernel/apparmor_restrict_unprivileged_userns") == "1":
		return "Ubuntu: give pillion an AppArmor profile with `userns,` (docs/sandbox.md), or set kernel.apparmor_restrict_unprivileged_userns=0"
	case sysctl("kernel/unprivileged_userns_clone") == "0":
		return "set kernel.unprivileged_userns_clone=1"
	case sysctl("user/max_user_namespaces") == "0":
		return "set user.max_user_namespaces above 0"
	case inContainer():
		return "the container refuses namespaces: run it with a seccomp profile that allows clone with namespace flags, mount and pivot_root (Docker: --security-opt seccomp=FILE --security-opt systempaths=unconfined)"
	}
	return "allow user namespaces to ordinary users"
}

func sysctl(name string) string {
	b, err := os.ReadFile("/proc/sys/" + name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

func (b *box) readCanary(out, rung string, mode Mode) (assess.Facts, error) {
	f, err := canary.Read(out, rung, mode)
	f.Backend = b.backend()
	return f, err
}

// lacks names the call that a rung is built on and this kernel does not have. An
// emulator of another processor's programs, and some containers, have even less
// than an old kernel.
func lacks(rung string) *Missing {
	if rung != RungNoLandlock {
		if abi := landlock.ABI(); abi < landlock.MinABI {
			return &Missing{
				Feature: "landlock", Reason: fmt.Sprintf("the kernel offers Landlock ABI %d, %d is needed", abi, landlock.MinABI),
				Hint: "Linux 6.12 or newer with landlock in the lsm= list (cat /sys/kernel/security/lsm)",
			}
		}
	}
	fd, err := unix.Openat2(unix.AT_FDCWD, "/", &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC})
	switch {
	case err == nil:
		_ = unix.Close(fd)
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // the kernel, or a container's filter
		return &Missing{
			Feature: "openat2", Reason: "a path can't be opened without leaving its directory: openat2: " + err.Error(),
			Hint: "Linux 5.6 or newer; in a container, a seccomp profile that allows openat2",
		}
	}
	return nil
}

// tryOff starts a program in a sandbox of mode off, where no rung serves. Else a
// rung's own canaries have used the same keeper and runner.
func tryOff(o Options) *Missing {
	if err := runOff(o); err != nil {
		return &Missing{
			Feature: "processTree", Reason: err.Error(),
			Hint: "a kernel that lets pillion adopt what its commands leave (PR_SET_CHILD_SUBREAPER) and start /proc/self/exe",
		}
	}
	return nil
}

func runOff(o Options) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	p := Policy{Mode: Off, Network: NetworkAllow, Reads: ReadsAll, Name: "self-test"}
	box, err := openBox(o, RungNone, p, nil)
	if err != nil {
		return err
	}
	defer box.close(true)
	_, err = runIn(&Sandbox{policy: p, box: box}, exe, "/", []string{wire.Canary})
	return err
}

// machineKey changes whenever an old self-test could be wrong: another boot (its
// parameters choose the LSMs), kernel, program, Landlock version or control group, or
// other circumstances.
func machineKey() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	var st unix.Stat_t
	if err := unix.Stat("/proc/self/exe", &st); err != nil {
		return ""
	}
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	around, _ := proc.Circumstances()
	return fmt.Sprintf("%s %s %d %d %d %d %d %d %d %q %q", strings.TrimSpace(string(boot)), proc.KernelRelease(), st.Dev, st.Ino,
		st.Size, st.Mtim.Nano(), st.Ctim.Nano(), os.Geteuid(), landlock.ABI(), limits.OwnGroup(string(groups)), around)
}

// recallable says that the kernel itself answered a test that is remembered, and answers now.
func recallable() bool {
	_, direct := proc.Circumstances()
	return direct
}
