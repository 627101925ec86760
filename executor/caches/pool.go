package caches

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/workspace"
)

// Pool keeps the caches that this process's commands use. Beside each directory is a file
// with the same name and ".lock", which is locked while the caches are in use and whose
// time says when that began.
type Pool struct {
	dir string // "": no caches
	max int64
	log *slog.Logger

	mu     sync.Mutex
	open   map[string]*Dir
	closed bool
	stop   context.CancelFunc
	work   conc.WaitGroup
}

// Dir is one workspace's caches. Commands write in them, so everything that
// is done there from outside goes through root: a link they left leads nowhere.
type Dir struct {
	root *os.Root
	lock *os.File
}

// NewPool keeps caches below dir, limit bytes of all workspaces' together.
func NewPool(dir string, limit int64, log *slog.Logger) *Pool {
	if dir != "" {
		dir, _ = workspace.Resolve(nil, dir, string(filepath.Separator))
	}
	return &Pool{dir: dir, max: limit, log: log, open: map[string]*Dir{}}
}

// Path is where the caches of key lie.
func (p *Pool) Path(key string) string { return filepath.Join(p.dir, key) }

// Use makes sure that the caches of key exist and stay. The first use of any
// begins to trim the others.
func (p *Pool) Use(key string, links map[string]string) (*Dir, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d, ok := p.open[key]; ok {
		return d, nil
	}
	if p.closed {
		return nil, errors.New("the caches are closed")
	}
	d, err := openCache(p.Path(key), links)
	if err != nil {
		return nil, err
	}
	p.open[key] = d
	if p.stop == nil {
		var ctx context.Context
		ctx, p.stop = context.WithCancel(context.Background())
		p.work.Go(func() { p.trim(ctx) })
	}
	return d, nil
}

func openCache(path string, links map[string]string) (*Dir, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	lock, err := ShareLock(path + LockSuffix)
	if err != nil {
		return nil, err
	}
	d := &Dir{lock: lock}
	if err := d.prepare(path, links); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *Dir) prepare(path string, links map[string]string) error {
	now := time.Now()
	if err := os.Chtimes(d.lock.Name(), now, now); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	var err error
	if d.root, err = os.OpenRoot(path); err != nil {
		return err
	}
	for name, target := range links {
		d.link(name, target)
	}
	return nil
}

// link makes name a link to target, unless a command has put something else
// there: that is its own business then.
func (d *Dir) link(name, target string) {
	if _, err := d.root.Lstat(name); err == nil {
		return
	}
	_ = d.root.MkdirAll(filepath.Dir(name), 0o700)
	_ = d.root.Symlink(target, name)
}

// Has says whether a tool has made the directory name.
func (d *Dir) Has(name string) bool {
	info, err := d.root.Lstat(name)
	return err == nil && info.IsDir()
}

func (d *Dir) close() {
	if d.root != nil {
		_ = d.root.Close()
	}
	_ = d.lock.Close()
}

// Close lets go of every cache. A trim under way ends first.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	stop := p.stop
	p.mu.Unlock()
	if stop != nil {
		stop()
	}
	p.work.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, d := range p.open {
		d.close()
		delete(p.open, key)
	}
}

// ShareLock opens path, made if need be, and locks it together with others. A process that
// held it alone may have removed it meanwhile: then there is a new one.
func ShareLock(path string) (*os.File, error) { return currentLock(path, false) }

// Lock waits until nobody else has path, but not for who was stopped and may never go on,
// nor where there can be no lock.
// Who has it removes it, and closes it then.
func Lock(path string) (f *os.File, err error) {
	for until := time.Now().Add(lockTime); ; time.Sleep(time.Millisecond) {
		if f, err = currentLock(path, true); !held(err) || time.Now().After(until) {
			return f, err
		}
	}
}

const lockTime = 5 * time.Second

func currentLock(path string, sole bool) (*os.File, error) {
	for {
		f, err := openLock(path, sole)
		if err != nil {
			return nil, err
		}
		ours, err := f.Stat()
		if err != nil {
			_ = f.Close()
			return nil, err
		}
		if now, err := os.Stat(path); err == nil && os.SameFile(ours, now) {
			return f, nil
		}
		_ = f.Close()
	}
}
