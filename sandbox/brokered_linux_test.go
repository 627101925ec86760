package sandbox

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
)

// brokerHelper runs a script under the filter and a broker, and nothing else: no
// Landlock, so what the broker alone does and refuses can be seen. It prints the
// violations behind the script's output.
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
	if err := dropCapabilities(); err != nil {
		return 90
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 91
	}
	tid := uint32(unix.Gettid())
	prog, err := assemble(auditArch, newestOf(syscallNumbers()), filterRules(syscallNumbers(), conf{rung: RungNoUserns, policy: Policy{Mode: WorkspaceWrite, Network: NetworkDeny}}, keeper{uint32(os.Getpid()), tid}))
	if err != nil {
		return 92
	}
	listener, err := installFilter(prog)
	if err != nil {
		return 93
	}
	b, err := newBroker(listener, brokerConf{writable: []string{ws, private}, private: 1, keeper: tid, confined: true})
	if err != nil {
		return 96
	}
	go b.serve()
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
	if b.finish() != nil {
		return 97
	}
	rows, total := b.violations()
	for _, v := range rows {
		fmt.Printf("violation %s %s %s %s %s %d %s\n", v.Op, v.Path, v.Rule, v.Errno, v.Process, v.Count, v.Attribution)
	}
	if total > 0 {
		fmt.Println("total", total)
	}
	return st.ExitStatus()
}

// brokered runs a script under the helper.
func (b *bench) brokered(script string) (string, int) {
	b.t.Helper()
	private := filepath.Join(filepath.Dir(b.ws), "private")
	if err := os.MkdirAll(private, 0o700); err != nil {
		b.t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.Command(exe, "helper-broker", b.ws, private, script)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		b.t.Fatal(err)
	}
	return strings.ReplaceAll(string(out), b.ws+"/", ""), cmd.ProcessState.ExitCode()
}

func TestViolationsAreData(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.repositories()
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
			out, _ := b.brokered("{ " + script + "; } 2>/dev/null")
			if out != want {
				t.Errorf("%s: %q, want %q", script, out, want)
			}
			_ = os.RemoveAll(filepath.Join(b.ws, "n"))
		}
		out, _ := b.brokered("for i in $(seq 100); do mkdir d$i; echo > d$i/.envrc; done 2>/dev/null")
		if rows := strings.Count(out, "violation "); rows != maxViolations || !strings.HasSuffix(out, "total 100\n") {
			t.Errorf("%d rows of %q", rows, out)
		}
	})
}
