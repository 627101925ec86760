package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/sourcegraph/conc"
	"golang.org/x/sys/unix"
)

// probe runs the self-test: one canary per mode, each in a real sandbox with
// the network denied and reads private. A version number proves nothing.
func probe(o Options) map[Mode]facts {
	var ro, rw facts
	var wg conc.WaitGroup
	wg.Go(func() { ro = runCanary(o, ReadOnly) })
	wg.Go(func() { rw = runCanary(o, WorkspaceWrite) })
	wg.Wait()
	return map[Mode]facts{Off: {backend: []string{"subreaper"}}, ReadOnly: ro, WorkspaceWrite: rw}
}

func runCanary(o Options, mode Mode) facts {
	if abi := landlockABI(); abi < minABI {
		return facts{failure: &Missing{
			Feature: "landlock", Reason: fmt.Sprintf("the kernel offers Landlock ABI %d, %d is needed", abi, minABI),
			Hint: "Linux 6.12 or newer with landlock in the lsm= list (cat /sys/kernel/security/lsm)",
		}}
	}
	f, err := tryCanary(o, mode)
	if err != nil {
		m := &Missing{Feature: "self-test", Reason: err.Error()}
		var setup *SetupError
		if errors.As(err, &setup) && errors.Is(err, unix.EPERM) {
			m.Hint = "a container may refuse landlock or seccomp; allow both in its seccomp profile"
		}
		return facts{failure: m}
	}
	return f
}

func tryCanary(o Options, mode Mode) (facts, error) {
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
		Mode: mode, Network: NetworkDeny, Reads: ReadsPrivate, Writable: []string{inside}, Readable: []string{exe}, Name: "self-test",
	}
	box, err := openBox(o, p)
	if err != nil {
		return facts{}, err
	}
	defer box.close(true)
	out, err := runIn(&Sandbox{policy: p, box: box}, exe, b)
	if err != nil {
		return facts{}, err
	}
	return readCanary(out, mode)
}

// runIn starts the canary, reads all it says and ends its tree.
func runIn(s *Sandbox, exe string, b bait) (string, error) {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return "", err
	}
	r, w := os.NewFile(uintptr(pipe[0]), "canary output"), os.NewFile(uintptr(pipe[1]), "canary output")
	defer r.Close()
	dir, err := os.Open(b.inside)
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
		Path: exe, Argv: b.args(), Dir: dir, Stdin: null, Stdout: w, Stderr: quiet,
		Env: []string{"HOME=" + s.box.homeDir(), "TMPDIR=" + s.box.tmpDir()},
	})
	if err != nil {
		return "", err
	}
	st, werr := p.Wait()
	_, eerr := p.End()
	if err := errors.Join(werr, eerr); err != nil {
		return "", err
	}
	if st.Code != 0 {
		return "", fmt.Errorf("the self-test's canary ended with code %d, signal %d", st.Code, st.Signal)
	}
	out, err := io.ReadAll(r) // the daemon is dead by now, so this ends
	return string(out), err
}

// refusals are the errors by which the mechanisms say no. Any other error means
// that the attempt proved nothing.
var refusals = map[syscall.Errno]bool{
	unix.EPERM: true, unix.EACCES: true, unix.ENOSYS: true, unix.EOPNOTSUPP: true, unix.EROFS: true,
}

func readCanary(out string, mode Mode) (facts, error) {
	f := facts{backend: []string{"landlock", "seccomp", "subreaper"}, refused: map[string]bool{}}
	sc := bufio.NewScanner(strings.NewReader(out))
	for sc.Scan() {
		name, value, _ := strings.Cut(sc.Text(), " ")
		n, err := strconv.Atoi(value)
		if err != nil {
			return f, fmt.Errorf("the self-test's canary said %q", sc.Text())
		}
		switch name {
		case "pid": // the daemon it left: End must have ended it
			f.refused["daemon"] = errors.Is(unix.Kill(n, 0), unix.ESRCH)
		case "daemon":
		default:
			f.refused[name] = refusals[syscall.Errno(n)]
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
// parameters choose the LSMs), kernel, program, user or Landlock version.
func machineKey() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	var st unix.Stat_t
	if err := unix.Stat("/proc/self/exe", &st); err != nil {
		return ""
	}
	return fmt.Sprintf("%s %s %d %d %d %d %d %d", strings.TrimSpace(string(boot)), kernelRelease(),
		st.Dev, st.Ino, st.Size, st.Mtim.Nano(), os.Geteuid(), landlockABI())
}
