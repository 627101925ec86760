package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/sandbox/canary"
	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

// The self-test runs one canary per mode, each in a real sandbox with the network denied
// and reads private.

// runCanaries tries a rung in some modes at once. Its error is that the control group
// can't be divided, or that descriptors ran out; it is not about the rung.
func runCanaries(o Options, rung string, modes []Mode) ([]assess.Facts, error) {
	found, errs := make([]assess.Facts, len(modes)), make([]error, len(modes))
	var wg conc.WaitGroup
	for i, mode := range modes {
		wg.Go(func() { found[i], errs[i] = runCanary(o, rung, mode) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// runCanary reports a failure as facts.
func runCanary(o Options, rung string, mode Mode) (assess.Facts, error) {
	if m := lacks(rung); m != nil {
		return assess.Facts{Rung: rung, Failure: m}, nil
	}
	f, err := tryCanary(o, rung, mode)
	switch {
	case errors.Is(err, limits.ErrGroup), outOfDescriptors(err):
		return assess.Facts{}, err
	case err != nil:
		return assess.Facts{Rung: rung, Failure: &Missing{Feature: rungNeeds[rung], Reason: err.Error(), Hint: hint(rung)}}, nil
	}
	return f, nil
}

func tryCanary(o Options, rung string, mode Mode) (f assess.Facts, err error) {
	// A locked directory like a sandbox's own: should we be killed now, the next
	// start sweeps it.
	dir, lock, err := newPrivateDir(sandboxBase(o))
	if err != nil {
		return f, err
	}
	var box *box
	var open []io.Closer
	defer o.tidy.Go(func() { // what was seen is seen: this is not waited for
		if box != nil {
			box.close(true)
		}
		for _, c := range open {
			_ = c.Close()
		}
		removePrivateDir(dir, lock)
	})
	b, open, err := canary.Lay(dir)
	if err != nil {
		return f, err
	}
	exe, err := proc.OwnProgram()
	if err != nil {
		return f, err
	}
	p := Policy{
		Mode: mode, Network: NetworkDeny, Reads: ReadsPrivate, Name: "self-test",
		Writable: []string{b.Inside}, Readable: []string{exe, filepath.Dir(b.File)},
	}
	o.pointed, o.views = nil, nil // no settings; and which git may be asked, only a workspace says
	if box, err = openBox(o, rung, p, nil); err != nil {
		return f, err
	}
	out, err := runIn(&Sandbox{policy: p, box: box}, exe, b.Inside, b.Args())
	if err != nil {
		return f, err
	}
	return box.readCanary(out, rung, mode)
}

// runIn starts the canary in a directory, reads all it says and ends its tree.
func runIn(s *Sandbox, exe, cwd string, argv []string) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	c := Command{Path: exe, Argv: argv, Stdout: w, Env: canaryEnv(s.box)}
	for _, f := range []struct {
		to   **os.File
		path string
		how  int
	}{{&c.Dir, cwd, os.O_RDONLY}, {&c.Stdin, os.DevNull, os.O_RDWR}, {&c.Stderr, os.DevNull, os.O_RDWR}} {
		if *f.to, err = os.OpenFile(f.path, f.how, 0); err != nil {
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
	if errors.Is(eerr, proc.ErrStillThere) {
		eerr = nil // the facts will say so
	}
	if err := errors.Join(werr, eerr); err != nil {
		return "", err
	}
	if st.Code != 0 {
		return "", fmt.Errorf("the self-test's canary ended with code %#x, signal %d", uint32(st.Code), st.Signal)
	}
	// A daemon that was not ended has the other end: that this ends shows that it is dead.
	_ = r.SetReadDeadline(time.Now().Add(5 * time.Second))
	out, err := io.ReadAll(r)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return string(out), nil
	}
	return string(out) + canary.Alone, err
}
