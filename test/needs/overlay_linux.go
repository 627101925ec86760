package needs

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Overlay reports whether the kernel mounts an overlay of directories in dir for a user: not
// on a disk that is one itself, where caches begin empty.
func Overlay(t testing.TB, dir string) bool {
	t.Helper()
	dir, err := os.MkdirTemp(dir, "overlay-")
	if err != nil {
		t.Fatal(err)
	}
	// The kernel leaves a directory of mode 0.
	defer func() { _ = exec.Command("sh", "-c", `chmod -R u+rwx "$0"; rm -r "$0"`, dir).Run() }()
	for _, d := range []string{"lower", "upper", "work", "at"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const script = `cd "$0" && mount -t overlay -o userxattr,volatile,lowerdir=lower,upperdir=upper,workdir=work none at`
	out, err := exec.Command("unshare", "-Urm", "sh", "-c", script, dir).CombinedOutput()
	if err != nil {
		t.Logf("no overlay here: %v %s", err, out)
	}
	return err == nil
}
