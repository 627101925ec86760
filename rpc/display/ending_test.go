package display

import (
	"testing"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

func result(code int, signal, reason string) protocol.ExecResult {
	r := protocol.ExecResult{Reason: executor.Reason(reason), DurationMs: 12}
	if signal != "" {
		r.Signal = &signal
	} else {
		r.ExitCode = &code
	}
	r.Sandbox = protocol.EffectiveSandbox{Mode: "workspace-write", NetworkMode: "deny"}
	r.Sandbox.FSWrite, r.Sandbox.FSRead, r.Sandbox.Network, r.Sandbox.ProcessTree = "enforced", "enforced", "enforced", "enforced"
	return r
}

func TestTheEndingSaysWhatHeld(t *testing.T) {
	off := result(0, "", "exited")
	off.Sandbox.Mode = "off"
	allowed := result(0, "", "exited")
	allowed.Sandbox.NetworkMode, allowed.Sandbox.Network = "allow", "none"
	weak := result(0, "", "exited")
	weak.Sandbox.FSRead, weak.Sandbox.Network = "none", "partial"
	for _, tc := range []struct {
		r    protocol.ExecResult
		want string
	}{
		{result(0, "", "exited"), "exit 0 · 12 ms · workspace-write, network denied"},
		{result(0, "SIGSEGV", "exited"), "killed by SIGSEGV · 12 ms · workspace-write, network denied"},
		{result(0, "", "timedOut"), "timed out (exit 0) · 12 ms · workspace-write, network denied"},
		{result(0, "SIGTERM", "cancelled"), "cancelled (killed by SIGTERM) · 12 ms · workspace-write, network denied"},
		{off, "exit 0 · 12 ms · NOT SANDBOXED (mode off)"},
		{allowed, "exit 0 · 12 ms · workspace-write, network allowed"},
		{weak, "exit 0 · 12 ms · workspace-write, network denied, NOT FULLY ENFORCED: reads none, network partial"},
	} {
		tc.r.Sandbox.Text = Confinement(tc.r.Sandbox)
		if got := Ending(tc.r).Text; got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
}
