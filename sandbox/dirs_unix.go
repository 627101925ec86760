//go:build linux || darwin

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/inside"
)

// A sandbox's directory holds its private home and TMPDIR. Its flock lives in one open
// file description that the sidecar shares with every runner, so the lock is free exactly
// when all of them are gone; the last one removes it.

// ownDir makes a directory of ours that no other user can look into. One that was there
// and belongs to another user is refused: its owner could put another home under a
// command, or a link where the command's own is removed.
func ownDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return err
	}
	if st.Uid != uint32(os.Geteuid()) {
		return fmt.Errorf("%s belongs to user %d, not to you (%d); remove it or set XDG_STATE_HOME", dir, st.Uid, os.Geteuid())
	}
	if st.Mode&0o077 != 0 {
		return os.Chmod(dir, 0o700)
	}
	return nil
}

// newPrivateDir makes and locks a fresh directory below base. Until it is
// locked it carries a name the sweep leaves alone.
func newPrivateDir(base string) (string, *os.File, error) {
	if err := os.MkdirAll(base, 0o700); err != nil {
		return "", nil, err
	}
	fresh, err := os.MkdirTemp(base, inside.NewPrefix)
	if err != nil {
		return "", nil, err
	}
	dir, lock, err := settleIn(fresh)
	if err != nil { // for want of a descriptor, most likely, so this may need none
		for _, made := range []string{"home", "tmp", ""} {
			_ = os.Remove(filepath.Join(fresh, made))
		}
	}
	return dir, lock, err
}

// settleIn lays a fresh directory out, locks it and gives it its name.
func settleIn(fresh string) (string, *os.File, error) {
	dir := filepath.Join(filepath.Dir(fresh), strings.TrimPrefix(filepath.Base(fresh), inside.NewPrefix))
	for _, sub := range []string{"home", "tmp"} {
		if err := os.Mkdir(filepath.Join(fresh, sub), 0o700); err != nil {
			return "", nil, err
		}
	}
	lock, err := os.Open(fresh)
	if err != nil {
		return "", nil, err
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = lock.Close()
		return "", nil, err
	}
	if err := os.Rename(fresh, dir); err != nil {
		_ = lock.Close()
		return "", nil, err
	}
	return dir, lock, nil
}

func layLink(to, path string) error { return os.Symlink(to, path) }

// removeOwn removes the directory of a box whose runners have all ended and whose
// lock we gave up. A process we are starting for another box may still have every
// file of ours, this lock too: the kernel closes them a moment after fork has
// returned here, which on a busy machine can be long.
func removeOwn(dir string) {
	const most = time.Second
	for until := time.Now().Add(most); !inside.RemoveUnlocked(dir) && time.Now().Before(until); {
		time.Sleep(time.Millisecond)
	}
}

// sweep removes what a killed sidecar and its killed runners left.
func sweep(base string) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() {
			continue
		}
		if strings.HasPrefix(e.Name(), inside.NewPrefix) && time.Since(info.ModTime()) < time.Minute {
			continue // another sidecar is about to lock it
		}
		inside.RemoveUnlocked(filepath.Join(base, e.Name()))
	}
}
