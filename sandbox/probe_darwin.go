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

// probe runs the self-test: one canary per mode, each in a real sandbox with the
// network denied and reads private. That sandbox-exec is there proves nothing.
func probe(o Options, modes []Mode) survey {
	off := facts{rung: RungSeatbelt, backend: []string{"kqueue"}}
	s := survey{rung: RungNone, facts: map[Mode]facts{Off: off}}
	found := make([]facts, len(modes))
	var wg conc.WaitGroup
	for i, mode := range modes {
		wg.Go(func() { found[i] = runCanary(o, mode) })
	}
	wg.Wait()
	for i, mode := range modes {
		s.facts[mode] = found[i]
	}
	short := shortfall(RungSeatbelt, found...)
	if short == nil {
		s.rung = RungSeatbelt
		return s
	}
	s.missed = []Missing{*short}
	s.fail(modes, short)
	return s
}

func runCanary(o Options, mode Mode) facts {
	f, err := tryCanary(o, mode)
	if err != nil {
		return facts{failure: &Missing{
			Feature: "seatbelt", Reason: err.Error(),
			Hint: "a program that is in a sandbox of macOS itself can make no other: use an editor from outside of the App Store; Console.app shows what was denied (search for Sandbox)",
		}}
	}
	return f
}

func tryCanary(o Options, mode Mode) (f facts, err error) {
	// A locked directory like a sandbox's own: should we be killed now, the next
	// start sweeps it.
	base, err := filepath.EvalSymlinks(sandboxBase(o))
	if err != nil {
		return f, err
	}
	dir, lock, err := newPrivateDir(base)
	if err != nil {
		return f, err
	}
	defer removeTree(dir)
	defer lock.Close()
	b, open, err := layBait(dir)
	defer func() {
		for _, c := range open {
			_ = c.Close()
		}
	}()
	if err != nil {
		return f, err
	}
	exe, err := ownProgram()
	if err != nil {
		return f, err
	}
	p := Policy{
		Mode: mode, Network: NetworkDeny, Reads: ReadsPrivate, Name: "self-test",
		Writable: []string{b.inside}, Readable: []string{exe, filepath.Dir(b.file)},
	}
	box, err := openBox(o, RungSeatbelt, p, nil)
	if err != nil {
		return f, err
	}
	defer box.close(true)
	out, err := runIn(&Sandbox{policy: p, box: box}, exe, b)
	if err != nil {
		return f, err
	}
	return readCanary(out, mode)
}

// runIn starts the canary, reads all it says and ends its tree.
func runIn(s *Sandbox, exe string, b bait) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	c := Command{Path: exe, Argv: b.args(), Stdout: w, Env: []string{"HOME=" + s.box.home(), "TMPDIR=" + s.box.tmp()}}
	for _, f := range []struct {
		to   **os.File
		path string
	}{{&c.Dir, b.inside}, {&c.Stdin, os.DevNull}, {&c.Stderr, os.DevNull}} {
		if *f.to, err = os.OpenFile(f.path, os.O_RDONLY, 0); err != nil {
			c.close()
			return "", err
		}
	}
	p, err := s.Start(context.Background(), c)
	if err != nil {
		return "", err
	}
	st, werr := p.Wait()
	_, eerr := p.End(false)
	if werr != nil {
		return "", werr
	}
	if eerr != nil && !errors.Is(eerr, errStillThere) {
		return "", eerr
	}
	if st.Code != 0 {
		return "", fmt.Errorf("the self-test's canary ended with code %d, signal %d", st.Code, st.Signal)
	}
	_ = r.SetReadDeadline(time.Now().Add(2 * time.Second)) // a daemon that was not ended has the other end
	out, err := io.ReadAll(r)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
	}
	return string(out), err
}

// refusals are the errors by which the kernel says no. Any other means that the
// attempt proved nothing.
var refusals = []syscall.Errno{unix.EPERM, unix.EACCES, unix.ENOTSUP}

func readCanary(out string, mode Mode) (facts, error) {
	f := facts{rung: RungSeatbelt, backend: []string{backendSeatbelt}, refused: map[string]bool{}}
	sc := bufio.NewScanner(strings.NewReader(out))
	for sc.Scan() {
		name, value, _ := strings.Cut(sc.Text(), " ")
		n, err := strconv.Atoi(value)
		if err != nil {
			return f, fmt.Errorf("the self-test's canary said %q", sc.Text())
		}
		if name == "daemon" || name == attemptOrphan {
			f.refused[name] = n > 0 && ended(n) // it has told its number: End must have ended it
			continue
		}
		f.refused[name] = slices.Contains(refusals, syscall.Errno(n))
	}
	return f.inWorkspace(mode)
}

// ended says that a process of the canary's is gone, and sees to it.
func ended(pid int) bool {
	for until := time.Now().Add(time.Second); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
		if err != nil || k.Proc.P_stat == zombieState {
			return true
		}
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	return false
}

func kernelRelease() string {
	release, err := unix.Sysctl("kern.osrelease")
	if err != nil {
		return ""
	}
	return release
}

// machineKey changes whenever an old self-test could be wrong: another boot, system,
// program or user.
func machineKey() string {
	boot, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	version, err := unix.Sysctl("kern.osversion")
	if err != nil {
		return ""
	}
	exe, err := ownProgram()
	if err != nil {
		return ""
	}
	var st unix.Stat_t
	if err := unix.Stat(exe, &st); err != nil {
		return ""
	}
	return fmt.Sprintf("%s %s %d %d %d %d %d", boot, version, st.Dev, st.Ino, st.Size, st.Mtim.Nano(), os.Geteuid())
}
