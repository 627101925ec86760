package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/pillion-sidecar/pillion/executor/caches"
)

// grantMark begins the comment above a row that pillion has written.
const grantMark = "# pillion: "

// Granted are the rows of the user's policy file, in its order. No file has none.
func Granted(path string) ([]GrantOptions, error) {
	_, o, err := userPolicy(path)
	return o.Grant, err
}

// Remember writes one row at the end of the user's policy file, links resolved, and leaves
// all else in it as it is. Only the part that asks a person may call it, after a yes: the
// row holds for every command to come.
func Remember(path string, g GrantOptions) error {
	return alone(path, func() error { return add(path, g) })
}

func add(path string, g GrantOptions) error {
	data, o, err := userPolicy(path)
	if err != nil {
		return err
	}
	given := g.Given
	g.Given = ""
	for i := range o.Grant {
		had := o.Grant[i]
		had.Given = ""
		if reflect.DeepEqual(had, g) {
			return nil
		}
	}
	g.Given = given
	row, err := g.Row()
	if err != nil {
		return err
	}
	next := bytes.Clone(data)
	if len(next) > 0 {
		next = append(bytes.TrimRight(next, "\n"), '\n', '\n')
	}
	next = append(next, row...)
	want := o
	want.Grant = append(slices.Clone(o.Grant), g)
	return rewrite(path, next, want)
}

// Forget removes the i-th row, and nothing else.
func Forget(path string, i int) error {
	return alone(path, func() error { return takeOut(path, i) })
}

func takeOut(path string, i int) error {
	data, o, err := userPolicy(path)
	if err != nil {
		return err
	}
	if i < 0 || i >= len(o.Grant) {
		return fmt.Errorf("%s has no grant %d", path, i+1)
	}
	want := o
	want.Grant = slices.Delete(slices.Clone(o.Grant), i, i+1)
	next := without(data, i)
	if err := rewrite(path, next, want); err != nil {
		return fmt.Errorf("the grant can't be taken out by itself; remove it in %s: %w", path, err)
	}
	return nil
}

// alone changes the file while no other session does: of two that begin with the same text
// one would lose its row, or bring back what the other has taken out.
func alone(path string, change func() error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	lock, err := caches.Lock(path + caches.LockSuffix)
	if err != nil {
		return err
	}
	return errors.Join(change(), os.Remove(lock.Name()), lock.Close())
}

func userPolicy(path string) (data []byte, o PolicyOptions, err error) {
	data, err = readFile(UserFile, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, o, nil
	}
	if err != nil {
		return nil, o, err
	}
	o, err = parse(UserFile, path, data)
	return data, o, err
}

// rewrite puts a new text in the place of a policy file, if it says what is wanted and
// nothing else. The file is replaced as a whole: one half of it would be another policy.
func rewrite(path string, data []byte, want PolicyOptions) error {
	got, err := parse(UserFile, path, data)
	if err != nil {
		return err
	}
	if len(got.Grant) == 0 && len(want.Grant) == 0 {
		got.Grant, want.Grant = nil, nil
	}
	if !reflect.DeepEqual(got, want) {
		return errors.New("its other keys would not stay as they are")
	}
	mode := fs.FileMode(0o600)
	if st, err := os.Lstat(path); err == nil {
		if !st.Mode().IsRegular() { // the rename would put a file in the place of a link
			return fmt.Errorf("%s is a link; its target is to be named", path)
		}
		mode = st.Mode().Perm()
	}
	next := path + ".new"
	_ = os.Remove(next) // one that was killed has left it
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(next)
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(next, path)
}

// Row is g in TOML, with a comment that says where it comes from.
func (g GrantOptions) Row() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%syou said yes to this; `pillion grants` shows it and takes it back\n[[grant]]\n", grantMark)
	for _, m := range []struct {
		key   string
		value any
	}{
		{"host", g.Host},
		{"read", g.Read},
		{"write", g.Write},
		{"key", g.Key},
		{"credentials", g.Credentials},
		{"command", g.Command},
		{"argv", g.Argv},
		{"rules", g.Rules},
		{"folder", g.Folder},
		{"mode", string(g.Mode)},
		{"network", string(g.Network)},
		{"given", g.Given},
	} {
		if reflect.ValueOf(m.value).Len() == 0 {
			continue
		}
		line, err := toml.Marshal(map[string]any{m.key: m.value})
		if err != nil {
			return nil, err
		}
		b.Write(line)
	}
	return b.Bytes(), nil
}

// without is a file's text without the lines of its i-th grant and the comment above.
func without(data []byte, i int) []byte {
	x := newIndex(slices.Clip(data))
	at := fmt.Sprintf("/grant/%d", i)
	first, last := x.marks[at].line, 0
	for key, m := range x.marks {
		if key == at || strings.HasPrefix(key, at+"/") {
			last = max(last, m.line)
		}
	}
	lines := strings.SplitAfter(string(data), "\n")
	if first < 1 || last > len(lines) {
		return data
	}
	if first > 1 && strings.HasPrefix(lines[first-2], grantMark) {
		first--
	}
	if first > 1 && strings.TrimSpace(lines[first-2]) == "" {
		first--
	}
	return []byte(strings.Join(slices.Delete(lines, first-1, last), ""))
}
