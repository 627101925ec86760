package caches

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	LockSuffix = ".lock" // of the file beside a directory, held while it is used
	GoneSuffix = ".gone" // of one that is being removed
	// trimmedFile has the time when all caches were last within the limit. Sizing
	// them up takes a second of a short command's time, so it is not done for each.
	trimmedFile = "trimmed"
	trimEvery   = time.Hour
)

// trim removes the caches that are too many. Those in use stay, and so does
// whatever of this is not done when the session ends: the next one goes on.
func (p *Pool) trim(ctx context.Context) {
	stamp := filepath.Join(p.dir, trimmedFile)
	if info, err := os.Stat(stamp); err == nil && time.Since(info.ModTime()) < trimEvery {
		return
	}
	all, err := measure(ctx, p.dir)
	if err != nil {
		p.log.Debug("caches not trimmed", "error", err)
		return
	}
	for _, key := range leastUsed(all, p.max) {
		if ctx.Err() == nil && RemoveUnused(ctx, p.Path(key)) {
			p.log.Info("caches removed: too many bytes in all workspaces' together", "directory", p.Path(key))
		}
	}
	if ctx.Err() == nil {
		_ = os.WriteFile(stamp, nil, 0o600)
	}
}

// measure sizes every workspace's caches up, and goes on with removals that were
// interrupted.
func measure(ctx context.Context, dir string) (all []use, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), GoneSuffix) {
			ClearAway(ctx, filepath.Join(dir, e.Name()))
		}
		key, isLock := strings.CutSuffix(e.Name(), LockSuffix)
		info, err := e.Info()
		if !isLock || err != nil {
			continue
		}
		bytes, err := bytesBelow(ctx, filepath.Join(dir, key))
		if err != nil {
			return nil, err
		}
		changed, err := bytesBelow(ctx, filepath.Join(dir, key+viewsSuffix))
		if err != nil {
			return nil, err
		}
		all = append(all, use{key: key, used: info.ModTime(), bytes: bytes + changed})
	}
	return all, ctx.Err()
}

// bytesBelow adds the files of dir up. A command may be changing them meanwhile.
func bytesBelow(ctx context.Context, dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, _ error) error {
		if e == nil || e.IsDir() {
			return ctx.Err()
		}
		if info, err := e.Info(); err == nil {
			total += info.Size()
		}
		return nil
	})
	return total, err
}

// RemoveUnused removes a directory whose lock is free. It is gone at once, under its name:
// half of a module cache would be worse than none.
func RemoveUnused(ctx context.Context, path string) bool {
	lock, err := soleLock(path + LockSuffix)
	if err != nil {
		return false
	}
	paths := []string{path + viewsSuffix, path}
	for _, p := range paths {
		ClearAway(ctx, p+GoneSuffix)
		if rerr := os.Rename(p, p+GoneSuffix); !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	if err == nil {
		err = os.Remove(lock.Name())
	}
	if err = errors.Join(err, lock.Close()); err != nil {
		return false
	}
	for _, p := range paths {
		ClearAway(ctx, p+GoneSuffix)
	}
	return true
}

// ClearAway removes a tree in pieces that are small enough to stop between them: the
// end of a session waits for this.
func ClearAway(ctx context.Context, dir string) {
	openUp(dir, 1)
	tools, _ := os.ReadDir(dir)
	for _, t := range tools {
		if !t.IsDir() { // a link is not followed
			continue
		}
		pieces, _ := os.ReadDir(filepath.Join(dir, t.Name()))
		for _, p := range pieces {
			if ctx.Err() != nil {
				return
			}
			Wipe(filepath.Join(dir, t.Name(), p.Name()))
		}
	}
	if ctx.Err() == nil {
		Wipe(dir)
	}
}

// Wipe removes path and everything below it, also what a tool made unwritable.
func Wipe(path string) {
	if os.RemoveAll(path) == nil {
		return
	}
	openUp(path, -1)
	_ = os.RemoveAll(path)
}

// openUp lets directories be emptied that a tool made unwritable, as go does in
// its module cache, so many levels down. The root keeps a link that a command left
// from leading out.
func openUp(path string, levels int) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, _ error) error {
		if e == nil || !e.IsDir() {
			return nil
		}
		_ = root.Chmod(name, 0o700)
		if name != "." && levels >= 0 && strings.Count(name, "/")+1 >= levels {
			return fs.SkipDir
		}
		return nil
	})
}
