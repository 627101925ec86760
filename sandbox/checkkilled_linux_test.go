package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/test/long"
)

// The sidecar dies in the hardest way while a daemon runs and a file is written.
func TestAKilledSidecarLeavesNothing(t *testing.T) {
	onEveryRung(t, func(t *testing.T, rung string) {
		r := newRoom(t, rung)
		r.makeRepository()
		before := r.state()
		state := filepath.Join(r.base, "killed")
		cmd := startSidecar(t, state, r.repo)
		must(t, cmd.Process.Kill())
		_ = cmd.Wait()
		killed := time.Now()
		waitFor(t, func() bool { return len(alive("98714."+mark())) == 0 && len(aliveIn(state)) == 0 })
		t.Logf("no process after %v", time.Since(killed))
		again, err := Open(Options{StateDir: state})
		must(t, err)
		again.Tested()
		again.Close()
		waitFor(t, func() bool { return len(filesBelow(t, filepath.Join(state, "sandboxes"))) == 0 })
		if dirty := gitOut(t, r.repo, "status", "--porcelain", "-uall"); dirty != "" {
			t.Errorf("not clean:\n%s", dirty)
		}
		if after := r.state(); after != before {
			t.Errorf("the host changed:\n%s", hostChange(before, after))
		}
	})
}

// What a command leaves in a repository of its own waits for nobody to be harmless.
func TestAKilledSidecarLeavesNoSettings(t *testing.T) {
	long.Test(t)
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.host("echo 'git init -q n; git -C n config core.fsmonitor e; git -C n config user.name x' > begin")
		state := filepath.Join(filepath.Dir(b.ws), "killed")
		for range 5 {
			cmd := startSidecar(t, state, b.ws)
			must(t, cmd.Process.Kill())
			_ = cmd.Wait()
			waitFor(t, func() bool { return len(aliveIn(state)) == 0 })
			b.host("test -e n/.git/HEAD && ! grep fsmonitor n/.git/config && grep -q name n/.git/config && rm -rf n")
		}
	})
}

// startSidecar starts holderHelper in a process of its own and returns when its
// command's daemons are there.
func startSidecar(t *testing.T, state, workspace string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.Command(exe, "holder", state, workspace, mark())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "running\n" {
		t.Fatalf("%q, %v", line, err)
	}
	eventually(t, "the tree is up", func() bool { return len(alive("98714."+mark())) >= 2 })
	return cmd
}

// aliveIn are processes that were started with a path below dir.
func aliveIn(dir string) []string { return alive(dir + "/") }

func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	found := strings.Split(strings.TrimSpace(snapshot(t, dir)), "\n")
	return found[1:] // without the directory itself
}

// holderHelper is a sidecar with one command that daemonizes, for the test that
// kills it.
func holderHelper(args []string) int {
	return endless(args[0], args[1], "test ! -e begin || . ./begin; (setsid sh -c 'sleep 98714.$MARK & sleep 98714.$MARK' &); mkdir -p $HOME/a; chmod 0 $HOME/a; sleep 98714.$MARK",
		"holder", "MARK="+args[2])
}

// endless is a sidecar on a workspace with one command that never ends.
func endless(state, ws, script, name string, env ...string) int {
	m, err := Open(Options{StateDir: state})
	if err != nil {
		return complain(err)
	}
	s, err := m.Sandbox(Policy{
		Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate, Writable: []string{ws}, Readable: []string{ws},
		Journal: os.Getenv("PILLION_TEST_JOURNAL"),
	})
	if err != nil {
		return complain(err)
	}
	null := func() *os.File { f, _ := os.OpenFile(os.DevNull, os.O_RDWR, 0); return f }
	d, err := os.Open(ws)
	if err != nil {
		return complain(err)
	}
	p, err := s.Start(context.Background(), Command{
		Path: "/bin/sh", Argv: []string{"sh", "-c", script, name}, Dir: d, Stdin: null(), Stdout: null(), Stderr: null(),
		Env: append([]string{"PATH=/usr/bin:/bin", "HOME=" + s.Home()}, env...), Entry: os.Getenv("PILLION_TEST_ENTRY"),
	})
	if err != nil {
		return complain(err)
	}
	fmt.Println("running")
	_, _ = p.Wait()
	return 0
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 2
}
