package refs

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// shared is the lock that every command holds that has come to a repository, and beside it
// the file with what the repository held when nobody held the lock. The repository is known
// by its inode, because a command can move it.
type shared struct {
	lock *os.File
	path string // of the file; that of the lock has a suffix
}

const lockSuffix = ".lock"

var errNoBefore = errors.New("another command runs, and what was there before it is not known")

func (w *Watch) vetted(r repo) ([]state, shared, error) {
	var st unix.Stat_t
	if err := unix.Stat(r.common, &st); err != nil {
		return w.sight.readAll(r), shared{}, nil // there is nothing yet
	}
	err := os.MkdirAll(w.kept, 0o700)
	path := filepath.Join(w.kept, fmt.Sprintf("%x-%x", st.Dev, st.Ino))
	for err == nil {
		var f *os.File
		if f, err = os.OpenFile(path+lockSuffix, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
			break
		}
		s := shared{f, path}
		all, err := s.take(w, r)
		if err == nil || !errors.Is(err, errRemoved) {
			return all, s, err
		}
		_ = f.Close()
	}
	return w.sight.readAll(r), shared{}, errors.Join(errNoBefore, err)
}

// errRemoved is a lock that the last one who held it has removed.
var errRemoved = errors.New("the lock was removed")

// take reads what there is while nobody else runs, or else what was kept. To share the lock
// is to let go of it for a moment: another one who gets it then finds what we have found,
// since neither command has begun.
func (s shared) take(w *Watch, r repo) (all []state, err error) {
	if flock(s.lock, unix.LOCK_EX|unix.LOCK_NB) == nil {
		if !s.current() {
			return nil, errRemoved
		}
		sight := w.sight
		sight.alone = true
		all = sight.readAll(r)
		if !s.stands(r, all) && s.write(r, all) != nil {
			_ = os.Remove(s.path) // one that starts meanwhile says that it knows nothing
		}
	}
	if err = flock(s.lock, unix.LOCK_SH); err == nil && !s.current() {
		return nil, errRemoved
	}
	if all == nil && err == nil {
		all, err = s.read(w, r)
	}
	if err != nil {
		return w.sight.readAll(r), errors.Join(errNoBefore, err)
	}
	return all, nil
}

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return err
		}
	}
}

// current says that the lock is still the one at its path.
func (s shared) current() bool {
	own, err := s.lock.Stat()
	is, gone := os.Stat(s.path + lockSuffix)
	return err == nil && gone == nil && os.SameFile(own, is)
}

// end lets go, and keeps what is well for those who still run. What stays when nobody runs
// is read by nobody, and spares the next command of this session to write the same.
func (s shared) end(r repo, well []state) {
	if s.lock == nil {
		return
	}
	if well != nil {
		_ = s.write(r, well) // or what was before stays
	}
	_ = flock(s.lock, unix.LOCK_UN) // a child that is being made has it open, too
	_ = s.lock.Close()
}

