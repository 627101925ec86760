package sandbox

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/canary"
	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/mounts"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/seccomp"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// rootBench builds a real root in real namespaces and runs a script in it,
// without Landlock and seccomp: what holds here holds by the mounts alone.
type rootBench struct {
	t                             *testing.T
	dir, ws, out, state, userHome string
	exe                           string
	job                           rootJob
}

// rootJob is the input of the process in the namespaces.
type rootJob struct {
	Policy              Policy
	Dir, Home, UserHome string
	Hidden              []string
	TmpDisk             bool
	Prepare             [][2]string // kind and place: what the host has mounted
	Shared              bool        // the host passes its mounts on, as systemd makes it
	Swap                string      // a directory that becomes a link to / between plan and build
	Script              string
	Runner              bool // a second process below it, as a runner is below its holder
	Plan                bool // print the plan and nothing else
	Time                bool // print how long the root took and nothing else
	Lost                bool // wait for the file go in the workspace, then print what is no longer hidden
	Env                 []string
}

func newRootBench(t *testing.T) *rootBench {
	t.Helper()
	needs.Namespaces(t)
	dir, err := os.MkdirTemp("", "r")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.RemoveTree(dir) })
	b := &rootBench{t: t, dir: dir}
	for name, to := range map[string]*string{"ws": &b.ws, "out": &b.out, "state": &b.state, "user": &b.userHome} {
		*to = filepath.Join(dir, name)
		b.mkdir(name)
	}
	b.mkdir("state/box/home")
	b.mkdir("state/box/tmp")
	b.file("state/box/resolv.conf", noNames)
	b.file("out/keep", "outside")
	if b.exe, err = os.Executable(); err != nil {
		t.Fatal(err)
	}
	b.job = rootJob{
		Policy: Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate, Writable: []string{b.ws}, Readable: []string{b.ws, b.exe}},
		Dir:    filepath.Join(b.state, "box"), UserHome: b.userHome, Hidden: []string{b.state},
	}
	return b
}

func (b *rootBench) mkdir(name string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Join(b.dir, name), 0o755); err != nil {
		b.t.Fatal(err)
	}
}

func (b *rootBench) file(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// command starts this test binary in the namespaces of a holder.
func (b *rootBench) command(job rootJob) *exec.Cmd {
	b.t.Helper()
	if job.Home == "" {
		job.Home = mounts.PrivateHome(job.Policy.Reads, job.UserHome)
	}
	job.Env = append(job.Env, "PATH=/usr/local/bin:/usr/bin:/bin", "OUT="+b.out, "WS="+b.ws, "HOME="+job.Home, "EXE="+b.exe)
	var in bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(job); err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe", "helper-root")
	cmd.Stdin = &in
	cmd.Dir = "/"
	ids := 1
	if os.Geteuid() == 0 {
		ids = 1 << 16
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC |
			syscall.CLONE_NEWUTS | syscall.CLONE_NEWNET,
		// Exec takes every other capability from an ordinary user.
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN},
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: ids}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: ids}},
	}
	return cmd
}

// run returns what a script said, which must have ended well.
func (b *rootBench) run(script string) string {
	b.t.Helper()
	job := b.job
	job.Script = script
	out, err := b.try(job)
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return out
}

func (b *rootBench) try(job rootJob) (string, error) {
	b.t.Helper()
	out, err := b.command(job).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// refused runs one command that must fail with an error's text.
func (b *rootBench) refused(script, why string) {
	b.t.Helper()
	job := b.job
	job.Script = "LC_ALL=C; export LC_ALL; " + script
	if out, err := b.try(job); err == nil || !strings.Contains(out, why) {
		b.t.Errorf("%s: %v, want %q in: %s", script, err, why, out)
	}
}

// rootHelper is the process in the namespaces.
func rootHelper(name string) int {
	runtime.LockOSThread()
	switch name {
	case "helper-root-change":
		return changeEverything(os.Args[2])
	case "helper-root-terminal":
		return openTerminal()
	}
	var job rootJob
	if err := gob.NewDecoder(os.Stdin).Decode(&job); err != nil {
		return rootFailed("job", err)
	}
	if name == "helper-root-runner" {
		if err := mounts.MountProc(); err != nil {
			return rootFailed("mountProc", err)
		}
		return runScript(job)
	}
	if job.Shared {
		job.Shared = false
		if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SHARED, ""); err != nil {
			return rootFailed("shared", err)
		}
		return startBelow("helper-root", job)
	}
	for _, m := range job.Prepare {
		if err := unix.Mount(m[0], m[1], m[0], 0, ""); err != nil {
			return rootFailed("prepare "+m[1], err)
		}
	}
	l, err := mounts.NewLayout(policy.Conf{Dir: job.Dir, Home: job.Home, UserHome: job.UserHome, TmpDisk: job.TmpDisk, Hidden: job.Hidden, Search: filepath.SplitList(os.Getenv("PATH"))})
	if err != nil {
		return rootFailed("layout", err)
	}
	plan, err := l.Plan(job.Policy)
	if err != nil {
		return rootFailed("plan", err)
	}
	if job.Plan {
		fmt.Print(plan)
		return 0
	}
	if job.Swap != "" {
		if err := os.Rename(job.Swap, job.Swap+"2"); err != nil {
			return rootFailed("swap", err)
		}
		if err := os.Symlink("/", job.Swap); err != nil {
			return rootFailed("swap", err)
		}
	}
	begin := time.Now()
	masks, err := mounts.BuildRoot(plan)
	if err != nil {
		return rootFailed("buildRoot", err)
	}
	if job.Time {
		fmt.Println(time.Since(begin).Microseconds())
		return 0
	}
	if job.Lost {
		return printLost(job, masks)
	}
	if job.Runner {
		return startBelow("helper-root-runner", job)
	}
	return runScript(job)
}

