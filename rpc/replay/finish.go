package replay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// killGrace is how long a killed process may take to leave /proc: the kernel does that on
// its own time, and a machine may stall.
const killGrace = 10 * time.Second

// finish ends the sidecar in an orderly way if the script did not, and looks
// at what it left.
func (r *run) finish(ctx context.Context) error {
	if r.ended {
		return nil
	}
	r.client.Resume()
	want := "0"
	if r.s.NoInit {
		want = "1"
		_ = r.client.Notify("exit", nil) // its stdin may be closed already
	} else {
		m, err := r.client.Call(ctx, "shutdown", nil)
		if err != nil {
			return fmt.Errorf("shutdown: %w", err)
		}
		if m.Error != nil {
			return errors.New("shutdown: " + short(m.Raw))
		}
		if err := r.client.Notify("exit", nil); err != nil {
			return err
		}
	}
	return exit(ctx, r, []string{want})
}

// inspect is called once the sidecar has ended.
func (r *run) inspect(ctx context.Context) error {
	err := r.client.inbox.wait(ctx, r.client.inbox.len(), func(*Message) (bool, error) { return false, nil })
	if !errors.Is(err, errEnded) {
		return fmt.Errorf("stdout is still open: %w", err)
	}
	r.client.watch.finish()
	if v := r.client.Violations(); len(v) > 0 {
		return errors.New(strings.Join(v, "\n"))
	}
	if err := r.treesGone(ctx); err != nil {
		return err
	}
	if err := r.dirsClean(ctx); err != nil {
		return err
	}
	if log := r.client.peer.Stderr(); strings.Contains(log, "WARNING: DATA RACE") {
		return errors.New("the race detector spoke")
	}
	return nil
}

// treesGone checks O9.
func (r *run) treesGone(ctx context.Context) error {
	var left []string
	ctx, cancel := context.WithTimeout(ctx, killGrace)
	defer cancel()
	err := poll(ctx, func() bool {
		left = mentioning(r.d.Root)
		for _, pid := range r.client.watch.started() {
			if pid > 0 && alive(pid) {
				left = append(left, fmt.Sprintf("%d (told in started)", pid))
			}
		}
		return len(left) == 0
	})
	if err != nil {
		return fmt.Errorf("O9: alive after the sidecar's end: %s", strings.Join(left, "; "))
	}
	return nil
}

// dirsClean gives the last of the sandbox's helpers the time to remove their
// directory: they may outlive the sidecar by a moment when that was killed.
func (r *run) dirsClean(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, killGrace)
	defer cancel()
	var left []string
	if err := poll(ctx, func() bool { left = leftovers(r.d); return len(left) == 0 }); err != nil {
		return fmt.Errorf("left behind: %s", strings.Join(left, ", "))
	}
	return nil
}

// leftovers are files in the sidecar's private directories, and directories
// there that it made for one run only.
func leftovers(d Dirs) []string {
	var out []string
	for _, dir := range []string{d.Cache, d.State, d.Tmp, d.Home} {
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.Name() == "self-test" { // its outcome is kept for the next start
				return nil
			}
			rel, _ := filepath.Rel(d.Root, path)
			switch rel {
			case filepath.Join("state", "pillion", "caches"), // the toolchains' caches: they are for the next command
				filepath.Join("state", "pillion", "journal"), // so that what commands changed can be undone
				filepath.Join("state", "pillion", "audit"):   // the log outlives the session
				return filepath.SkipDir
			}
			if !e.IsDir() || strings.ContainsAny(filepath.Base(rel), "0123456789") {
				out = append(out, rel)
			}
			return nil
		})
	}
	return out
}
