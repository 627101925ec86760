package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/pillion-sidecar/pillion/test/needs"
)

// relaunch runs the calling test again as a user, behind a launcher, in a
// directory of its own with a home that nobody minds.
func relaunch(t *testing.T, uid int, l launcher) {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "pn-")
	must(t, err)
	t.Cleanup(func() { removeTree(dir) })
	exe, err := os.Executable()
	must(t, err)
	if uid != os.Getuid() { // who may not look where the toolchain has put it
		exe = copyOfUs(t, filepath.Join(dir, "sandbox.test"))
	}
	setID := copyOfUs(t, filepath.Join(dir, "setid.test"))
	if os.Getuid() == 0 {
		must(t, os.Chown(setID, 65534-uid, 65534-uid)) // the other one
	}
	must(t, os.Chmod(setID, 0o6755))
	for _, d := range []string{dir, dir + "/t", dir + "/home"} {
		must(t, os.MkdirAll(d, 0o755))
		must(t, os.Chmod(d, 0o755))
		must(t, os.Chown(d, uid, uid))
	}
	foreign := dir + "/foreign"
	must(t, os.Mkdir(foreign, 0o755))
	if os.Getuid() == 0 {
		must(t, os.Chown(foreign, 65534-uid, 65534-uid))
	}
	test, _, _ := strings.Cut(t.Name(), "/")
	cmd := exec.Command(exe, "launch", l.name, "-test.v", "-test.run=^"+test+"$")
	cmd.Dir = dir
	cmd.Env = []string{
		"PILLION_TEST_RUNG=" + l.expected(), "PILLION_TEST_LAUNCHER=" + l.name, "PILLION_TEST_FOREIGN=" + foreign, "TMPDIR=" + dir + "/t", "HOME=" + dir + "/home", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
		"PILLION_TEST_SETID=" + setID, "PILLION_SECRET_TOKEN=x", "AWS_SECRET_ACCESS_KEY=x", "NODE_OPTIONS=", "BASH_ENV=/dev/null",
	}
	if uid != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+test) {
		t.Fatalf("%v\n%s", err, failures(string(out)))
	}
}

func copyOfUs(t *testing.T, path string) string {
	t.Helper()
	self, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	syscall.ForkLock.RLock() // a child forked meanwhile would keep the file open for writing: text file busy
	defer syscall.ForkLock.RUnlock()
	must(t, os.WriteFile(path, self, 0o755))
	return path
}

// failures leaves out the names of what passed.
func failures(out string) string {
	var keep []string
	for _, line := range strings.Split(out, "\n") {
		if !strings.HasPrefix(line, "=== ") && !strings.Contains(line, "--- PASS") {
			keep = append(keep, line)
		}
	}
	return strings.Join(keep, "\n")
}

// users are the one that started the tests and, when that is root, an ordinary
// one: what holds for one proves nothing for the other. The race detector looks for
// something else, which one user shows as well, and makes each run take three times
// as long; a quick look at everything has the user who looks.
func users() []int {
	if os.Getuid() == 0 && !underRace && needs.Everything() {
		return []int{0, 65534}
	}
	return []int{os.Getuid()}
}

// onEveryRung runs a test once for each user and each rung that some launcher
// makes; where this version refuses to run commands, there is none to test. A quick look
// at everything has the machine's own rung.
func onEveryRung(t *testing.T, f func(t *testing.T, rung string)) {
	t.Helper()
	if rung := os.Getenv("PILLION_TEST_RUNG"); rung != "" {
		f(t, rung)
		return
	}
	for _, uid := range users() {
		done := map[string]bool{RungNone: true}
		for _, l := range launchers {
			if rung := l.expected(); !done[rung] && (needs.Everything() || len(done) == 1) {
				done[rung] = true
				t.Run("uid="+strconv.Itoa(uid)+"/"+rung, func(t *testing.T) { t.Parallel(); relaunch(t, uid, l) })
			}
		}
	}
}

// onHost runs a test for each user behind the first launcher only.
func onHost(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	if os.Getenv("PILLION_TEST_RUNG") != "" {
		f(t)
		return
	}
	for _, uid := range users() {
		t.Run("uid="+strconv.Itoa(uid), func(t *testing.T) { t.Parallel(); relaunch(t, uid, launchers[0]) })
	}
}
