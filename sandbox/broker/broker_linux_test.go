package broker

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/seccomp"
	"github.com/pillion-sidecar/pillion/test/needs"
	"github.com/pillion-sidecar/pillion/test/users"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == helperName {
		code := brokerHelper(os.Args[2:])
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, uintptr(code), 0, 0) // the race detector's exit takes a second
	}
	os.Exit(users.M{M: needs.M{M: m}}.Run())
}

const helperName = "helper-broker"

// brokerHelper runs a script under the filter and a broker, and nothing else: no Landlock,
// so what the broker alone does and refuses can be seen. It prints the violations after
// the script's output.
func brokerHelper(args []string) int {
	ws, private, script := args[0], args[1], args[2]
	code := make(chan int)
	go func() {
		runtime.LockOSThread()
		code <- runBrokered(ws, private, script)
	}()
	return <-code
}

func runBrokered(ws, private, script string) int {
	if err := seccomp.DropCapabilities(); err != nil {
		return 90
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 91
	}
	tid := uint32(unix.Gettid())
	prog, err := seccomp.Assemble(seccomp.AuditArch, seccomp.Newest(seccomp.Numbers()), seccomp.Rules(seccomp.Numbers(), policy.Conf{Rung: policy.RungNoUserns, Policy: policy.Policy{Mode: policy.WorkspaceWrite, Network: policy.NetworkDeny}}, seccomp.Runner{PID: uint32(os.Getpid()), TID: tid}))
	if err != nil {
		return 92
	}
	listener, err := seccomp.InstallFilter(prog)
	if err != nil {
		return 93
	}
	c := policy.Conf{Rung: policy.RungNoUserns, Home: private, Tmp: private, Policy: policy.Policy{Mode: policy.WorkspaceWrite, Writable: []string{ws}}}
	b, err := New(listener, c, nil, int(tid))
	if err != nil {
		return 96
	}
	b.outsideReadOnly = true
	go b.Serve()
	pid, err := syscall.ForkExec("/bin/sh", []string{"sh", "-c", script}, &syscall.ProcAttr{
		Dir: ws, Env: append(os.Environ(), "OUT="+filepath.Join(filepath.Dir(ws), "out"), "HOME="+private), Files: []uintptr{0, 1, 2},
	})
	if err != nil {
		return 94
	}
	var st unix.WaitStatus
	if _, err := unix.Wait4(pid, &st, 0, nil); err != nil {
		return 95
	}
	if b.Finish() != nil {
		return 97
	}
	rows, total := b.Violations()
	for _, v := range rows {
		fmt.Printf("violation %s %s %s %s %s %d %s\n", v.Op, v.Path, v.Rule, v.Errno, v.Process, v.Count, v.Attribution)
	}
	if total > 0 {
		fmt.Println("total", total)
	}
	return st.ExitStatus()
}

// world is a workspace and a private directory, side by side.
type world struct {
	t           *testing.T
	ws, private string
}

func newWorld(t *testing.T) world {
	t.Helper()
	dir := t.TempDir()
	w := world{t, filepath.Join(dir, "ws"), filepath.Join(dir, "private")}
	for _, d := range []string{w.ws, w.private} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// host runs a script outside of the sandbox, in the workspace.
func (w world) host(script string) {
	w.t.Helper()
	cmd := exec.Command("/bin/sh", "-ec", script)
	cmd.Dir = w.ws
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// run runs a script under the helper.
func (w world) run(script string) (string, int) {
	w.t.Helper()
	cmd := exec.Command("/proc/self/exe", helperName, w.ws, w.private, script)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		w.t.Fatal(err)
	}
	return strings.ReplaceAll(string(out), w.ws+"/", ""), cmd.ProcessState.ExitCode()
}

func TestViolationsAreData(t *testing.T) {
	t.Parallel()
	users.Each(t, func(t *testing.T) {
		b := newWorld(t)
		b.host("git init -q . && mkdir .idea && echo x > .idea/workspace.xml && echo x > .envrc && mkdir .git/modules")
		for script, want := range map[string]string{
			"true":                                   "",
			"mkdir .vscode":                          "violation mkdir .vscode .vscode EROFS mkdir 1 reported\ntotal 1\n",
			"mkdir .idea":                            "", // EEXIST, as on a read-only file system
			"rm .git/hooks/none":                     "", // ENOENT
			"chmod 777 .git/config":                  "violation fchmodat .git/config .git/config EROFS chmod 1 reported\ntotal 1\n",
			"for i in 1 2 3; do echo > .envrc; done": "violation openat .envrc .envrc EROFS sh 3 reported\ntotal 3\n",
			"mv .git g":                              "violation renameat2 .git .git EROFS mv 1 reported\ntotal 1\n",
			"git init -q n; echo x >> n/.git/config": "violation openat n/.git/config .git/config EROFS sh 1 reported\ntotal 1\n",
		} {
			out, _ := b.run("{ " + script + "; } 2>/dev/null")
			if out != want {
				t.Errorf("%s: %q, want %q", script, out, want)
			}
			_ = os.RemoveAll(filepath.Join(b.ws, "n"))
		}
		out, _ := b.run("for i in $(seq 100); do mkdir d$i; echo > d$i/.envrc; done 2>/dev/null")
		if rows := strings.Count(out, "violation "); rows != policy.MaxViolations || !strings.HasSuffix(out, "total 100\n") {
			t.Errorf("%d rows of %q", rows, out)
		}
	})
}

// Outside of the roots the kernel decides; what it allows works, with the
// caller's own terminal and processes.
func TestWhatTheKernelAllowsOutsideWorks(t *testing.T) {
	users.Each(t, func(t *testing.T) {
		b := newWorld(t)
		for name, script := range map[string]string{
			"shared memory":  "f=/dev/shm/pillion-test-$$; echo x > $f && test $(cat $f) = x && rm $f",
			"own oom score":  "echo 500 > /proc/self/oom_score_adj && echo 600 > /proc/$$/oom_score_adj && test $(cat /proc/$$/oom_score_adj) = 600",
			"own name":       "sh -c 'echo renamed > /proc/self/comm; true'",
			"no terminal":    "setsid sh -c '! echo x > /dev/tty' 2> /dev/null",
			"its terminal":   "script -qec 'echo typed > /dev/tty' /dev/null < /dev/null | grep -q typed",
			"new terminal":   "script -qec 'test -t 1 && tty > tty.out' /dev/null < /dev/null && grep -q /dev/pts tty.out",
			"the broker's":   "! echo x > /proc/$PPID/comm && ! echo x > /proc/$PPID/task/$PPID/comm && ! echo 0 > /proc/$PPID/oom_score_adj",
			"other's memory": "! echo x > /proc/1/oom_score_adj",
			"another's root": "! echo x > /proc/1/root/etc/pillion-test",
		} {
			if out, code := b.run(script); code != 0 && !(strings.Contains(out, "violation") && code == 0) {
				t.Errorf("%s: code %d: %s", name, code, out)
			}
		}
	})
}
