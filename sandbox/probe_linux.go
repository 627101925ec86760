package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"
	"golang.org/x/sys/unix"
)

// probe runs the self-test: from the strongest rung down, one canary per mode,
// each in a real sandbox with the network denied and reads private, until both get
// what they must. A version number proves nothing.
func probe(o Options) survey {
	o.group = findGroup()
	s, err := climb(o)
	if errors.Is(err, errGroup) {
		o.group = ""
		s, _ = climb(o)
	}
	s.group = o.group
	return s
}

// climb does so, with one control group for all of it or none. Its error is that
// the group can't be divided.
func climb(o Options) (survey, error) {
	s := survey{rung: RungNone, facts: map[Mode]facts{Off: {backend: []string{"subreaper"}}}}
	for _, rung := range []string{RungFull, RungNoUserns, RungNoLandlock} {
		var ro, rw facts
		var err1, err2 error
		var wg conc.WaitGroup
		wg.Go(func() { ro, err1 = runCanary(o, rung, ReadOnly) })
		wg.Go(func() { rw, err2 = runCanary(o, rung, WorkspaceWrite) })
		wg.Wait()
		if err := errors.Join(err1, err2); err != nil {
			return s, err
		}
		s.facts[ReadOnly], s.facts[WorkspaceWrite] = ro, rw
		short := shortfall(rung, ro, rw)
		if short == nil {
			s.rung = rung
			return s, nil
		}
		s.missed = append(s.missed, *short)
	}
	for _, m := range []Mode{ReadOnly, WorkspaceWrite} {
		s.facts[m] = facts{failure: noRung(s.missed)}
	}
	if m := tryOff(o); m != nil {
		s.facts[Off] = facts{failure: m}
	}
	return s, nil
}

// runCanary tells a failure as facts; its error is as climb's.
func runCanary(o Options, rung string, mode Mode) (facts, error) {
	if m := lacks(rung); m != nil {
		return facts{failure: m}, nil
	}
	f, err := tryCanary(o, rung, mode)
	switch {
	case errors.Is(err, errGroup):
		return facts{}, err
	case err != nil:
		return facts{failure: &Missing{Feature: rungNeeds[rung], Reason: err.Error(), Hint: hint(rung)}}, nil
	}
	return f, nil
}

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

func tryCanary(o Options, rung string, mode Mode) (facts, error) {
	// A locked directory like a sandbox's own: should we be killed now, the next
	// start sweeps it.
	dir, lock, err := newPrivateDir(sandboxBase(o))
	if err != nil {
		return facts{}, err
	}
	defer removeTree(dir)
	defer lock.Close()
	inside := filepath.Join(dir, "workspace")
	if err := os.Mkdir(inside, 0o700); err != nil {
		return facts{}, err
	}
	b, open, err := layBait(dir)
	for _, c := range open {
		defer c.Close()
	}
	if err != nil {
		return facts{}, err
	}
	b.inside = inside
	exe, err := os.Executable()
	if err != nil {
		return facts{}, err
	}
	p := Policy{
		Mode: mode, Network: NetworkDeny, Reads: ReadsPrivate, Writable: []string{inside}, Readable: []string{exe, filepath.Dir(b.file)}, Name: "self-test",
	}
	box, err := openBox(o, rung, p, nil)
	if err != nil {
		return facts{}, err
	}
	defer box.close(true)
	out, err := runIn(&Sandbox{policy: p, box: box}, exe, inside, b.args())
	if err != nil {
		return facts{}, err
	}
	f, err := readCanary(out, rung, mode)
	f.backend = box.backend()
	return f, err
}

// runIn starts the canary in a directory, reads all it says and ends its tree.
func runIn(s *Sandbox, exe, cwd string, argv []string) (string, error) {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return "", err
	}
	if err := unix.SetNonblock(pipe[0], true); err != nil {
		return "", err
	}
	r, w := os.NewFile(uintptr(pipe[0]), "canary output"), os.NewFile(uintptr(pipe[1]), "canary output")
	defer r.Close()
	dir, err := os.Open(cwd)
	if err != nil {
		return "", err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	quiet, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	p, err := s.Start(context.Background(), Command{
		Path: exe, Argv: argv, Dir: dir, Stdin: null, Stdout: w, Stderr: quiet,
		Env: []string{"HOME=" + s.box.home(), "TMPDIR=" + s.box.tmp()},
	})
	if err != nil {
		return "", err
	}
	st, werr := p.Wait()
	_, eerr := p.End(false)
	if err := errors.Join(werr, eerr); err != nil {
		return "", err
	}
	if st.Code != 0 {
		return "", fmt.Errorf("the self-test's canary ended with code %d, signal %d", st.Code, st.Signal)
	}
	// The daemon holds the other end, so this ends because it is dead.
	_ = r.SetReadDeadline(time.Now().Add(2 * time.Second))
	out, err := io.ReadAll(r)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return string(out), nil
	}
	return string(out) + canaryAlone, err
}

// canaryAlone is appended to what the canary said when nothing of it was left.
const canaryAlone = "left 1\n"

// refusals are the errors by which the mechanisms say no. Any other error means
// that the attempt proved nothing.
var refusals = []syscall.Errno{unix.EPERM, unix.EACCES, unix.ENOSYS, unix.EOPNOTSUPP, unix.EROFS}

// absences are the errors by which a namespace says that what was asked for is
// not in it.
var absences = map[string]syscall.Errno{
	"read": unix.ENOENT, "environ": unix.ENOENT, "unixPath": unix.ENOENT,
	"tcp": unix.ECONNREFUSED, "udp": unix.ECONNREFUSED, "abstract": unix.ECONNREFUSED,
	"signal": unix.ESRCH, "signalThread": unix.ESRCH, "prlimit": unix.ESRCH, "ptrace": unix.ESRCH,
	"shm": unix.EINVAL,
}

// refused says whether an attempt's errno proves that it can't be done on a rung.
func refused(rung, attempt string, errno syscall.Errno) bool {
	return slices.Contains(refusals, errno) || rung != RungNoUserns && errno != 0 && absences[attempt] == errno
}

func readCanary(out, rung string, mode Mode) (facts, error) {
	f := facts{rung: rung, refused: map[string]bool{}}
	tried := false // the canary did leave a daemon
	sc := bufio.NewScanner(strings.NewReader(out))
	for sc.Scan() {
		name, value, _ := strings.Cut(sc.Text(), " ")
		n, err := strconv.Atoi(value)
		if err != nil {
			return f, fmt.Errorf("the self-test's canary said %q", sc.Text())
		}
		errno := syscall.Errno(n)
		switch name {
		case "left": // the daemon: End must have ended it
			f.refused["daemon"] = tried
		case "daemon":
			tried = errno == 0
		default:
			f.refused[name] = refused(rung, name, errno)
		}
	}
	if mode == ReadOnly && !f.refused["inside"] {
		f.refused["write"] = false
	}
	if mode == WorkspaceWrite && f.refused["inside"] {
		return f, errors.New("the workspace itself is not writable in the sandbox")
	}
	return f, nil
}

func kernelRelease() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// machineKey changes whenever an old self-test could be wrong: another boot (its
// parameters choose the LSMs), kernel, program, user, Landlock version or control
// group.
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
	return fmt.Sprintf("%s %s %d %d %d %d %d %d %q", strings.TrimSpace(string(boot)), kernelRelease(),
		st.Dev, st.Ino, st.Size, st.Mtim.Nano(), os.Geteuid(), landlockABI(), ownGroup(string(groups)))
}
