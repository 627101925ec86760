package rpc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/test/box"
)

// The fault tests take something from a sidecar that was really started: room on
// its disk, descriptors, processes, its reader. Each says what a client then sees,
// and that nobody else's command suffers from it.

// built is the program itself.
var built = sync.OnceValues(func() (string, error) {
	out := filepath.Join(box.StateDir, "pillion-fault")
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", out, ".")
	cmd.Dir = ".."
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", errors.New(string(text))
	}
	return out, nil
})

// victim is a sidecar of which a test takes something away.
type victim struct {
	*client
	cmd    *exec.Cmd
	home   string
	spools string
}

// helperMount is the name under which this test binary gives a sidecar a small
// disk for its spools, in a mount namespace of its own.
const helperMount = "helper-mount"

// mountAndServe is that helper.
func mountAndServe(args []string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	if err := unix.Mount("tmpfs", args[0], "tmpfs", 0, "mode=0700,size="+args[1]); err != nil {
		return fmt.Errorf("tmpfs: %w", err)
	}
	return unix.Exec(args[2], []string{args[2], "serve"}, os.Environ())
}

// begin starts a sidecar; change may alter how.
func begin(t *testing.T, options string, change ...func(*victim)) *victim {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	v := &victim{cmd: exec.Command(path, "serve"), home: t.TempDir()}
	v.spools = filepath.Join(v.home, ".cache", "pillion", "spool")
	if err := os.MkdirAll(v.spools, 0o700); err != nil {
		t.Fatal(err)
	}
	serverIn, in := pipe(t)
	out, serverOut := pipe(t)
	v.client = &client{t: t, ws: t.TempDir(), in: in, out: out, log: new(lockedBuffer), code: make(chan int, 1), more: make(chan struct{}, 1)}
	v.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + v.home}
	v.cmd.Stdin, v.cmd.Stdout, v.cmd.Stderr = serverIn, serverOut, v.log
	v.cmd.SysProcAttr = &syscall.SysProcAttr{}
	for _, f := range change {
		f(v)
	}
	if err := v.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = serverIn.Close()
	_ = v.cmd.Stdout.(*os.File).Close() // ours or that of a relay: only the sidecar holds it now
	ctx, stop := context.WithCancel(context.Background())
	v.stop = stop
	v.scope.Go(func() { _ = v.cmd.Wait(); v.code <- v.cmd.ProcessState.ExitCode(); stop() })
	v.scope.Go(v.read)
	v.scope.Go(func() { // one that does not end is a failed test, not a hanging one
		select {
		case <-ctx.Done():
		case <-time.After(3 * patience):
			_ = v.cmd.Process.Kill()
		}
	})
	t.Cleanup(v.quit)
	v.request(1, "initialize", fmt.Sprintf(`{"processId":null,"workspaceFolders":[{"uri":%q}],"capabilities":{},"initializationOptions":{%s}}`, "file://"+v.ws, options))
	v.result(1, new(protocol.InitializeResult))
	v.notify("initialized", "{}")
	v.forget()
	return v
}

// quit ends the sidecar as an editor's end does.
func (v *victim) quit() {
	_ = v.in.Close()
	late := time.AfterFunc(patience, func() { _ = v.out.Close() })
	defer late.Stop()
	v.scope.Wait()
	_ = v.out.Close()
	if v.t.Failed() {
		v.t.Log("server log:\n" + v.log.String())
	}
}

// steady starts a command that writes numbered lines until the file stop is in the
// workspace, and returns when it has written some.
func (v *victim) steady(id int) {
	v.t.Helper()
	v.request(id, "exec", fmt.Sprintf(`{"execId":"steady","command":"i=0; while ! [ -e stop ]; do i=$((i+1)); echo $i; sleep 0.02; done","partialResultToken":%d}`, id))
	v.wait("output of the steady command", func(m message) bool {
		return strings.HasPrefix(string(m.Params), fmt.Sprintf(`{"token":%d,"value":{"type":"output"`, id))
	})
}

// steadyEnds lets the steady command end, and checks that every line of it came.
func (v *victim) steadyEnds(id int) {
	v.t.Helper()
	if err := os.WriteFile(filepath.Join(v.ws, "stop"), nil, 0o600); err != nil {
		v.t.Fatal(err)
	}
	var r protocol.ExecResult
	v.result(id, &r)
	text := collect(v.t, v.all(), fmt.Sprint(id))["stdout"]
	want, lines := "", 0
	for len(want) < len(text) {
		lines++
		want += fmt.Sprintf("%d\n", lines)
	}
	if text != want || r.Reason != "exited" || r.ExitCode == nil || *r.ExitCode != 0 || int64(len(text)) != r.Output["stdout"].TotalBytes {
		v.t.Errorf("the steady command lost output: %d bytes of %d, %s", len(text), r.Output["stdout"].TotalBytes, r.Reason)
	}
}

// endAnyway ends the steady command, of whose output some may have been lost.
func (v *victim) endAnyway(id int) {
	v.t.Helper()
	if err := os.WriteFile(filepath.Join(v.ws, "stop"), nil, 0o600); err != nil {
		v.t.Fatal(err)
	}
	var r protocol.ExecResult
	v.result(id, &r)
	out := r.Output["stdout"]
	missing := int64(0)
	for _, g := range out.Gaps {
		missing += g.To - g.From
	}
	if r.ExitCode == nil || *r.ExitCode != 0 || out.StreamedBytes+missing != out.TotalBytes {
		v.t.Errorf("%s: %+v", r.Reason, out)
	}
}
