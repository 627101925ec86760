package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/conc"
	"golang.org/x/sys/unix"
)

// probe runs the self-test: from the strongest rung down, one canary per mode,
// each in a real sandbox with the network denied and reads private, until all get
// what they must. A version number proves nothing.
func probe(o Options, modes []Mode) survey {
	o.group = findGroup()
	s, err := climb(o, modes)
	if errors.Is(err, errGroup) {
		o.group = ""
		s, err = climb(o, modes)
	}
	if err != nil { // nothing is known of the rungs: none is chosen for want of descriptors
		s.scarce = err
		s.fail(modes, &Missing{Feature: "self-test", Reason: err.Error(), Hint: "close files, or raise their limit (ulimit -n)"})
	}
	s.group = o.group
	return s
}

// climb does so, with one control group for all of it or none. Its error is that
// the group can't be divided, or that descriptors ran out.
func climb(o Options, modes []Mode) (survey, error) {
	s := survey{rung: RungNone, facts: map[Mode]facts{Off: {backend: []string{"subreaper"}}}}
	for _, rung := range []string{RungFull, RungNoUserns, RungNoLandlock} {
		found, errs := make([]facts, len(modes)), make([]error, len(modes))
		var wg conc.WaitGroup
		for i, mode := range modes {
			wg.Go(func() { found[i], errs[i] = runCanary(o, rung, mode) })
		}
		wg.Wait()
		if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
			return s, errs[i]
		}
		for i, mode := range modes {
			s.facts[mode] = found[i]
		}
		short := shortfall(rung, found...)
		if short == nil {
			s.rung = rung
			return s, nil
		}
		s.missed = append(s.missed, *short)
	}
	s.fail(modes, noRung(s.missed))
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
	case errors.Is(err, errGroup), scarce(err):
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
	var box *box
	var open []interface{ Close() error }
	defer o.tidy.Go(func() { // what was seen is seen: nobody waits for this
		if box != nil {
			box.close(true)
		}
		for _, c := range append(open, lock) {
			_ = c.Close()
		}
		removeTree(dir)
	})
	inside := filepath.Join(dir, "workspace")
	if err := os.Mkdir(inside, 0o700); err != nil {
		return facts{}, err
	}
	b, open, err := layBait(dir)
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
	if box, err = openBox(o, rung, p, nil); err != nil {
		return facts{}, err
	}
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
