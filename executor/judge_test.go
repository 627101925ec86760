package executor

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// A workspace that isn't on this machine is judged by its paths.
func TestJudgeNeedsNoWorkspace(t *testing.T) {
	folder := "/home/nobody-of-this-name/project"
	for command, want := range map[string]guard.Decision{
		"cat src/main.go":     guard.Allow,
		"cat ../other/secret": guard.Deny,
		"rm -rf ~":            guard.Deny,
		"cat ~/project/x":     guard.Allow,
	} {
		in := guard.Input{Command: command, Cwd: folder}
		if v := Judge(in, guard.DefaultPolicy(), sandbox.Policy{}, []string{folder}, "/home/nobody-of-this-name"); v.Decision != want {
			t.Errorf("%q: %s, want %s", command, v.Decision, want)
		}
	}
}

// What Judge says is what running the same request comes to.
func TestJudgeSaysWhatRunningComesTo(t *testing.T) {
	r := newRig(t, nil)
	if err := os.Mkdir(filepath.Join(r.ws, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..", filepath.Join(r.ws, "out")); err != nil {
		t.Fatal(err)
	}
	for _, req := range []Request{
		{Command: "true"},
		{Command: "cat ../x", Cwd: "sub"},
		{Command: "rm -rf /usr"},
		{Command: "rm -rf \"$X\""},
		{Argv: []string{"rm", "-rf", "/usr"}},
		{Command: "true", Env: map[string]*string{"LD_PRELOAD": new("./x.so")}},
		{Command: "true", Sandbox: SandboxRequest{Mode: sandbox.ReadOnly}},
		{Command: "true", Sandbox: SandboxRequest{Writable: []string{"sub"}}},
		{Command: "true", Sandbox: SandboxRequest{Writable: []string{"/etc"}}},
		{Command: "true", Cwd: ".."},
		{Command: "true", Cwd: "out"},
		{Command: "true", Cwd: "nowhere"},
	} {
		j, err := r.e.Judge(req, r.f)
		if err != nil {
			t.Fatalf("%+v: %v", req, err)
		}
		result, _, err := r.run(req)
		var denied *DeniedError
		var approval *ApprovalError
		want := Judgement{}
		switch {
		case err == nil:
			want = Judgement{Verdict: result.Verdict, Sandbox: &result.Sandbox}
		case errors.As(err, &denied):
			want = Judgement{Verdict: denied.Verdict, Sandbox: j.Sandbox}
		case errors.As(err, &approval):
			want = Judgement{Verdict: approval.Verdict, Sandbox: j.Sandbox}
		default:
			want = Judgement{Verdict: j.Verdict, Err: err}
		}
		if d := cmp.Diff(want, j, cmp.Comparer(sameText)); d != "" {
			t.Errorf("%+v: %s", req, d)
		}
	}
}

func sameText(a, b error) bool { return a == b || a != nil && b != nil && a.Error() == b.Error() }

func TestNothingIsJudgedWhileStopping(t *testing.T) {
	r := newRig(t, nil)
	r.e.Stop(Shutdown, 0)
	var cancelled *CancelledError
	if _, err := r.e.Judge(Request{Command: "true"}, r.f); !errors.As(err, &cancelled) || cancelled.Why != Shutdown {
		t.Errorf("%v", err)
	}
}
