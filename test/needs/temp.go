package needs

import (
	"io/fs"
	"os"
	"runtime"
)

// temp makes what tests get of testing.T.TempDir lie in such a directory, until remove.
func temp() (remove func()) {
	if runtime.GOOS == "windows" { // where TMPDIR means nothing
		return func() {}
	}
	dir, err := TempDir("t")
	if err != nil {
		return func() {} // the first test that needs one says why there is none
	}
	_ = os.Chmod(dir, 0o777|fs.ModeSticky) // as /tmp: tests run as other users, too
	before := os.Getenv("TMPDIR")          // an empty one doesn't count. os.TempDir
	os.Setenv("TMPDIR", dir)
	return func() {
		os.RemoveAll(dir)
		os.Setenv("TMPDIR", before)
	}
}