func rootFailed(stage string, err error) int {
	fmt.Println(stage+":", err)
	return 3
}

// startBelow starts a process in pid and mount namespaces of its own and the same
// user namespace.
func startBelow(name string, job rootJob) int {
	var in bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(job); err != nil {
		return rootFailed("encode", err)
	}
	cmd := exec.Command("/proc/self/exe", name)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS, AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN},
	}
	if err := cmd.Run(); err != nil {
		return rootFailed("runner", err)
	}
	return 0
}

func printLost(job rootJob, m *mounts.Masks) int {
	if err := os.WriteFile(filepath.Join(job.Policy.Writable[0], "ready"), nil, 0o600); err != nil {
		return rootFailed("ready", err)
	}
	for range 10000 {
		if _, err := os.Stat(filepath.Join(job.Policy.Writable[0], "go")); err == nil {
			lost := m.Plan.Lost()
			if err := m.Mend(); err != nil {
				return rootFailed("mend", err)
			}
			fmt.Println(len(lost), lost[0].Path, len(m.Plan.Lost()))
			return 0
		}
		time.Sleep(time.Millisecond)
	}
	return rootFailed("go", os.ErrDeadlineExceeded)
}

// runScript becomes a shell without capabilities, as a command is.
func runScript(job rootJob) int {
	if err := seccomp.DropCapabilities(); err != nil {
		return rootFailed("capabilities", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return rootFailed("no_new_privs", err)
	}
	return rootFailed("exec", syscall.Exec("/bin/sh", []string{"sh", "-c", job.Script}, job.Env))
}

// changeEverything tries every way to change a file or what is beside it, and
// prints which errors came, once each.
func changeEverything(file string) int {
	at := filepath.Dir(file)
	for name, err := range map[string]error{
		"write":    canary.OpenFile(file, unix.O_WRONLY),
		"append":   canary.OpenFile(file, unix.O_WRONLY|unix.O_APPEND),
		"create":   canary.OpenFile(filepath.Join(at, "new"), unix.O_WRONLY|unix.O_CREAT),
		"truncate": unix.Truncate(file, 0),
		"chmod":    unix.Chmod(file, 0o600),
		"chown":    unix.Chown(file, os.Getuid(), os.Getgid()),
		"utime":    unix.Utimes(file, make([]unix.Timeval, 2)),
		"xattr":    unix.Setxattr(file, "user.pillion", []byte("x"), 0),
		"unlink":   unix.Unlink(file),
		"rename":   unix.Rename(file, file+"2"),
		"link":     unix.Link(file, file+"2"),
		"symlink":  unix.Symlink("x", file+"2"),
		"mkdir":    unix.Mkdir(filepath.Join(at, "new-dir"), 0o700),
		"fifo":     unix.Mkfifo(filepath.Join(at, "new-fifo"), 0o600),
		"chmodDir": unix.Chmod(at, 0o777),
	} {
		if err != unix.EROFS {
			fmt.Println(name, err)
		}
	}
	return 0
}

// openTerminal does what openpty(3) does, and writes through it.
func openTerminal() int {
	m, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return rootFailed("ptmx", err)
	}
	n, err := unix.IoctlGetInt(int(m.Fd()), unix.TIOCGPTN)
	if err != nil {
		return rootFailed("number", err)
	}
	if err := unix.IoctlSetPointerInt(int(m.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return rootFailed("unlock", err)
	}
	s, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return rootFailed("slave", err)
	}
	if _, err := s.WriteString("through\n"); err != nil {
		return rootFailed("write", err)
	}
	text, err := bufio.NewReader(m).ReadString('\n') // a terminal may hand a line over in parts
	if err != nil {
		return rootFailed("read", err)
	}
	fmt.Printf("%q\n", text)
	return 0
}
