package rpc

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// spare lets the sidecar open n more descriptors and no others.
func (v *victim) spare(n int) {
	v.t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", v.cmd.Process.Pid))
	if err != nil {
		v.t.Fatal(err)
	}
	used := map[int]bool{}
	for _, e := range entries {
		fd, _ := strconv.Atoi(e.Name())
		used[fd] = true
	}
	most := 0
	for ; n > 0 || used[most]; most++ {
		if !used[most] {
			n--
		}
	}
	v.files(uint64(most))
}

func (v *victim) files(most uint64) {
	v.t.Helper()
	var now unix.Rlimit
	if err := unix.Prlimit(v.cmd.Process.Pid, unix.RLIMIT_NOFILE, nil, &now); err != nil {
		v.t.Fatal(err)
	}
	now.Cur = most
	if err := unix.Prlimit(v.cmd.Process.Pid, unix.RLIMIT_NOFILE, &now, nil); err != nil {
		v.t.Fatal(err)
	}
}

// cannot checks that a request was refused for want of something and may be sent
// again, or worked; it reports which.
func (v *victim) cannot(id int, errno string) (refused bool) {
	v.t.Helper()
	m := v.answer(id)
	if m.Error == nil {
		return false
	}
	data := v.failure(m, int(protocol.CodeSandboxSetupFailed), "sandboxSetupFailed")
	if data["errno"] != errno || data["retryable"] != true || data["detail"] == "" || data["stage"] == "" {
		v.t.Errorf("%s %s", m.Error.Message, m.Error.Data)
	}
	return true
}

// Without a descriptor left nothing new starts, and says why; what runs goes on,
// and when there are some again everything does.
func TestFaultNoDescriptors(t *testing.T) {
	v := begin(t, "")
	v.steady(10)
	v.files(3)
	v.request(11, "exec", `{"command":"touch ran"}`)
	v.request(12, "exec", `{"commands":["touch ran","touch ran"]}`)
	v.request(13, "exec", `{"command":"touch ran","sandbox":{"name":"other"}}`)
	for id := 11; id <= 13; id++ {
		if !v.cannot(id, "EMFILE") {
			t.Errorf("request %d: %s", id, v.answer(id).Result)
		}
	}
	var checked protocol.CheckResult
	v.request(14, "guard/check", `{"checks":[{"command":"true"}]}`)
	if v.result(14, &checked); checked.Verdicts[0].WouldFail == nil || checked.Verdicts[0].WouldFail.Kind != "sandboxSetupFailed" {
		t.Errorf("%+v", checked.Verdicts[0])
	}
	if _, err := os.Stat(v.ws + "/ran"); err == nil {
		t.Error("it ran")
	}
	v.files(4096)
	var r protocol.ExecResult
	v.request(15, "exec", `{"command":"echo x","sandbox":{"name":"other"}}`)
	if v.result(15, &r); r.Output["stdout"].Text == nil || *r.Output["stdout"].Text != "x\n" {
		t.Errorf("%+v", r)
	}
	v.steadyEnds(10)
}

// With one descriptor more each time, the want of one shows at every stage of a
// command's start: it is refused, or it runs; and it loses output only where the
// result says so.
func TestFaultFewDescriptors(t *testing.T) {
	v := begin(t, "")
	v.steady(10)
	ran := 0
	for n := range 16 {
		v.spare(n)
		id := 100 + n
		v.request(id, "exec", `{"command":"echo x"}`)
		refused := v.cannot(id, "EMFILE")
		v.files(4096)
		if refused {
			continue
		}
		var r protocol.ExecResult
		v.result(id, &r)
		out := r.Output["stdout"]
		kept := out.Text != nil && *out.Text == "x\n"
		named := out.Truncated && out.DroppedBytes == 2 && out.TotalBytes == 2
		if r.ExitCode == nil || *r.ExitCode != 0 || kept == named {
			t.Errorf("with %d: %+v", n, r)
		}
		if kept {
			ran++
		}
	}
	if ran == 0 || ran == 16 {
		t.Errorf("%d of 16 ran", ran)
	}
	v.steadyEnds(10)
}

// The folders of before are closed by the garbage collector, which does not see that
// descriptors run out: a client that changed its folders often lost all of them.
func TestFaultFoldersThatComeAndGo(t *testing.T) {
	v := begin(t, "")
	v.steady(10)
	other := t.TempDir()
	v.spare(100)
	for range 500 {
		v.notify("workspace/didChangeWorkspaceFolders", fmt.Sprintf(`{"event":{"added":[{"uri":%q}],"removed":[]}}`, "file://"+other))
		v.notify("workspace/didChangeWorkspaceFolders", fmt.Sprintf(`{"event":{"added":[],"removed":[{"uri":%q}]}}`, "file://"+other))
	}
	var r protocol.ExecResult
	v.request(11, "exec", `{"command":"echo x"}`)
	if v.result(11, &r); r.ExitCode == nil || *r.ExitCode != 0 {
		t.Errorf("%+v", r)
	}
	v.files(4096)
	v.steadyEnds(10)
}
