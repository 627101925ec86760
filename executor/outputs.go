package executor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/executor/caches"
	"github.com/pillion-sidecar/pillion/executor/spool"
	"github.com/pillion-sidecar/pillion/workspace"
)

// outputs is the directory of one session's saved outputs. Commands read it and can't
// change it (sandbox.Policy.Outputs). Beside it is a file of its name and ".lock", as
// beside caches: a process that can lock that alone removes both.
type outputs struct {
	dir string // "" for none
	log *slog.Logger

	mu     sync.Mutex
	root   *os.Root // nil until it is there
	lock   *os.File
	closed bool
	stop   context.CancelFunc
	work   conc.WaitGroup
}

func newOutputs(base string, log *slog.Logger) *outputs {
	o := &outputs{log: log}
	if base != "" {
		up, _ := workspace.Resolve(nil, filepath.Dir(base), string(filepath.Separator))
		o.dir = filepath.Join(up, filepath.Base(base), rand.Text())
	}
	return o
}

// open makes the directory: a sandbox shows what was there when it was made. The
// first time it begins to remove what killed sidecars have left.
func (o *outputs) open() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.dir == "" || o.root != nil:
		return nil
	case o.closed:
		return errors.New("the saved outputs are closed")
	}
	base := filepath.Dir(o.dir)
	if err := os.MkdirAll(base, 0o700); err != nil {
		return err
	}
	// A link here could have outputs kept where commands may write.
	if info, err := os.Lstat(base); err != nil || !info.IsDir() {
		return errors.Join(err, fmt.Errorf("%s must be a directory, not a link or a file; remove it", base))
	}
	lock, err := caches.ShareLock(o.dir + caches.LockSuffix)
	if err != nil {
		return err
	}
	if err = os.Mkdir(o.dir, 0o700); err == nil {
		// An output that can't be opened now, for want of descriptors, is made anew the
		// next time.
		if o.root, err = os.OpenRoot(o.dir); err != nil {
			err = errors.Join(err, os.Remove(o.dir))
		}
	}
	if err != nil {
		return errors.Join(err, lock.Close())
	}
	var ctx context.Context
	ctx, o.stop = context.WithCancel(context.Background())
	o.lock = lock
	o.work.Go(func() { o.sweep(ctx, base) })
	return nil
}

// sweep removes the directories of sessions that have ended without doing so.
func (o *outputs) sweep(ctx context.Context, base string) {
	entries, _ := os.ReadDir(base)
	for _, e := range entries {
		path := filepath.Join(base, e.Name())
		if strings.HasSuffix(path, caches.GoneSuffix) {
			caches.ClearAway(ctx, path)
		}
		if left, isLock := strings.CutSuffix(path, caches.LockSuffix); isLock && ctx.Err() == nil && caches.RemoveUnused(ctx, left) {
			o.log.Info("saved outputs of a session that was killed are removed", "directory", left)
		}
	}
}

// publish makes size bytes of f a file that can only be read. It is there whole or not at
// all. It returns f, or what takes f's place.
func (o *outputs) publish(f *os.File, size int64, name string) (*os.File, error) {
	o.mu.Lock()
	root := o.root
	o.mu.Unlock()
	if root == nil {
		return f, errors.New("there is no directory for it")
	}
	if f != nil && spool.LinksOpenFiles && f.Chmod(0o400) == nil && spool.LinkFile(f, filepath.Join(o.dir, name)) == nil {
		return f, nil
	}
	return o.copy(root, f, size, name)
}

// copy is for files that can't be given a name. Names of saved outputs don't begin
// with a dot.
func (o *outputs) copy(root *os.Root, f *os.File, size int64, name string) (*os.File, error) {
	part := ".part-" + name
	out, err := root.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o400)
	if err != nil {
		return f, err
	}
	if f != nil {
		_, err = io.Copy(out, io.NewSectionReader(f, 0, size))
	}
	if err == nil {
		err = root.Rename(part, name)
	}
	if err != nil {
		return f, errors.Join(err, out.Close(), root.Remove(part))
	}
	if f == nil { // nothing was written, and nothing will be read
		return nil, out.Close()
	}
	_ = f.Close()
	return spool.HeldForReading(root, out, name)
}

func (o *outputs) remove(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.root != nil {
		_ = o.root.Remove(name)
	}
}

// close removes it with everything in it. Nothing is published from now on.
func (o *outputs) close() {
	o.mu.Lock()
	o.closed = true
	root := o.root
	o.root = nil
	o.mu.Unlock()
	if root == nil {
		return
	}
	o.stop()
	o.work.Wait()
	_ = root.Close()
	caches.Wipe(o.dir)
	_ = os.Remove(o.lock.Name())
	_ = o.lock.Close()
}
