package executor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pillion-sidecar/pillion/executor/grant"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

func TestSessionGrantIsNotAskedAgain(t *testing.T) {
	r, p := asking(t, nil, choose(AcceptForSession), choose(Decline))
	first, _ := r.must(sh("touch ran"))
	second, _ := r.must(sh("touch ran"))
	grants := r.e.Grants()
	if len(p.questions()) != 1 || len(grants) != 1 || grants[0].Uses != 1 || grants[0].Created.IsZero() {
		t.Errorf("%d questions, %+v", len(p.questions()), grants)
	}
	for _, a := range []Approval{first.Approval, second.Approval} {
		if a.Choice != AcceptForSession || a.GrantID != grants[0].ID {
			t.Errorf("%+v", a)
		}
	}
	rule := p.questions()[0].Session
	if rule.Command != "touch ran" || rule.Cwd != r.ws || len(rule.RuleIDs) != 1 || rule.RuleIDs[0] != "ask-touch" ||
		rule.Mode != sandbox.WorkspaceWrite || rule.Network != sandbox.NetworkDeny || rule.PolicyHash == "" {
		t.Errorf("%+v", rule)
	}
}

func TestSessionGrantOfAnArgv(t *testing.T) {
	r, p := asking(t, nil, choose(AcceptForSession), choose(Decline))
	r.must(Request{Argv: []string{"touch", "a b"}})
	r.must(Request{Argv: []string{"touch", "a b"}})
	r.declined(Request{Argv: []string{"touch", "a", "b"}}, ByClient)
	if len(p.questions()) != 2 {
		t.Errorf("%d questions", len(p.questions()))
	}
}

