package rpc

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// onSmallDisk gives the sidecar's spools a disk of that size. An ordinary user gets one in
// a user namespace.
func onSmallDisk(size string) func(*victim) {
	return func(v *victim) {
		self, err := os.Executable()
		if err != nil {
			v.t.Fatal(err)
		}
		path := v.cmd.Path
		env, in, out, log := v.cmd.Env, v.cmd.Stdin, v.cmd.Stdout, v.cmd.Stderr
		v.cmd = exec.Command(self, helperMount, v.spools, size, path)
		v.cmd.Env, v.cmd.Stdin, v.cmd.Stdout, v.cmd.Stderr = env, in, out, log
		v.cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
		if id := os.Geteuid(); id != 0 {
			v.cmd.SysProcAttr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
				AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN},
				UidMappings: []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}},
			}
		}
	}
}

// A disk that is full loses what no longer fits, and says how much. The command
// goes on, and what others wrote before is whole or said to be gone.
func TestFaultDiskFull(t *testing.T) {
	needs.Namespaces(t)
	v := begin(t, "", onSmallDisk("1m"))
	var kept, flood, late, after protocol.ExecResult
	v.request(10, "exec", `{"execId":"kept","command":"echo before"}`)
	v.result(10, &kept)
	v.steady(11)
	v.request(12, "exec", `{"execId":"flood","command":"head -c 3000000 /dev/zero | tr '\\000' x; echo done >&2; touch through"}`)
	v.result(12, &flood)
	out := flood.Output["stdout"]
	if flood.Reason != "exited" || *flood.ExitCode != 0 || out.TotalBytes != 3000000 || !out.Truncated || len(out.Gaps) != 1 || out.InlineBytes+out.DroppedBytes != 3000000 {
		t.Errorf("%s, %+v", flood.Reason, out.Gaps)
	}
	if _, err := os.Stat(v.ws + "/through"); err != nil {
		t.Error("the flood did not run to its end")
	}

	// There is no room now; the command runs nevertheless.
	v.request(14, "exec", `{"execId":"late","command":"echo lost; exit 3"}`)
	if v.result(14, &late); late.ExitCode == nil || *late.ExitCode != 3 {
		t.Errorf("%+v", late)
	}
	if out := late.Output["stdout"]; out.TotalBytes != 5 || out.Truncated != (out.Text == nil || *out.Text != "lost\n") {
		t.Errorf("%+v", out)
	}
	v.request(15, "exec/read", `{"execId":"kept","stream":"stdout","offset":0}`)
	if m := v.answer(15); m.Error != nil { // it had ended, and made room for those that run
		v.failure(m, int(protocol.CodeOutputExpired), "outputExpired")
	} else if !strings.Contains(string(m.Result), `"before\n"`) {
		t.Errorf("%s", m.Result)
	}

	// What is released makes room again.
	v.request(16, "exec/release", `{"execId":"flood"}`)
	v.answer(16)
	v.request(17, "exec", `{"command":"echo again"}`)
	if v.result(17, &after); after.Output["stdout"].Text == nil || *after.Output["stdout"].Text != "again\n" {
		t.Errorf("%+v", after.Output["stdout"])
	}
	v.endAnyway(11)
}