// Tidy removes what is kept for commands that don't run.
func Tidy(kept string) {
	entries, _ := os.ReadDir(kept) // there are none, where none was kept
	for _, e := range entries {
		base, is := strings.CutSuffix(filepath.Join(kept, e.Name()), lockSuffix)
		if !is {
			continue
		}
		f, err := os.OpenFile(base+lockSuffix, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if s := (shared{f, base}); flock(f, unix.LOCK_EX|unix.LOCK_NB) == nil && s.current() {
			for _, o := range entries {
				if name, own := strings.CutPrefix(o.Name(), filepath.Base(base)); own && (name == "" || name[0] == '.') {
					_ = os.Remove(filepath.Join(kept, o.Name())) // also what a kill has cut off, and the lock
				}
			}
		}
		_ = f.Close()
	}
}

// written is what this session has kept last of repositories. A command that finds the
// same, and the file as it was, writes nothing.
var written = struct {
	sync.Mutex
	by map[string]keeping
}{by: map[string]keeping{}}

type keeping struct {
	dirs []gitDir
	all  []state
	file os.FileInfo
}

const maxWritten = 100

func (s shared) stands(r repo, all []state) bool {
	written.Lock()
	defer written.Unlock()
	k, had := written.by[s.path]
	if !had {
		return false
	}
	is, err := os.Stat(s.path)
	return err == nil && os.SameFile(is, k.file) && is.ModTime().Equal(k.file.ModTime()) && slices.Equal(k.dirs, r.dirs) &&
		slices.EqualFunc(k.all, all, func(a, b state) bool { return a.same(b) && maps.Equal(a.large, b.large) })
}

func (s shared) wrote(r repo, all []state, file os.FileInfo) {
	written.Lock()
	defer written.Unlock()
	if len(written.by) >= maxWritten {
		clear(written.by)
	}
	written.by[s.path] = keeping{r.dirs, all, file}
}

// keptForm begins a file in this form: sidecars of two versions may run at once.
const keptForm = "refs 2\n"

// kept forms of what a state holds, for a file.
type (
	keptState struct {
		Files map[string]string
		Large map[string]bool
		Logs  map[string]keptLog
		Index keptIndex
		Graph string
	}
	keptLog struct {
		Stamp stamp
		Sure  bool
		Names []nameHash
	}
	keptIndex struct {
		Stamp   stamp
		Sure    bool
		Entries map[string][2]string
		Err     string
	}
)

func (s shared) write(r repo, all []state) error {
	out := map[string]keptState{}
	for i, st := range all {
		k := keptState{Files: st.files, Large: st.large, Graph: st.graph, Logs: map[string]keptLog{}}
		for name, l := range st.logs {
			k.Logs[name] = keptLog{l.stamp, l.sure, l.names}
		}
		k.Index = keptIndex{Stamp: st.index.stamp, Sure: st.index.sure, Entries: map[string][2]string{}}
		for name, e := range st.index.entries {
			k.Index.Entries[name] = [2]string{e.mode, e.oid}
		}
		if st.index.err != nil {
			k.Index.Err = st.index.err.Error()
		}
		out[r.within(r.dirs[i].path)] = k
	}
	f, err := os.CreateTemp(filepath.Dir(s.path), filepath.Base(s.path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(append([]byte(keptForm), wire.Encode(out)...))
	file, looked := f.Stat()
	if err = errors.Join(err, looked, f.Close()); err == nil {
		err = os.Rename(f.Name(), s.path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	s.wrote(r, all, file)
	return nil
}

// within is a path of a repository that can be moved.
func (r repo) within(path string) string {
	if rest, below := strings.CutPrefix(path+"/", r.common+"/"); below {
		return "./" + rest
	}
	return path
}

func (s shared) read(w *Watch, r repo) (all []state, err error) {
	b, err := os.ReadFile(s.path)
	if err != nil {
		return nil, err
	}
	form, own := bytes.CutPrefix(b, []byte(keptForm))
	if !own {
		return nil, fmt.Errorf("%s: another version of pillion has written it", s.path)
	}
	var in map[string]keptState
	if err := wire.Decode(form, &in); err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	for _, d := range r.dirs {
		k, had := in[r.within(d.path)]
		switch {
		case had:
			all = append(all, k.state())
		case strings.HasPrefix(d.path, filepath.Join(r.common, "worktrees")+"/"):
			all = append(all, state{}) // it was linked since
		default:
			all = append(all, w.sight.read(d))
		}
	}
	return all, nil
}

func (k keptState) state() state {
	s := state{files: k.Files, large: k.Large, logs: map[string]logged{}, graph: k.Graph}
	for name, l := range k.Logs {
		s.logs[name] = logged{l.Stamp, l.Sure, l.Names}
	}
	s.index = index{stamp: k.Index.Stamp, sure: k.Index.Sure, entries: map[string]entry{}}
	for name, e := range k.Index.Entries {
		s.index.entries[name] = entry{e[0], e[1]}
	}
	if k.Index.Err != "" {
		s.index.err = errors.New(k.Index.Err)
	}
	return s
}