// Whatever differs from what was shown is asked about.
func TestSessionGrantMatchesNothingElse(t *testing.T) {
	r, p := asking(t, func(c *Config) { c.Grants.EnvAll = true }, choose(AcceptForSession), choose(Decline))
	if err := os.Mkdir(filepath.Join(r.ws, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.must(sh("touch x"))
	r.must(sh("'touch'  x")) // another spelling of the same
	r.must(Request{Argv: []string{"touch", "x"}})
	for i, req := range []Request{
		{Command: "touch x y"},
		{Command: "touch x; touch x"},
		{Argv: []string{"touch", "x", "x"}},
		{Command: "touch x", Cwd: "sub"},
		{Command: "touch x", Env: map[string]*string{"A": new("1")}},
		{Command: "touch x", Stdin: []byte("x")},
		{Command: "touch x", StdinOpen: true},
		{Command: "touch x", EnvInherit: "all"},
		{Command: "touch x", Shell: r.e.Shells()[len(r.e.Shells())-1].Name},
		{Command: "touch x", Sandbox: SandboxRequest{Mode: sandbox.ReadOnly}},
		{Command: "touch x", Sandbox: SandboxRequest{Name: "other"}},
		{Command: "touch x", Sandbox: SandboxRequest{Writable: []string{"sub"}}},
	} {
		r.declined(req, ByClient)
		if n := len(p.questions()); n != i+2 {
			t.Fatalf("%+v: %d questions", req, n)
		}
	}
	// Nor under another policy of the same session.
	c := r.e.conf
	c.Guard.Custom = append(c.Guard.Custom[:len(c.Guard.Custom):len(c.Guard.Custom)], guard.CustomRule{ID: "more", Decision: guard.Ask, Prefix: [][]string{{"mv"}}})
	r.e = r.e.With(c)
	r.declined(sh("touch x"), ByClient)
}

// A session can be granted only what the text alone fixes.
func TestSessionGrantIsNotOfferedWhereTheTextDoesNotSay(t *testing.T) {
	r, p := asking(t, nil, choose(Decline))
	for _, req := range []Request{
		sh(`touch "$X"`), sh("touch *"), sh("touch ~/x"), sh("touch $(echo x)"), sh("X=1; touch x"),
		sh("env touch x"), sh("nice touch x"), sh("sh -c 'touch x'"), sh("echo x | xargs touch"), sh("find . -exec touch {} +"),
		sh("touch x; make"), sh("touch x; python3 y.py"), sh("touch x; ./script"), sh("touch x &"), sh("f() { touch x; }; f"),
		sh("$CMD; touch x"), sh("for i in a; do touch $i; done"), sh("eval 'touch x'"), sh("touch x # \\\npwn"),
		{Argv: []string{"env", "touch", "x"}},
		{Argv: []string{"sh", "-c", "touch x"}},
		{Command: "touch x", Env: map[string]*string{"A": new("1")}},
		{Command: "touch x", Stdin: []byte("x")},
		{Command: "touch x", StdinOpen: true},
	} {
		before := len(p.questions())
		_, _, err := r.run(req)
		var denied *DeniedError
		if errors.As(err, &denied) {
			continue
		}
		q := p.questions()
		if len(q) != before+1 || q[before].Session != nil {
			t.Errorf("%q %q: %d new questions, %+v", req.Command, req.Argv, len(q)-before, q[len(q)-1].Session)
		}
	}
	for _, req := range []Request{sh("touch x"), sh("touch x && touch y"), sh("touch 'a b'"), sh("git push --force"), {Argv: []string{"git", "reset", "--hard"}}} {
		before := len(p.questions())
		_, _, _ = r.run(req)
		if q := p.questions(); len(q) != before+1 || q[before].Session == nil {
			t.Errorf("%q %q is not offered", req.Command, req.Argv)
		}
	}
}

func TestSessionGrantsAreListedAndRevoked(t *testing.T) {
	r, p := asking(t, nil, choose(AcceptForSession))
	r.must(sh("touch a"))
	r.must(sh("touch b"))
	g := r.e.Grants()
	if len(g) != 2 || g[0].Rule.Command != "touch a" || g[1].Rule.Command != "touch b" {
		t.Fatalf("%+v", g)
	}
	r.e.Revoke(g[0].ID)
	if left := r.e.Grants(); len(left) != 1 || left[0].ID != g[1].ID {
		t.Errorf("%+v", left)
	}
	r.must(sh("touch b"))
	r.must(sh("touch a"))
	if n := len(p.questions()); n != 3 {
		t.Errorf("%d questions", n)
	}
	r.e.Revoke("")
	if len(r.e.Grants()) != 0 {
		t.Error("grants are left")
	}
}

// Taken back while it waits in the queue, a grant no longer counts.
func TestSessionGrantRevokedInTheQueueIsAskedAgain(t *testing.T) {
	r, p := asking(t, func(c *Config) { c.Limits.MaxConcurrent = 1 }, choose(AcceptForSession), func(context.Context, Question) Answer { return Answer{Choice: Decline} })
	r.must(sh("touch x"))
	first, _, got := r.soon(streamed("echo up; sleep 600"))
	run, err := r.admit(sh("touch x"))
	if err != nil {
		t.Fatal(err)
	}
	queued, done := make(chan struct{}), make(chan error, 1)
	go func() { _, err := run.Do(queuedSink{&record{t: t}, queued}); done <- err }()
	<-queued
	r.e.Revoke("")
	first.Cancel(Cancelled, true)
	<-got
	var d *DeclinedError
	if err := <-done; !errors.As(err, &d) || len(p.questions()) != 2 {
		t.Errorf("%v after %d questions", err, len(p.questions()))
	}
}

// What is remembered for good is one text in one folder, for the rules that asked.
func TestWhatIsRememberedMatchesNothingElse(t *testing.T) {
	var ws string
	remembered := func(change func(*Remembered)) func(*Config) {
		return func(c *Config) {
			m := Remembered{
				Command: "touch x", RuleIDs: []string{"ask-touch"}, Folder: ws, Mode: sandbox.WorkspaceWrite, Network: sandbox.NetworkDeny,
			}
			change(&m)
			c.Remembered = []Remembered{m}
		}
	}
	for name, c := range map[string]struct {
		change func(*Remembered)
		req    Request
		asked  bool
	}{
		"the same":        {func(*Remembered) {}, sh("touch x"), false},
		"more rules":      {func(m *Remembered) { m.RuleIDs = append(m.RuleIDs, "x/y") }, sh("touch x"), false},
		"in a folder":     {func(*Remembered) {}, Request{Command: "touch x", Cwd: "sub"}, false},
		"another text":    {func(*Remembered) {}, sh("touch x y"), true},
		"without a shell": {func(*Remembered) {}, Request{Argv: []string{"touch", "x"}}, false},
		"another rule":    {func(m *Remembered) { m.RuleIDs = []string{"x/y"} }, sh("touch x"), true},
		"another folder":  {func(m *Remembered) { m.Folder += "/sub" }, sh("touch x"), true},
		"another mode":    {func(m *Remembered) { m.Mode = sandbox.ReadOnly }, sh("touch x"), true},
		"a wider network": {func(m *Remembered) { m.Network = sandbox.NetworkAllow }, sh("touch x"), false},
		"with input":      {func(*Remembered) {}, Request{Command: "touch x", Stdin: []byte("x")}, true},
		"with a variable": {func(*Remembered) {}, Request{Command: "touch x", Env: map[string]*string{"A": new("1")}}, true},
		"a shell":         {func(*Remembered) {}, Request{Command: "touch x", Shell: "bash"}, true},
		"a place":         {func(*Remembered) {}, Request{Command: "touch x", Sandbox: SandboxRequest{Writable: []string{"."}}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			ws = ""
			r, p := asking(t, nil, choose(Accept))
			ws = r.ws
			if err := os.Mkdir(filepath.Join(r.ws, "sub"), 0o755); err != nil {
				t.Fatal(err)
			}
			conf := r.e.conf
			remembered(c.change)(&conf)
			r.e = r.e.With(conf)
			result, _ := r.must(c.req)
			if asked := len(p.questions()) > 0; asked != c.asked {
				t.Errorf("asked: %v", asked)
			}
			if !c.asked && result.Approval.GrantID != grant.OfPolicy {
				t.Errorf("%+v", result.Approval)
			}
		})
	}
}

// In a script or another place where nobody can be asked, too, what was said yes to for good
// holds, and nothing else does.
func TestWhatIsRememberedHoldsWhereNobodyCanBeAsked(t *testing.T) {
	r, _ := asking(t, nil)
	conf := r.e.conf
	conf.Approver = nil
	conf.Remembered = []Remembered{{
		Command: "touch x", RuleIDs: []string{"ask-touch"}, Folder: r.ws, Mode: sandbox.WorkspaceWrite, Network: sandbox.NetworkDeny,
	}}
	r.e = r.e.With(conf)
	if result, _ := r.must(sh("touch x")); result.Approval.GrantID != grant.OfPolicy {
		t.Errorf("%+v", result.Approval)
	}
	var needs *ApprovalError
	if _, _, err := r.run(sh("touch y")); !errors.As(err, &needs) || askable(err) != nil {
		t.Errorf("%v", err)
	}
}
