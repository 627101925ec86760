package connect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Change is one settings file before and after.
type Change struct {
	Agent   Agent
	Path    string // with its links followed
	Before  string
	After   string
	Existed bool
	Removes bool // pillion is taken out
	restore bool // After is what the copy beside it has
	mode    fs.FileMode
}

// backup is where the original lies.
func backup(path string) string { return path + ".before-pillion" }

// Same reports that there is nothing to do.
func (c Change) Same() bool { return c.Before == c.After && (c.Existed || c.After == "") }

// Plan says what connecting the agent changes, and writes nothing.
func Plan(a Agent, e Env) (Change, error) {
	c, err := read(a, e)
	if err != nil {
		return c, err
	}
	if c.After, err = a.edit(a, e, c.Before); err != nil {
		return c, c.failed(err)
	}
	return c, nil
}

// PlanRemoval says what disconnecting the agent changes. Where the file is unchanged
// since, every byte of the original comes back.
func PlanRemoval(a Agent, e Env) (Change, error) {
	c, err := read(a, e)
	c.Removes = true
	if err != nil {
		return c, err
	}
	if !c.Existed {
		return c, nil
	}
	original, err := os.ReadFile(backup(c.Path))
	fresh := errors.Is(err, fs.ErrNotExist)
	if err == nil || fresh {
		if again, err := a.edit(a, e, string(original)); err == nil && again == c.Before {
			c.After, c.restore = string(original), true
			return c, nil
		}
	}
	if c.After, err = a.remove(a, e, c.Before); err != nil {
		return c, c.failed(err)
	}
	return c, nil
}

func (c Change) failed(err error) error {
	return fmt.Errorf("%s: %w; nothing was written", c.Path, err)
}

// read takes the file as it is.
func read(a Agent, e Env) (Change, error) {
	c := Change{Agent: a, Path: e.Resolve(a.File(e)), mode: 0o600}
	info, err := os.Stat(c.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, nil
	case err != nil:
		return c, c.failed(err)
	case !info.Mode().IsRegular():
		return c, c.failed(errors.New("it is not a regular file"))
	case info.Size() > 4<<20:
		return c, c.failed(errors.New("it is longer than 4 MiB"))
	}
	b, err := os.ReadFile(c.Path)
	if err != nil {
		return c, c.failed(err)
	}
	c.Before, c.Existed, c.mode = string(b), true, info.Mode().Perm()
	return c, nil
}

// Write makes the change. The file appears whole or not at all.
func (c Change) Write() error {
	if c.Same() {
		return nil
	}
	if c.Existed && c.mode&0o200 == 0 {
		return c.failed(errors.New("it is read-only; make it writable first"))
	}
	now, err := os.ReadFile(c.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || string(now) != c.Before {
		return c.failed(errors.New("it has changed meanwhile; try again"))
	}
	if c.Removes {
		return c.remove()
	}
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o700); err != nil {
		return c.failed(err)
	}
	if c.Existed && !mentions(c.Before, c.Agent.marks) { // else the copy has the original already
		if old, err := os.ReadFile(backup(c.Path)); err == nil && string(old) != c.Before {
			return c.failed(fmt.Errorf("%s is not pillion's; give it another name first", backup(c.Path)))
		}
		if err := replace(backup(c.Path), c.Before, c.mode); err != nil {
			return c.failed(err)
		}
	}
	if err := replace(c.Path, c.After, c.mode); err != nil {
		return c.failed(err)
	}
	return nil
}

func (c Change) remove() error {
	_, missing := os.Stat(backup(c.Path))
	if c.restore && missing != nil { // there was no file before
		return os.Remove(c.Path)
	}
	if err := replace(c.Path, c.After, c.mode); err != nil {
		return c.failed(err)
	}
	if missing == nil {
		return os.Remove(backup(c.Path))
	}
	return nil
}

func mentions(text string, marks []string) bool {
	for _, m := range marks {
		if strings.Contains(text, m) && strings.Contains(text, "pillion") {
			return true
		}
	}
	return false
}

// replace writes a file beside and renames it, so that a reader sees one or the other.
func replace(path, text string, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".pillion-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Diff shows a change as lines, with what is around it.
func (c Change) Diff() string {
	before, after := strings.SplitAfter(c.Before, "\n"), strings.SplitAfter(c.After, "\n")
	head := 0
	for head < len(before) && head < len(after) && before[head] == after[head] {
		head++
	}
	tail := 0
	for tail < len(before)-head && tail < len(after)-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	const around = 2
	var b strings.Builder
	show := func(mark string, lines []string) {
		for _, l := range lines {
			if l != "" {
				b.WriteString(mark + strings.TrimRight(l, "\r\n") + "\n")
			}
		}
	}
	show("  ", before[max(0, head-around):head])
	show("- ", before[head:len(before)-tail])
	show("+ ", after[head:len(after)-tail])
	show("  ", after[len(after)-tail:min(len(after), len(after)-tail+around)])
	return b.String()
}
