package executor

import (
	"errors"
	"testing"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

func TestARequestStaysWithinTheBounds(t *testing.T) {
	e := &Engine{conf: Config{
		Grants: Grants{Off: true, Network: true, ReadsAll: true},
		Bounds: Bounds{Mode: sandbox.ReadOnly, Network: sandbox.NetworkDeny, Reads: sandbox.ReadsPrivate, Require: sandbox.RequireEnforced},
	}}
	for path, s := range map[string]SandboxRequest{
		"/sandbox/mode": {Mode: sandbox.WorkspaceWrite}, "/sandbox/network": {Network: sandbox.NetworkAllow},
		"/sandbox/reads": {Reads: sandbox.ReadsAll}, "/sandbox/require": {Require: sandbox.RequireBestEffort},
	} {
		var bad *ParamError
		if err := e.granted(s); !errors.As(err, &bad) || bad.Path != path {
			t.Errorf("%+v: %v", s, err)
		}
		e := &Engine{conf: Config{Grants: e.conf.Grants}}
		if err := e.granted(s); err != nil {
			t.Errorf("without bounds %+v: %v", s, err)
		}
	}
	if err := e.granted(SandboxRequest{Mode: sandbox.ReadOnly, Require: sandbox.RequireEnforced}); err != nil {
		t.Error(err)
	}
}

// A command that is admitted keeps the policy of its engine; both engines know it.
func TestWithSharesTheCommandsAndNotTheConfiguration(t *testing.T) {
	r := newRig(t, nil)
	c := r.e.conf
	c.Guard = guard.Policy{ID: "stricter", Rules: guard.NoRules}
	c.Limits.MaxConcurrent, c.Limits.SpoolTotalBytes = 1, 10
	next := r.e.With(c)
	run, err := r.e.Admit(Request{ID: "a", Command: "true"}, r.f, 1)
	if err != nil {
		t.Fatal(err)
	}
	var twice *DuplicateError
	if _, err := next.Admit(Request{ID: "a", Command: "true"}, r.f, 2); !errors.As(err, &twice) {
		t.Errorf("the engines don't share their commands: %v", err)
	}
	if run.engine.Guard().ID != "balanced" || next.Guard().ID != "stricter" || next.Limits().MaxConcurrent != 1 || r.e.Limits().MaxConcurrent == 1 {
		t.Error("the engines share their configuration")
	}
	if next.Stats().SpoolLimit != 10 || r.e.spools.Limit != 10 {
		t.Error("the limit of all output together was not taken over")
	}
	run.Cancel(Cancelled, true)
	r.e.forget(run)
}
