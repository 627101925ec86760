package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A sandbox's directory holds its private home and TEMP, and the record of what was
// changed for it. The file lock in it is open, shared with nobody, as long as the
// sandbox lives: whoever can open it may undo and remove the rest.

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
	_ = sealProcess() // where it does not take, the self-test's canary gets through
	return sweep(sandboxBase(o))
}

// newPrivateDir makes and locks a fresh directory below base.
func newPrivateDir(base string) (string, *os.File, error) {
	dir, err := os.MkdirTemp(base, "")
	if err != nil {
		return "", nil, err
	}
	lock, err := lockAlone(filepath.Join(dir, lockName), windows.CREATE_NEW)
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

// lockAlone opens a file that nobody else can open meanwhile.
func lockAlone(path string, how uint32) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, how, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// layHome writes the files that a private home begins with. Links need a privilege
// that most users lack: a home without one is a home without that toolchain's
// settings.
func layHome(home string, files []HomeFile) error {
	for _, f := range files {
		path := filepath.Join(home, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		var err error
		if f.Link == "" {
			err = os.WriteFile(path, []byte(f.Text), 0o600)
		} else if err = os.Symlink(f.Link, path); errors.Is(err, windows.ERROR_PRIVILEGE_NOT_HELD) {
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func writeRecord(dir string, g grantRecord) error {
	f, err := os.OpenFile(filepath.Join(dir, recordName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(g.encode())
	return errors.Join(err, f.Sync(), f.Close())
}

// removePrivateDir takes back what was granted for it and removes it. Where that
// fails the directory stays, with its record, for the next start.
func removePrivateDir(dir string, lock *os.File) {
	err := undoRecord(dir)
	_ = lock.Close()
	if err == nil {
		removeTree(dir)
	}
}

// removeTree also removes what is read-only, as git's objects are, on file systems
// where RemoveAll can't. Nothing of a command runs any more, so that no link can be
// swapped in while it walks; WalkDir never follows one.
func removeTree(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	var dirs []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		switch {
		case d == nil:
		case d.IsDir():
			dirs = append(dirs, path)
		case os.Remove(path) != nil && d.Type().IsRegular():
			_ = os.Chmod(path, 0o600)
			_ = os.Remove(path)
		}
		return nil
	})
	for _, d := range slices.Backward(dirs) {
		_ = os.Remove(d)
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
	g, err := decodeGrants(b)
	if err != nil || len(g.roots) == 0 {
		return nil // cut off, so that nothing had been changed yet; or nothing was to be
	}
	alone, err := grantLock(filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer alone.Close()
	for _, root := range g.roots {
		if rerr := revoke(root, g.sid); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
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
		lock, err := lockAlone(filepath.Join(dir, lockName), windows.OPEN_EXISTING)
		switch {
		case err == nil:
			removePrivateDir(dir, lock)
		case errors.Is(err, fs.ErrNotExist) && time.Since(info.ModTime()) > time.Minute:
			removeTree(dir) // killed between making it and locking it
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

func totalMemory() int64 {
	// MEMORYSTATUSEX of sysinfoapi.h
	var m struct {
		length, load uint32
		total        uint64
		rest         [6]uint64
	}
	m.length = uint32(unsafe.Sizeof(m))
	if r, _, _ := procGlobalMemoryStatusEx.Call(uintptr(unsafe.Pointer(&m))); r == 0 {
		return 0
	}
	return int64(m.total)
}
