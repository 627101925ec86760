package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/windows"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/wintoken"
)

// A sandbox's directory holds its private home and TEMP, and the record of what was
// changed for it. The file lock in it is open, shared with no other process, as long as
// the sandbox lives: a process that can open it may undo and remove the rest.

const (
	lockName   = "lock"
	recordName = "grants"
)

func sandboxBase(o Options) string { return filepath.Join(o.StateDir, "sandboxes") }

func prepare(o Options) error {
	for _, dir := range []string{o.StateDir, sandboxBase(o)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	_ = wintoken.SealProcess() // where it does not take, the self-test's canary gets through
	return sweep(sandboxBase(o))
}

// newPrivateDir makes and locks a fresh directory below base.
func newPrivateDir(base string) (string, *os.File, error) {
	dir, err := os.MkdirTemp(base, "")
	if err != nil {
		return "", nil, err
	}
	lock, err := wintoken.LockAlone(filepath.Join(dir, lockName), windows.CREATE_NEW)
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	for _, sub := range []string{"home", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			return "", nil, errors.Join(err, lock.Close(), os.RemoveAll(dir))
		}
	}
	return dir, lock, nil
}

// layLink needs a privilege that most users lack: a home without a link is a home without
// that toolchain's settings.
func layLink(to, path string) error {
	if err := os.Symlink(to, path); !errors.Is(err, windows.ERROR_PRIVILEGE_NOT_HELD) {
		return err
	}
	return nil
}

func writeRecord(dir string, g wintoken.Record) error {
	f, err := os.OpenFile(filepath.Join(dir, recordName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(g.Encode())
	return errors.Join(err, f.Sync(), f.Close())
}

// removePrivateDir takes back what was granted for it and removes it. Where that
// fails the directory stays, with its record, for the next start.
func removePrivateDir(dir string, lock *os.File) {
	err := undoRecord(dir)
	_ = lock.Close()
	if err == nil {
		files.RemoveTree(dir)
	}
}

func undoRecord(dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, recordName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing had been changed yet
	}
	if err != nil {
		return err
	}
	g, err := wintoken.DecodeRecord(b)
	if err != nil || len(g.Roots) == 0 {
		return nil // cut off, so that nothing had been changed yet; or nothing was to be
	}
	alone, err := wintoken.LockGrants(filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer alone.Close()
	for _, root := range g.Roots {
		if rerr := wintoken.Revoke(root, g.SID); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("access rules of %s: %w", root, rerr))
		}
	}
	return err
}

// sweep does so for killed sidecars. Nothing of theirs runs: their jobs ended with
// them.
func sweep(base string) error {
	entries, err := os.ReadDir(base)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() {
			continue
		}
		dir := filepath.Join(base, e.Name())
		lock, err := wintoken.LockAlone(filepath.Join(dir, lockName), windows.OPEN_EXISTING)
		switch {
		case err == nil:
			removePrivateDir(dir, lock)
		case errors.Is(err, fs.ErrNotExist) && time.Since(info.ModTime()) > time.Minute:
			files.RemoveTree(dir) // killed between making it and locking it
		}
	}
	return nil
}

// programStamp identifies this very program file.
func programStamp() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(exe)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%q %d %d", strings.ToLower(exe), info.Size(), info.ModTime().UnixNano()), nil
}
