package toolchains

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/test/needs"
)

const (
	module = "../.."
	nobody = 65534
)

// bin is the program under test.
var bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if flag.Parse(); testing.Short() { // which leaves all of them out
		return needs.M{M: m}.Run()
	}
	dir, err := os.MkdirTemp("", "pillion-toolchains-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = filepath.Join(dir, "pillion")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin, ".")
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	if err := os.Chmod(dir, 0o755); err != nil { // for the ordinary user
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return needs.M{M: m}.Run()
}

// user is somebody with a home and a folder of projects.
type user struct {
	t          *testing.T
	uid        int
	home, work string
	path       string
	rung       string
}

// everyUser runs f as the user who tests and, when that is root, as an ordinary
// one: what holds for one proves nothing for the other.
func everyUser(t *testing.T, f func(u *user)) {
	uids := []int{os.Geteuid()}
	if uids[0] == 0 && needs.Everything() {
		uids = append(uids, nobody)
	}
	for _, uid := range uids {
		t.Run(fmt.Sprintf("uid=%d", uid), func(t *testing.T) { f(newUser(t, uid)) })
	}
}

func newUser(t *testing.T, uid int) *user {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "mw-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { discard(dir) })
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	u := &user{
		t: t, uid: uid, home: filepath.Join(dir, "home"), work: filepath.Join(dir, "work"),
		path: filepath.Join(strings.TrimSpace(string(root)), "bin") + ":/usr/local/bin:/usr/bin:/bin",
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{u.home, u.work} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(d, uid, uid); err != nil {
			t.Fatal(err)
		}
	}
	out, _ := u.run(u.work, nil, bin, "doctor")
	if m := regexp.MustCompile(`rung (\S+)`).FindStringSubmatch(out); m != nil {
		u.rung = m[1]
	}
	if u.rung == "" || u.rung == "none" {
		t.Fatalf("no sandbox on this machine:\n%s", out)
	}
	return u
}

// namespaced says that commands have a network, terminals and shared memory of
// their own.
func (u *user) namespaced() bool { return u.rung == "full" || u.rung == "no-landlock" }

// discard removes what tools made unwritable, too.
func discard(dir string) {
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(p, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}

// run starts a program outside of any sandbox, as the user. out is its standard output and
// then the other: mixed, one would be in the middle of the other.
func (u *user) run(dir string, env []string, argv ...string) (out string, code int) {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(u.t.Context(), 10*time.Minute)
	defer cancel()
	path := argv[0]
	for _, d := range strings.Split(u.path, ":") {
		if p := filepath.Join(d, argv[0]); !strings.Contains(argv[0], "/") && isFile(p) {
			path = p
			break
		}
	}
	cmd := exec.CommandContext(ctx, path, argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append([]string{"HOME=" + u.home, "PATH=" + u.path, "LANG=C.UTF-8", "GOFLAGS=-buildvcs=false", "GOSUMDB=off", "PIP_DISABLE_PIP_VERSION_CHECK=1", "npm_config_update_notifier=false"}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if os.Geteuid() != u.uid {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(u.uid), Gid: uint32(u.uid)}
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		u.t.Fatalf("%q: %v", argv, err)
	}
	return stdout.String() + stderr.String(), cmd.ProcessState.ExitCode()
}

// outside must work: it is what a person would do.
func (u *user) outside(dir string, argv ...string) string {
	u.t.Helper()
	out, code := u.run(dir, []string{"GOPROXY=off", "npm_config_offline=true"}, argv...)
	if code != 0 {
		u.t.Fatalf("outside: %q: code %d\n%s", argv, code, out)
	}
	return out
}

// inside runs shell text with dir as the workspace.
func (u *user) inside(dir, script string, flags ...string) (out string, code int) {
	u.t.Helper()
	argv := slices.Concat([]string{bin, "exec", "--quiet", "--timeout", "8m"}, flags, []string{"--", script})
	return u.run(dir, nil, argv...)
}

func (u *user) write(path, text string) {
	u.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		u.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		u.t.Fatal(err)
	}
	u.own(path, filepath.Dir(path))
}

// own gives files to the user.
func (u *user) own(paths ...string) {
	u.t.Helper()
	for _, root := range paths {
		err := filepath.WalkDir(root, func(p string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(p, u.uid, u.uid)
		})
		if err != nil {
			u.t.Fatal(err)
		}
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
