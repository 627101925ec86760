package refs

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// state is what a git directory holds besides objects.
type state struct {
	files map[string]string // by their path in it: loose refs, heads of operations, packed-refs
	large map[string]bool   // that were there, and not read
	logs  map[string]logged // by their path, too
	index index
	graph string // by which its commit graphs are recognised
}

const (
	maxFile  = 16 << 20 // of one file that is read; packed-refs of 100,000 refs are 7 MB
	maxSmall = 1 << 20  // of a file that holds the state of an operation
	maxFiles = 20_000   // that are read of a git directory
)

// operations hold what git goes on with.
var operations = []string{"rebase-merge", "rebase-apply", "sequencer"}

func (x Sight) readAll(r repo) (all []state) {
	for _, d := range r.dirs {
		all = append(all, x.read(d))
	}
	return all
}

func (x Sight) read(d gitDir) state {
	dir := d.path
	s := state{files: map[string]string{}, large: map[string]bool{}, logs: x.logsOf(dir), graph: graphOf(dir)}
	take := func(name string, most int64) {
		text, err := x.readAgain(filepath.Join(dir, name), most)
		if err == nil && len(s.files) < maxFiles {
			s.files[name] = text
		} else if !errors.Is(err, fs.ErrNotExist) {
			s.large[name] = true
		}
	}
	take("packed-refs", maxFile)
	take(stashLog, maxFile)
	entries, _ := readDir(dir) // it may be gone
	for _, e := range entries {
		if name := e.Name(); e.Type().IsRegular() && !noName().MatchString(name) {
			if take(name, maxSmall); !s.named(name) {
				delete(s.files, name)
			}
		}
	}
	for _, in := range append([]string{"refs"}, operations...) {
		_ = walkDir(filepath.Join(dir, in), func(file string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				take(file[len(dir)+1:], maxSmall)
			}
			return nil
		})
	}
	if s.index = x.indexOf(filepath.Join(dir, "index"), d.top); s.index.stamp != (stamp{}) {
		s.logs["index"] = logged{s.index.stamp, s.index.sure, hashesOf(slices.Values(s.index.hidden))}
	}
	return s
}

// noName is a file of a git directory that is read as what it is, or not at all.
var noName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:shared)?index.*|packed-refs|MERGE_RR|shallow|config|config\.worktree|description|commondir|gitdir)$`)
})

// gitHead is a name that git itself gives to something for a while, such as MERGE_HEAD.
var gitHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\w+_HEAD|AUTO_MERGE|(?:BISECT|NOTES_MERGE)_\w+|\w+_(?:MSG|EDITMSG))$`)
})

// named says that git may take a file for a name of an object: its text begins as one.
func (s state) named(name string) bool {
	text := s.files[name]
	at := objectName().FindStringIndex(text)
	return text == "" || at != nil && at[0] == 0 || isSymbolic(text) // "": packed
}

// readFile reads a regular file; no FIFO is waited for, and no link is followed.
func readFile(path string, most int64) (string, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular() || info.Size() > most:
		return "", fs.ErrInvalid
	}
	f, err := openPlain(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead) // or it is read bit by bit
	_, err = b.ReadFrom(io.LimitReader(f, most))
	return b.String(), err
}

// objectName is how git spells one: 40 hexadecimal digits, or 64 with SHA-256. It reads
// large letters, too.
var objectName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b([0-9a-fA-F]{40}|[0-9a-fA-F]{64})\b`)
})

// refs are the names that a git directory gives to objects, and everything else in it
// that names one.
func (s state) refs() map[string][]string {
	out := map[string][]string{}
	for file, text := range s.files {
		if file != "packed-refs" {
			out[file] = objectName().FindAllString(strings.ToLower(text), -1)
		}
	}
	for line := range strings.Lines(s.files["packed-refs"]) {
		oid, name, ok := packedRow(line)
		if _, loose := out[name]; ok && !loose {
			out[name] = []string{strings.ToLower(oid)}
		}
	}
	for file, text := range s.files {
		if isSymbolic(text) {
			out[file] = out[s.leadsTo(file)]
		}
	}
	return out
}

const symbolic = "ref:"

func isSymbolic(text string) bool { return strings.HasPrefix(text, symbolic) }

// leadsTo is the name that a symbolic one stands for; it is another symbolic one where
// git gives up, too.
func (s state) leadsTo(name string) string {
	for range 5 { // SYMREF_MAXDEPTH
		to, is := strings.CutPrefix(s.files[name], symbolic)
		if !is {
			break
		}
		name = strings.TrimSpace(to)
	}
	return name
}

// strays says that a name stands for one that is not a ref, or that is not judged.
func (s state) strays(name string) bool {
	to := s.leadsTo(name)
	return to != name && (!strings.HasPrefix(to, "refs/") || strings.HasPrefix(to, asideRefs))
}

// same says that nothing was changed that names an object.
func (s state) same(o state) bool {
	return s.index.same(o.index) && s.graph == o.graph && maps.Equal(s.files, o.files) &&
		len(s.logs) == len(o.logs) && len(s.changedLogs(o)) == 0
}
