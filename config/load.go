package config

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"github.com/pillion-sidecar/pillion/executor"
)

// FileKind says whose policy file it is.
type FileKind string

// A UserFile is trusted like the user; a WorkspaceFileKind can only tighten.
const (
	UserFile          FileKind = "user"
	WorkspaceFileKind FileKind = "workspace"
)

// WorkspaceFileName is the policy file in the root of a workspace folder.
const WorkspaceFileName = ".pillion.toml"

// MaxFileBytes bounds a policy file.
const MaxFileBytes = 256 << 10

// WorkspaceFile is the policy file of one workspace folder, checked: it only
// tightens.
type WorkspaceFile struct {
	path   string
	policy PolicyOptions
}

// ParseWorkspace reads a workspace folder's policy file. Its error is a
// *FileError that names line and column.
func ParseWorkspace(path string, data []byte) (*WorkspaceFile, error) {
	o, err := parse(WorkspaceFileKind, path, data)
	if err != nil {
		return nil, err
	}
	return &WorkspaceFile{path, o}, nil
}

// KindOf is what a file's name says about it.
func KindOf(path string) FileKind {
	if filepath.Base(path) == WorkspaceFileName {
		return WorkspaceFileKind
	}
	return UserFile
}

// ValidateFile checks a policy file as it would be when it is used; an empty
// kind is that of its name. Mistakes are a *FileError.
func ValidateFile(path string, kind FileKind) error {
	switch kind {
	case "":
		kind = KindOf(path)
	case UserFile, WorkspaceFileKind:
	default:
		return fmt.Errorf("a policy file is of the kind %q or %q, not %q", UserFile, WorkspaceFileKind, kind)
	}
	data, err := readFile(kind, path)
	if err != nil {
		return err
	}
	_, err = parse(kind, path, data)
	return err
}

func parse(kind FileKind, path string, data []byte) (PolicyOptions, error) {
	o, _, err := examine(kind, path, data)
	return o, err
}

// byteOrderMark is what some editors of Windows begin a file with.
var byteOrderMark = []byte("\uFEFF")

// examine reads a policy file in the order in which mistakes hide others: bytes,
// TOML, keys, types, meaning. The index is there also of a file with mistakes, unless it
// is too large.
func examine(kind FileKind, path string, data []byte) (o PolicyOptions, x *index, err error) {
	fail := func(problems ...Problem) (PolicyOptions, *index, error) {
		return PolicyOptions{}, x, fileError(path, problems)
	}
	if len(data) > MaxFileBytes {
		return fail(Problem{Message: fmt.Sprintf("it is larger than %d bytes; make it shorter", MaxFileBytes)})
	}
	data = bytes.TrimPrefix(data, byteOrderMark)
	x = newIndex(slices.Clip(data))
	if i := invalidUTF8(data); i >= 0 {
		m := x.markAt(i)
		return fail(Problem{m.line, m.column, "", "it is not valid UTF-8; save it as UTF-8"})
	}
	if p, ok := x.syntax(); !ok {
		return fail(p)
	}
	if x.count > maxKeys {
		return fail(x.problems...)
	}
	x.unknownKeys(kind)
	if err := toml.Unmarshal(data, &o); err != nil {
		return fail(x.undecodable(err)...)
	}
	bad := o.check()
	if kind == WorkspaceFileKind {
		bad = append(bad, o.loosening(x)...)
	} else if len(bad) == 0 {
		bad = append(bad, o.ungranted()...)
	}
	for _, l := range limits {
		n, _, zero := l.said(o.Limits)
		if at := "/limits/" + l.name; n == 0 && !zero && x.has(at) {
			bad = append(bad, &executor.ParamError{Path: at, Expected: "a positive number, or no such key for the default", Got: "0"})
		}
	}
	for _, b := range bad {
		x.problem(x.at(b.Path), b.Path, "%s", say(b))
	}
	return o, x, fileError(path, x.problems)
}

// ungranted is what a user's file sets without the grant it needs in the file.
func (o PolicyOptions) ungranted() []*executor.ParamError {
	c := &checker{}
	c.take(new(Config).layer(o))
	return c.bad
}

// say is a mistake in words, with its pointer.
func say(b *executor.ParamError) string {
	if b.Expected == fits || b.Expected == pattern {
		return b.Got
	}
	return "expected " + b.Expected + ", got " + b.Got
}

// undecodable adds to what is known already why the values can't be taken over:
// a wrong type, or a key that the index could not tell to be there twice.
func (x *index) undecodable(err error) []Problem {
	text := strings.TrimPrefix(err.Error(), "toml: ")
	twice := strings.Contains(text, "already") && len(x.problems) > 0
	var typed *toml.DecodeError
	switch {
	case twice:
	case strings.Contains(text, "array table in a map") && x.has("/rules/0"):
		x.problem(x.marks["/rules/0"], "", "[[rules]] is no list; write [[rule]] for a rule of your own, [rules] for decisions of built-in ones")
	case errors.As(err, &typed):
		line, column := typed.Position()
		pointer := x.before(mark{line, column})
		if expected := expectation(pointer); strings.Contains(text, "config.") && expected != "" {
			text = "expected " + expected // the library names types of Go
		}
		x.problem(mark{line, column}, pointer, "%s", text)
	default:
		x.problem(mark{}, "", "%s", text)
	}
	return x.problems
}

func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}
