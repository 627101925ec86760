package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

const (
	maxAuditBytes = 8 << 20 // of one file
	maxAuditFiles = 5       // the one written to, and older ones

	// Name is that of the file that is written to.
	Name = "audit.jsonl"
)

// logFile appends lines to a file that other sidecars append to as well: each
// line is one write to a file opened for appending, which the kernel keeps whole.
// It is not buffered, so a line is there even if the sidecar is killed.
type logFile struct {
	dir    string
	size   int64 // of a file, before the next one is begun
	failed func(error)

	mu     sync.Mutex
	f      *os.File
	info   fs.FileInfo // of f: the file at its name may be another one by now
	torn   bool        // the last write was cut short
	closed bool

	written, lost int64
}

// newFile makes nothing yet. failed gets the first line that is lost.
func newFile(dir string, failed func(error)) *logFile {
	return &logFile{dir: dir, size: maxAuditBytes, failed: failed}
}

// append writes a line; the caller holds mu.
func (a *logFile) append(line []byte) {
	if err := a.ready(int64(len(line))); err != nil {
		a.lose(err)
		return
	}
	if a.torn { // so that only the line that was cut is spoiled
		line = append([]byte{'\n'}, line...)
	}
	n, err := a.f.Write(line)
	a.torn = n > 0 && n < len(line) || a.torn && n == 0
	if err != nil {
		a.lose(err)
		return
	}
	a.written++
}

// lose counts a line; the caller holds mu.
func (a *logFile) lose(err error) {
	if a.lost++; a.lost == 1 {
		a.failed(err)
	}
}

// ready opens the file, or the next one if n bytes more are too many or another
// sidecar has begun it.
func (a *logFile) ready(n int64) error {
	if a.closed {
		return fs.ErrClosed
	}
	path := filepath.Join(a.dir, Name)
	now, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return a.open(path)
	case err != nil:
		return err
	case !now.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file; move it away", path)
	case now.Size()+n > a.size:
		if err := a.rotate(path, now); err != nil {
			return err
		}
		return a.open(path)
	case a.f == nil || !os.SameFile(now, a.info):
		return a.open(path)
	}
	return nil
}

func (a *logFile) open(path string) error {
	if err := a.private(); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	a.release()
	a.f, a.info, a.torn = f, info, false
	return nil
}

// private makes the directory, and keeps others out of one that was there.
func (a *logFile) private() error {
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(a.dir)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(a.dir, 0o700)
}

// rotate moves the full file out of the way. One sidecar does, the others go on
// writing to it meanwhile; a line that is on its way then is in the older file.
func (a *logFile) rotate(path string, full fs.FileInfo) error {
	lock, err := soleLock(filepath.Join(a.dir, "lock"))
	if err != nil {
		if full.Size() > 2*a.size { // the lock's holder does not rotate
			return fmt.Errorf("%s is full and can't be moved: %w", path, err)
		}
		return nil
	}
	defer lock.Close()
	if now, err := os.Lstat(path); err != nil || !os.SameFile(now, full) {
		return nil // it was done while we came
	}
	for i := maxAuditFiles - 1; i > 0; i-- {
		older := a.numbered(i - 1)
		if err := os.Rename(older, a.numbered(i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// numbered are the file written to and, from 1, the older ones.
func (a *logFile) numbered(i int) string {
	if i == 0 {
		return filepath.Join(a.dir, Name)
	}
	return filepath.Join(a.dir, fmt.Sprintf("audit.%d.jsonl", i))
}

func (a *logFile) release() {
	if a.f != nil {
		_ = a.f.Close()
		a.f = nil
	}
}

func (a *logFile) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	a.release()
}

// counts are the lines written and lost so far.
func (a *logFile) counts() (written, lost int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.written, a.lost
}
