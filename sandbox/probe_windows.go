package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// probe runs the self-test: from the strongest rung down, one canary per mode, each
// in a real sandbox, until one rung's could run at all. What got through shows in the
// levels; a version number proves nothing. Mode off is known by the same canaries,
// so all modes are tried, always.
func probe(o Options, _ []Mode) survey {
	s := survey{rung: RungNone, facts: map[Mode]facts{}}
	for _, rung := range windowsRungs {
		ro, rw := runCanary(o, rung, ReadOnly), runCanary(o, rung, WorkspaceWrite)
		s.facts[ReadOnly], s.facts[WorkspaceWrite], s.facts[Off] = ro, rw, offFacts(rw)
		if ro.failure == nil && rw.failure == nil {
			s.rung, s.missed = rung, append(s.missed, windowsLacks...)
			return s
		}
		for _, f := range []facts{ro, rw} {
			if f.failure != nil {
				s.missed = append(s.missed, *f.failure)
			}
		}
	}
	s.fail(canaryModes, noRung(s.missed))
	return s
}

// runCanary tells a failure as facts.
func runCanary(o Options, rung string, mode Mode) facts {
	f, err := tryCanary(o, rung, mode)
	if err != nil {
		return facts{rung: rung, failure: &Missing{
			Feature: rungNeeds[rung], Reason: fmt.Sprintf("in mode %s: %v", mode, err),
			Hint: "policies of this machine (AppLocker, an antivirus program) may keep programs from starting with fewer rights",
		}}
	}
	return f
}

func tryCanary(o Options, rung string, mode Mode) (facts, error) {
	// A locked directory like a sandbox's own: should we be killed now, the next start
	// sweeps it.
	dir, lock, err := newPrivateDir(sandboxBase(o))
	if err != nil {
		return facts{}, err
	}
	defer removePrivateDir(dir, lock)
	b, open, err := layBait(dir)
	defer func() {
		for _, c := range open {
			_ = c.Close()
		}
	}()
	if err != nil {
		return facts{}, err
	}
	p := Policy{
		Mode: mode, Network: NetworkDeny, Reads: ReadsPrivate, Require: RequireBestEffort, Writable: []string{b.inside}, Name: "self-test",
	}
	box, err := openBox(o, rung, p, nil)
	if err != nil {
		return facts{}, err
	}
	defer box.close(true)
	out, err := runIn(&Sandbox{policy: p, box: box}, b)
	if err != nil {
		return facts{}, err
	}
	return readWindowsCanary(out, rung, mode, box.nested)
}

// runIn starts the canary, reads all it says and ends its tree. The daemon it leaves
// holds the other end of the pipe: the end of that shows that it is dead.
func runIn(s *Sandbox, b bait) (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	c := Command{Path: exe, Argv: b.args(), Env: minimalEnv(s.box)}
	if c.Dir, err = os.Open(b.inside); err != nil {
		return "", err
	}
	r, err := c.quiet()
	if err != nil {
		c.close()
		return "", err
	}
	defer r.Close()
	p, err := s.Start(context.Background(), c)
	if err != nil {
		return "", err
	}
	st, werr := p.Wait()
	_, eerr := p.End(false)
	if err := errors.Join(werr, eerr); err != nil {
		return "", err
	}
	if st.Code != 0 {
		return "", fmt.Errorf("the self-test's canary ended with code %#x", uint32(st.Code))
	}
	out, err := io.ReadAll(r)
	return string(out) + windowsAlone, err
}

// quiet gives a command the null device and a pipe for its output.
func (c *Command) quiet() (r *os.File, err error) {
	if c.Stdin, err = os.OpenFile(os.DevNull, os.O_RDWR, 0); err != nil {
		return nil, err
	}
	if c.Stderr, err = os.OpenFile(os.DevNull, os.O_RDWR, 0); err != nil {
		return nil, err
	}
	r, c.Stdout, err = os.Pipe()
	return r, err
}

// minimalEnv is what every program of Windows needs to find its libraries, and the
// private home.
func minimalEnv(b *box) []string {
	root := os.Getenv("SystemRoot")
	return []string{
		"SystemRoot=" + root, "windir=" + root, "PATH=" + root + `\System32;` + root,
		"USERPROFILE=" + b.home(), "TEMP=" + b.tmp(), "TMP=" + b.tmp(),
	}
}
