package sandbox

import (
	"os"
	"path/filepath"
	"time"

	"github.com/sourcegraph/conc"
)

// box is one sandbox on macOS: a private directory, the profile that each of its
// commands is started with, and a keeper that outlives us by a moment.
type box struct {
	belt seatbelt
	dir  string
	exe  string
	lock *os.File

	occupancy
	keeper  *keeperProc
	running map[*Process]struct{} // until End
	left    map[*Process]struct{} // what commands left on purpose
	names   int                   // commands so far

	egress *egress // nil unless the network is a proxy's
	ending conc.WaitGroup
}

func prepare(o Options) error {
	for _, dir := range []string{o.StateDir, sandboxBase(o)} {
		if err := ownDir(dir); err != nil {
			return err
		}
	}
	sweep(sandboxBase(o))
	return nil
}

func sandboxBase(o Options) string { return filepath.Join(o.StateDir, "sandboxes") }

// openBox makes a sandbox. Nothing of it needs the janitor: it has no processes of
// its own but the keeper, which sleeps.
func openBox(o Options, _ string, p Policy, _ func(time.Time)) (*box, error) {
	base, err := filepath.EvalSymlinks(sandboxBase(o)) // /tmp and /var are links
	if err != nil {
		return nil, &SetupError{Stage: "private directory", Err: err}
	}
	dir, lock, err := newPrivateDir(base)
	if err != nil {
		return nil, &SetupError{Stage: "private directory", Err: err}
	}
	b := &box{dir: dir, lock: lock, running: map[*Process]struct{}{}, left: map[*Process]struct{}{}}
	b.open()
	if stage, err := b.build(o, p); err != nil {
		b.close(true)
		return nil, &SetupError{Stage: stage, Err: err}
	}
	return b, nil
}

func (b *box) build(o Options, p Policy) (stage string, err error) {
	p.Limits = p.Limits.or(DefaultLimits())
	if b.exe, err = ownProgram(); err != nil {
		return "program", err
	}
	if b.belt, err = layBelt(o, p, b.dir, b.exe); err != nil {
		return "policy", err
	}
	if err := layMarks(b.dir); err != nil {
		return "marks", err
	}
	if err := layHome(b.belt.home, p.HomeFiles); err != nil {
		return "private home", err
	}
	if b.confined() && p.Network == NetworkProxy {
		if b.egress, err = newEgress(); err != nil {
			return "egress", err
		}
		b.belt.port = b.egress.port()
		b.ending.Go(b.egress.pump)
	}
	if b.keeper, err = startKeeper(b.exe, b.dir, b.confined(), b.lock); err != nil {
		return "keeper", err
	}
	return "", nil
}

// layMarks makes the files by which the sandbox's processes are known.
func layMarks(dir string) error {
	for _, f := range []string{boxMark, noMark} {
		if err := os.WriteFile(filepath.Join(dir, f), nil, 0o600); err != nil {
			return err
		}
	}
	return os.Mkdir(filepath.Join(dir, marksIn), 0o700)
}

func (b *box) confined() bool { return b.belt.policy.Mode != Off }

func (b *box) home() string {
	if b.confined() {
		return b.belt.home
	}
	return ""
}

func (b *box) tmp() string {
	if b.confined() {
		return b.belt.tmp
	}
	return ""
}

func (b *box) outputs() string { return b.belt.policy.Outputs }

// unhold notes that a command uses the box no more, or whoever held it.
func (b *box) unhold() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rest()
}

func (*box) tidy(time.Time) time.Time { return time.Time{} }
