package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/test/long"
)

// What one command moves as a file, another one can exchange for a directory with
// anything in it after it was looked at: in the TMPDIR that they share, and in the
// workspace. So nothing is moved to where a directory would be refused from where one
// can take its place, and mv copies.
func TestNothingIsExchangedOnItsWay(t *testing.T) {
	t.Parallel()
	long.Test(t)
	onRungs(t, Limits{}, func(b *bench) {
		exe, err := os.Executable()
		if err != nil {
			b.t.Fatal(err)
		}
		for from, to := range map[string]string{"$TMPDIR": "in", ".": ".git/modules/in"} {
			b.host("rm -rf .git in stop waiting d f; mkdir -p .git/modules")
			p, r := b.start(exe, "helper-exchange", from)
			defer r.Close()
			waitForFile(b.t, filepath.Join(b.ws, "waiting"))
			if o := b.helper("helper-move-in", from, to, strconv.Itoa(long.Rounds(20000))); o.status.Code != 0 {
				b.t.Errorf("%s: %+v", to, o)
			}
			b.host("touch stop")
			_, _ = p.Wait()
			_, _ = p.End(false)
			if _, err := os.Lstat(filepath.Join(b.ws, to, "hooks")); err == nil {
				b.t.Errorf("%s: a directory that was prepared elsewhere came in", to)
			}
		}
	})
}

func exchangeHelper(where string) int {
	where = os.ExpandEnv(where)
	if os.MkdirAll(where+"/d/hooks", 0o755) != nil || os.WriteFile("waiting", nil, 0o644) != nil {
		return 1
	}
	for {
		_ = unix.Renameat2(unix.AT_FDCWD, where+"/d", unix.AT_FDCWD, where+"/f", unix.RENAME_EXCHANGE)
		if _, err := os.Lstat("stop"); err == nil {
			return 0
		}
	}
}

func moveInHelper(where, to, rounds string) int {
	file := os.ExpandEnv(where) + "/f"
	n, _ := strconv.Atoi(rounds)
	for range n {
		if fd, err := unix.Open(file, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY, 0o644); err == nil {
			_ = unix.Close(fd)
		}
		if unix.Rename(file, to) != nil {
			continue
		}
		if st, err := os.Lstat(to); err == nil && st.IsDir() {
			return 1
		}
		_ = os.Remove(to) // a directory takes no file's place
	}
	return 0
}
