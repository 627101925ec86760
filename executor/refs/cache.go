package refs

import (
	"io/fs"
	"os"
	"sync"
)

// cached is what a file was when it had this stamp: its text, where that is short, what a
// log names, what an index says of the names that may be notable, or what a directory held.
type cached struct {
	stamp stamp
	text  string
	names []nameHash
	index *indexed
	list  []fs.DirEntry
}

// indexed is what is kept of an index, for a Sight with these Pointed.
type indexed struct {
	pointed []string
	entries map[string]entry
	hidden  []string
	err     error
}

// cache spares a look at what was not changed since the last command. With too much in
// it, it begins anew.
type cache struct {
	mu    sync.Mutex
	files map[string]cached
	size  int
}

var kept = cache{files: map[string]cached{}}

const (
	maxCached = 16 << 20
	maxText   = 1 << 10 // longer ones are few
)

func (c *cache) get(path string, s stamp) (cached, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, ok := c.files[path]
	return f, ok && f.stamp == s && s != stamp{}
}

func (c *cache) put(path string, f cached) {
	const own = 200 // bytes, or so
	c.mu.Lock()
	defer c.mu.Unlock()
	size := func(f cached) int {
		return own + len(path) + len(f.text) + 16*len(f.names) + own*len(f.list) + f.index.size()
	}
	if old, ok := c.files[path]; ok {
		c.size -= size(old)
	}
	if c.size += size(f); c.size > maxCached {
		clear(c.files)
		c.size = size(f)
	}
	c.files[path] = f
}

// keep is put for what was read while no command runs. Who has mapped a file and written to
// it once changes it on, and leaves its times as they are (mmap(2)): what another command's
// look had found by then would stand for what is there at the end.
func (s Sight) keep(path string, f cached) {
	if s.alone {
		kept.put(path, f)
	}
}

func (i *indexed) size() (n int) {
	const own = 150 // bytes, or so
	if i != nil {
		for name := range i.entries {
			n += own + len(name)
		}
		for _, row := range i.hidden {
			n += 16 + len(row)
		}
	}
	return n
}

// readAgain is readFile for one that is mostly what it was.
func (s Sight) readAgain(path string, most int64) (string, error) {
	at, sure := stampOf(path)
	if at == (stamp{}) {
		return readFile(path, most)
	}
	if f, ok := kept.get(path, at); ok && sure {
		return f.text, nil
	}
	text, err := readFile(path, most)
	if err == nil && sure && len(text) <= maxText {
		s.keep(path, cached{stamp: at, text: text})
	}
	return text, err
}

// readDir is os.ReadDir for a directory that is mostly what it was. Each name that comes, goes
// or stands for something else changes its times, see stamp.
func readDir(path string) ([]fs.DirEntry, error) {
	at, sure := stampOfDir(path)
	if f, ok := kept.get(path, at); ok && sure {
		return f.list, nil
	}
	list, err := os.ReadDir(path)
	if err == nil && sure && at != (stamp{}) {
		kept.put(path, cached{stamp: at, list: list})
	}
	return list, err
}

// walkDir is filepath.WalkDir by readDir.
func walkDir(dir string, f fs.WalkDirFunc) error {
	return fs.WalkDir(again{}, dir, f)
}

// again are all files, by their absolute paths.
type again struct{}

func (again) Open(path string) (fs.File, error)          { return os.Open(path) }
func (again) Stat(path string) (fs.FileInfo, error)      { return os.Lstat(path) }
func (again) ReadDir(path string) ([]fs.DirEntry, error) { return readDir(path) }
