package rpc

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// alive lists processes whose command line has the mark.
func (v *victim) alive(mark string) (found []string) {
	v.t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		v.t.Fatal(err)
	}
	// Not as a part of a longer number: the names of temporary directories have such.
	marked := regexp.MustCompile(`(^|\D)` + regexp.QuoteMeta(mark) + `(\D|$)`)
	for _, e := range entries {
		if b, err := os.ReadFile("/proc/" + e.Name() + "/cmdline"); err == nil && marked.Match(b) {
			found = append(found, e.Name()+" "+string(b))
		}
	}
	return found
}

// A client that closes its end of the output is gone, though its input is open:
// everything ends with exit code 1, and SIGPIPE kills nobody in between.
func TestFaultOutputClosed(t *testing.T) {
	v := begin(t, "")
	v.request(10, "exec", `{"command":"yes","partialResultToken":10,"output":{"streamMaxBytes":1000000}}`)
	v.request(11, "exec", `{"execId":"quiet","command":"sleep 98771","partialResultToken":11}`)
	v.wait("the quiet one", func(m message) bool {
		return strings.HasPrefix(string(m.Params), `{"token":11,"value":{"type":"started"`)
	})
	v.deafen() // in the flood, or after its megabyte
	if code := v.exited(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	if left := v.alive("98771"); len(left) > 0 {
		t.Errorf("alive: %q", left)
	}
	if log := v.log.String(); !strings.Contains(log, "the client is gone") {
		t.Errorf("log: %s", log)
	}
}

// relayed puts a process between the sidecar and the client, which stands for an
// editor that can be stopped: what it has not read stays in the sidecar's pipe.
func relayed(relay **exec.Cmd) func(*victim) {
	return func(v *victim) {
		r, w := pipe(v.t)
		c := exec.Command("cat")
		c.Stdin, c.Stdout = r, v.cmd.Stdout
		if err := c.Start(); err != nil {
			v.t.Fatal(err)
		}
		_ = r.Close()
		_ = v.cmd.Stdout.(*os.File).Close()
		v.cmd.Stdout = w
		v.t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		*relay = c
	}
}

// A client that is stopped (Ctrl-Z, a debugger) is slow and not gone: commands go
// on and end meanwhile, and it finds everything when it is continued.
func TestFaultClientStopped(t *testing.T) {
	var relay *exec.Cmd
	v := begin(t, "", relayed(&relay))
	v.steady(10)
	if err := relay.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	v.request(11, "exec", `{"command":"seq 1 100000; touch through","partialResultToken":11}`)
	v.request(12, "exec", `{"command":"sleep 98772","timeoutMs":300}`)
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(v.ws + "/through"); err == nil && time.Now().After(deadline.Add(-patience+time.Second)) && len(v.alive("98772")) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("a stopped client holds up its commands")
		}
	}
	if err := relay.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	var flood, slow protocol.ExecResult
	v.result(11, &flood)
	var want strings.Builder
	for i := 1; i <= 100000; i++ {
		fmt.Fprintln(&want, i)
	}
	if got := collect(t, v.all(), "11")["stdout"]; got != want.String() {
		t.Errorf("%d bytes, want %d", len(got), want.Len())
	}
	if v.result(12, &slow); slow.Reason != "timedOut" {
		t.Errorf("%+v", slow)
	}
	v.steadyEnds(10)
}

// The sidecar itself is stopped and continued: time that passed meanwhile counts, and all
// of the output is there.
func TestFaultSidecarStopped(t *testing.T) {
	v := begin(t, "")
	v.steady(10)
	id, ms := 10, 500
	for late := true; late; { // a machine that stalls gets more time
		id, ms = id+1, ms*2
		v.request(id, "exec", fmt.Sprintf(`{"command":"echo up; sleep 98773","timeoutMs":%d,"partialResultToken":%d}`, ms, id))
		late = v.wait("output", func(m message) bool {
			return answers(fmt.Sprint(id))(m) || strings.HasPrefix(string(m.Params), fmt.Sprintf(`{"token":%d,"value":{"type":"output"`, id))
		}).Method == ""
	}
	if err := v.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Duration(ms+ms/2) * time.Millisecond)
	if err := v.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	var r protocol.ExecResult
	if v.result(id, &r); r.Reason != "timedOut" || r.DurationMs < int64(ms) || r.DurationMs > atOnce.Milliseconds()+int64(ms) {
		t.Errorf("%+v", r)
	}
	v.steadyEnds(10)
}
