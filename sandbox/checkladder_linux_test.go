package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/users"
)

// TestEveryLauncherGivesItsRung takes layers away and looks at what is left: the
// rung that the report names, and either a sandbox that refuses, or a refusal
// that names what is missing. Never a weaker run.
func TestEveryLauncherGivesItsRung(t *testing.T) {
	if name := os.Getenv("PILLION_TEST_LAUNCHER"); name != "" {
		i := slices.IndexFunc(launchers, func(l launcher) bool { return l.name == name })
		standsOn(t, launchers[i])
		return
	}
	for _, uid := range users.All() {
		for _, l := range launchers {
			users.Later(t, behind(uid, l))
		}
	}
}

func standsOn(t *testing.T, l launcher) {
	b := newBench(t)
	if got := b.m.Tested().Rung; got != l.expected() {
		t.Fatalf("rung %q, want %q", got, l.expected())
	}
	said := fmt.Sprintf("%+v", b.m.Tested().Degraded)
	for _, layer := range l.lost {
		if !strings.Contains(strings.ToLower(said), layer) {
			t.Errorf("the report does not name %s: %s", layer, said)
		}
	}
	must(t, os.WriteFile(filepath.Join(b.out, "keep"), []byte("keep"), 0o644))
	offIsAsReported(t, b, l)
	if l.expected() != RungNone {
		if o := b.sh("echo ok; cat $OUT/keep || echo x >> $OUT/keep || kill -0 $HOSTPID"); o.status.Code == 0 || !strings.HasPrefix(o.out, "ok\n") {
			t.Errorf("%+v", o)
		}
		return
	}
	for _, require := range []Require{"", RequireEnforced, RequireBestEffort} {
		for _, mode := range []Mode{ReadOnly, WorkspaceWrite} {
			p := b.policy
			p.Require, p.Mode = require, mode
			_, err := b.m.Sandbox(p)
			refusesFor(t, err, l.lost)
		}
	}
}

// offIsAsReported holds mode off to the same: where the report offers it, it runs and
// owns what it started; else it is refused by name.
func offIsAsReported(t *testing.T, b *bench, l launcher) {
	t.Helper()
	off := *b
	off.policy.Mode = Off
	if got := b.m.Tested().Modes[Off].Available; got == l.nothing {
		t.Fatalf("mode off is available: %v", got)
	}
	if l.nothing {
		_, err := b.m.Sandbox(off.policy)
		refusesFor(t, err, l.lost)
		return
	}
	if o := off.sh("cat $OUT/keep; setsid sleep 60 >&- 2>&- & :"); o.status.Code != 0 || o.out != "keep" || len(o.left) != 1 {
		t.Errorf("%+v", o)
	}
}

func refusesFor(t *testing.T, err error, lost []string) {
	t.Helper()
	var refusal *UnavailableError
	if !errors.As(err, &refusal) {
		t.Fatalf("%v, want an UnavailableError", err)
	}
	for _, layer := range lost {
		if layer == "namespaces" && !slices.Contains(built, RungFull) {
			continue // nobody would have used them
		}
		if !strings.Contains(strings.ToLower(err.Error()), layer) {
			t.Errorf("%v; it does not name %s", err, layer)
		}
	}
}

// A directory for temporary files that belongs to another user, writable for others or
// not, is not used by the sandbox.
func TestATemporaryDirectoryOfSomebodyElseChangesNothing(t *testing.T) {
	onEveryRung(t, func(t *testing.T, _ string) {
		b := newBench(t)
		for _, dir := range []string{os.Getenv("PILLION_TEST_FOREIGN"), "/proc/1", "/nonexistent"} {
			t.Setenv("TMPDIR", dir)
			m, err := Open(Options{StateDir: filepath.Join(filepath.Dir(b.ws), "again")})
			must(t, err)
			b.m = m
			if o := b.sh("f=$(mktemp) && echo x > $f && cat $f && ! echo x > $OUT/new"); o.status.Code != 0 || !strings.HasPrefix(o.out, "x\n") {
				t.Errorf("TMPDIR %s: %+v", dir, o)
			}
			m.Close()
		}
	})
}

// The owner of the state directory could lay another home under a command.
func TestAStateDirectoryOfSomebodyElseIsRefused(t *testing.T) {
	onHost(t, func(t *testing.T) {
		foreign := "/usr/local" // root's
		if os.Getuid() == 0 {
			foreign = os.Getenv("PILLION_TEST_FOREIGN") // no user's
		}
		m, err := Open(Options{StateDir: foreign})
		var setup *SetupError
		if !errors.As(err, &setup) || setup.Stage != "state directory" || !strings.Contains(err.Error(), "belongs to user") {
			t.Errorf("%v", err)
		}
		if err == nil {
			m.Close()
		}
	})
}

func TestAStateDirectoryIsMadePrivate(t *testing.T) {
	onHost(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "state")
		must(t, os.Mkdir(dir, 0o755))
		must(t, os.Chmod(dir, 0o777))
		m, err := Open(Options{StateDir: dir})
		must(t, err)
		defer m.Close()
		st, err := os.Stat(dir)
		must(t, err)
		if st.Mode().Perm() != 0o700 {
			t.Errorf("mode %v", st.Mode())
		}
	})
}

// A socket's address holds 107 bytes: what a longer path leads to is tried all the same.
func TestADeepStateDirectoryIsTestedAsWell(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		m, err := Open(Options{StateDir: filepath.Join(filepath.Dir(b.ws), strings.Repeat("deep", 20))})
		must(t, err)
		defer m.Close()
		for mode, e := range m.Report().Modes {
			if mode != Off && e.IPC != LevelEnforced {
				t.Errorf("%s: %+v", mode, e)
			}
		}
	})
}
