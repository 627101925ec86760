package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// state is all of the host that a row could have changed. The change time of a file covers
// its mode, owner, times, attributes, links and contents.
func (r *room) state() string {
	var s strings.Builder
	for _, d := range []string{r.out, r.ro, realHome()} {
		s.WriteString(snapshot(r.t, d))
	}
	for _, d := range []string{"/tmp/", "/var/tmp/", "/dev/shm/", "/sys/fs/cgroup/"} {
		if _, err := os.Lstat(d + escapeName()); err == nil {
			fmt.Fprintf(&s, "%s is there\n", d+escapeName())
		}
	}
	fmt.Fprintf(&s, "heard %d; victim alive %v; left %q\n", r.heard.Load(), processAlive(r.victim.Process.Pid), ipcObjects())
	return s.String()
}

func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var s strings.Builder
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			return err
		}
		fmt.Fprintf(&s, "%s %o %d:%d %d bytes, changed %d.%09d\n", path, st.Mode, st.Uid, st.Gid, st.Size, st.Ctim.Sec, st.Ctim.Nsec)
		return nil
	})
	must(t, err)
	return s.String()
}

// makeRepository fills the workspace of the repository rows: a repository with
// two others nested in it, and a work tree.
func (r *room) makeRepository() {
	if r.made != "" && r.made == snapshot(r.t, r.repo) {
		return // the last script has changed nothing in it
	}
	entries, err := os.ReadDir(r.repo)
	must(r.t, err)
	for _, e := range entries {
		files.RemoveTree(filepath.Join(r.repo, e.Name()))
	}
	template := filepath.Join(r.base, "template")
	if _, err := os.Stat(template); err == nil {
		copyTree(r.t, template, r.repo)
	} else {
		r.firstRepository()
		copyTree(r.t, r.repo, template)
	}
	r.made = snapshot(r.t, r.repo)
}

// firstRepository is made where the others will be: a work tree holds its path.
func (r *room) firstRepository() {
	for _, d := range []string{".", "sub", "a/b/c/d"} {
		gitOut(r.t, r.repo, "init", "-q", d)
	}
	must(r.t, os.WriteFile(filepath.Join(r.repo, ".git/info/exclude"), []byte("/sub/\n/a/\n/wt/\n"), 0o644))
	gitOut(r.t, r.repo, "commit", "-q", "--allow-empty", "-m", "first")
	gitOut(r.t, r.repo, "worktree", "add", "-q", "-b", "side", "wt")
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", "-aT", from, to).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// gitOut is git as the user runs it on the host, who has no configuration.
func gitOut(t *testing.T, dir string, args ...string) string {
	t.Helper()
	args = append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"}, args...)
	cmd := exec.Command("git", args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return string(out)
}
