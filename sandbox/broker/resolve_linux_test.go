package broker

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// What the resolver finds is compared with what the kernel finds, on trees and paths that
// chance makes: directories, files, links of every kind, loops and dots.

// words are what paths and the texts of links are made of, by numbers.
var words = []string{"a", "b", "c", "..", ".", "/", "a/", "b/", "c/", "../", "./", "//", "a/b", "b/../", "TOP/", "TOP/a"}

func spelt(data []byte, top string) string {
	var s strings.Builder
	for _, n := range data {
		s.WriteString(strings.ReplaceAll(words[int(n)%len(words)], "TOP", top))
	}
	return s.String()
}

// plant makes a tree below a directory. Three bytes or more are one entry: what, where,
// and a link's text up to the next zero.
func plant(t *testing.T, dir string, data []byte, top string) {
	t.Helper()
	places := []string{"a", "b", "c", "a/a", "a/b", "b/a", "b/c", "a/b/c", "a/b/a", "b/c/a"}
	for len(data) >= 3 {
		what, at := data[0]%4, filepath.Join(dir, places[int(data[1])%len(places)])
		text, rest, _ := strings.Cut(string(data[2:]), "\x00")
		data = []byte(rest)
		switch what { // what can't be made is not there
		case 0:
			_ = os.Mkdir(at, 0o755)
		case 1:
			_ = os.WriteFile(at, nil, 0o644)
		default:
			_ = os.Symlink(spelt([]byte(text[:min(len(text), 12)]), top), at)
		}
	}
}

func seeds(f *testing.F) {
	for _, seed := range [][2]string{
		{"", "\x00"},
		{"\x00\x00x\x00\x00\x04x\x00\x01\x07x", "\x06\x07\x02"},               // a/b/c is a file
		{"\x00\x00x\x00\x02\x01\x00", "\x01"},                                 // b -> a
		{"\x00\x00x\x00\x02\x03\x03", "\x06\x00\x09\x09\x00"},                 // a/a -> .., and up again
		{"\x02\x00\x01\x00\x02\x01\x00\x00", "\x06\x02"},                      // a -> b -> a
		{"\x00\x00x\x00\x02\x04\x0f\x00", "\x06\x01\x05"},                     // a/b -> TOP/a
		{"\x01\x00x\x00\x02\x01\x00\x05", "\x01\x05"},                         // b -> a/, a file
		{"\x00\x00x\x00\x02\x01\x05\x00", "\x07\x09\x09\x09\x00"},             // b -> /, and above it
		{"\x00\x00x\x00\x02\x03\x06\x00\x02\x01\x06\x06\x06", "\x07\x06\x06"}, // a chain
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
}

// outcome is what a path leads to, or why it leads nowhere.
func outcome(fd int, err error) string {
	if err != nil {
		var errno unix.Errno
		if !errors.As(err, &errno) {
			return err.Error()
		}
		return unix.ErrnoName(errno)
	}
	defer func() { _ = unix.Close(fd) }()
	path, err := files.RealPath(fd)
	if err != nil {
		return err.Error()
	}
	return path
}

// FuzzWalk has the kernel's RESOLVE_IN_ROOT as its oracle: component by component, in a
// root of its own, the resolver must come to the same directory, or the same error.
func FuzzWalk(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, tree, path []byte) {
		dir := t.TempDir()
		plant(t, dir, tree, "")
		top, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = unix.Close(top) }()
		name := spelt(path[:min(len(path), 30)], "") + "/"
		want := "EAGAIN" // somebody has renamed something somewhere. openat2(2)
		for want == "EAGAIN" {
			want = outcome(unix.Openat2(top, name, &unix.OpenHow{
				Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS,
			}))
		}
		w := walker{request: stub(top)}
		got, err := w.walk(top, name)
		var st unix.Stat_t
		if err == nil && unix.Fstat(got, &st) == nil && st.Mode&unix.S_IFMT != unix.S_IFDIR {
			_ = unix.Close(got)
			got, err = -1, unix.ENOTDIR
		}
		if found := outcome(got, err); found != want {
			t.Errorf("%q leads to %s, for the kernel to %s", name, found, want)
		}
	})
}

// FuzzPin has the kernel's open as its oracle, for the whole way from a caller's path to
// what is held open.
func FuzzPin(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, tree, path []byte) {
		dir := t.TempDir()
		plant(t, dir, tree, dir)
		at, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = unix.Close(at) }()
		root, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = unix.Close(root) }()
		name := spelt(path[:min(len(path), 30)], dir)
		for _, follow := range []bool{true, false} {
			flags := unix.O_PATH | unix.O_CLOEXEC
			if !follow {
				flags |= unix.O_NOFOLLOW
			}
			want := outcome(unix.Openat(at, name, flags, 0))
			a := stub(root)
			p, err := a.parent(int32(at), name)
			got := -1
			if err == nil {
				got, err = a.pin(p, follow)
			}
			if found := outcome(got, err); found != want {
				t.Errorf("%q (follow %v) leads to %s, for the kernel to %s", name, follow, found, want)
			}
		}
	})
}

// stub is a call of this very process, which waits for its answer.
func stub(top int) *request {
	b := &Broker{top: top, waits: func(uint64) bool { return true }}
	return &request{b: b, n: &notification{}, pid: os.Getpid()}
}
