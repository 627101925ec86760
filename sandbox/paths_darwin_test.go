package sandbox

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

func listenTCP(t *testing.T) (port string) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	_, port, err = net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// A link in a folder of the workspace may be a command's; elsewhere it is the user's.
func TestAGrantIsNotFollowedThroughALinkOfTheWorkspace(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "l")
	if err := os.Symlink("/private/etc", link); err != nil {
		t.Fatal(err)
	}
	if got, err := grantedPaths([]string{link}, []string{dir, link}); err == nil {
		t.Errorf("%v", got)
	}
	if got, err := grantedPaths([]string{link}, []string{link}); err != nil || len(got) != 1 || got[0] != "/private/etc" {
		t.Errorf("%v %v", got, err)
	}
	if got, err := grantedPaths([]string{filepath.Join(dir, "absent"), dir, dir}, nil); err != nil || len(got) != 1 || got[0] != dir {
		t.Errorf("%v %v", got, err)
	}
}

// The kernel names a file as it is on the disk, whatever case it was asked by.
func TestPathsAreNamedAsTheKernelDoes(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "Folder")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := files.KernelPath(path); err != nil || got != path {
		t.Errorf("%s %v", got, err)
	}
	if got, err := files.KernelPath(filepath.Join(dir, "FOLDER")); err == nil && got != path { // else the volume tells cases apart
		t.Errorf("%s", got)
	}
	if _, err := files.KernelPath(strings.Repeat("/x", 600)); err == nil {
		t.Error("a path that is too long has a name")
	}
}
