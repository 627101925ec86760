package gocache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// store is a directory as cmd/go/internal/cache keeps it, so that a go command which knows
// no GOCACHEPROG shares it. "" is an empty one that stays so.
type store string

// The part of a file's name that follows an id.
const (
	action = "a" // says which output an action has
	data   = "d" // an output
)

// entry is what an action file says.
type entry struct {
	output []byte
	size   int64
	made   time.Time
}

func (s store) file(id []byte, kind string) string {
	name := hex.EncodeToString(id)
	return filepath.Join(string(s), name[:2], name+"-"+kind)
}

// get finds an action whose output is there, and whole: go may be writing it just now.
func (s store) get(id []byte) (entry, bool) {
	if s == "" || len(id) != sha256.Size {
		return entry{}, false
	}
	path := s.file(id, action)
	text, err := os.ReadFile(path)
	if err != nil {
		return entry{}, false
	}
	e, ok := parse(text, id)
	if !ok {
		return entry{}, false
	}
	info, err := os.Stat(s.file(e.output, data))
	if err != nil || !info.Mode().IsRegular() || info.Size() != e.size {
		return entry{}, false
	}
	now := time.Now()
	if now.Sub(info.ModTime()) >= usedEvery { // which the user's cache refuses
		_ = os.Chtimes(path, now, now)
		_ = os.Chtimes(s.file(e.output, data), now, now)
	}
	return e, true
}

// parse reads "v1 <hex id> <hex out> <size> <unix nanoseconds>", the numbers padded.
func parse(text, id []byte) (e entry, ok bool) {
	f := bytes.Fields(text)
	if len(f) != 5 || string(f[0]) != "v1" || string(f[1]) != hex.EncodeToString(id) || text[len(text)-1] != '\n' {
		return e, false
	}
	output, badID := hex.DecodeString(string(f[2]))
	size, badSize := strconv.ParseInt(string(f[3]), 10, 64)
	made, badTime := strconv.ParseInt(string(f[4]), 10, 64)
	ok = errors.Join(badID, badSize, badTime) == nil && len(output) == sha256.Size
	return entry{output, size, time.Unix(0, made)}, ok
}

// put keeps an output and says where. The action is written last: who finds it finds all.
func (s store) put(id, output, body []byte) (path string, err error) {
	if s == "" || len(id) != sha256.Size || len(output) != sha256.Size {
		return "", errors.New("no cache, or no id")
	}
	path = s.file(output, data)
	line := fmt.Appendf(nil, "v1 %x %x %20d %20d\n", id, output, len(body), time.Now().UnixNano())
	return path, errors.Join(write(path, body), write(s.file(id, action), line))
}

// write makes a file appear whole under its name.
func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "new-*-"+data) // trimmed, if it stays
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// How long go keeps what is not used, and how often it looks. With a GOCACHEPROG it leaves
// that to the program.
const (
	usedEvery = time.Hour
	trimEvery = 24 * time.Hour
	keep      = 5*24*time.Hour + usedEvery
	trimmed   = "trim.txt"
)

// trim removes what was not used for long.
func (s store) trim(now time.Time) {
	if s == "" {
		return
	}
	stamp := filepath.Join(string(s), trimmed)
	text, _ := os.ReadFile(stamp)
	if last, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && now.Sub(time.Unix(last, 0)).Abs() < trimEvery {
		return
	}
	if os.WriteFile(stamp, fmt.Append(nil, now.Unix()), 0o666) != nil {
		return
	}
	files, _ := fs.Glob(os.DirFS(string(s)), "[0-9a-f][0-9a-f]/*-["+action+data+"]")
	for _, name := range files {
		f := filepath.Join(string(s), filepath.FromSlash(name))
		if info, err := os.Lstat(f); err == nil && now.Sub(info.ModTime()) > keep {
			_ = os.RemoveAll(f)
		}
	}
}
