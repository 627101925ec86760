package executor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-sidecar/pillion/guard"
)

// person answers questions in turn; the last answer counts for all that follow.
type person struct {
	mu      sync.Mutex
	asked   []Question
	answers []func(context.Context, Question) Answer
}

func (p *person) Approve(ctx context.Context, q Question) Answer {
	p.mu.Lock()
	p.asked = append(p.asked, q)
	answer := p.answers[min(len(p.asked), len(p.answers))-1]
	p.mu.Unlock()
	return answer(ctx, q)
}

func (p *person) questions() []Question {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

func says(a Answer) func(context.Context, Question) Answer {
	return func(context.Context, Question) Answer { return a }
}

func choose(c Choice) func(context.Context, Question) Answer { return says(Answer{Choice: c}) }

func silent(ctx context.Context, _ Question) Answer { <-ctx.Done(); return Answer{Choice: Accept} }

// touching asks about touch and mkdir: what they leave shows what has run.
func touching(c *Config) {
	for _, name := range []string{"touch", "mkdir"} {
		c.Guard.Custom = append(c.Guard.Custom, guard.CustomRule{ID: "ask-" + name, Decision: guard.Ask, Prefix: [][]string{{name}}})
	}
}

func asking(t *testing.T, change func(*Config), answers ...func(context.Context, Question) Answer) (*rig, *person) {
	t.Helper()
	p := &person{answers: answers}
	return newRig(t, func(c *Config) {
		touching(c)
		c.Approver = p
		if change != nil {
			change(c)
		}
	}), p
}

func (r *rig) has(name string) bool {
	_, err := os.Stat(filepath.Join(r.ws, name))
	return err == nil
}

// touch makes a file that a command waits for.
func (r *rig) touch(name string) {
	if err := os.WriteFile(filepath.Join(r.ws, name), nil, 0o600); err != nil {
		r.t.Error(err)
	}
}

// declined runs a command that must be declined, by whom.
func (r *rig) declined(req Request, by string) {
	r.t.Helper()
	_, _, err := r.run(req)
	var d *DeclinedError
	if !errors.As(err, &d) || d.By != by {
		r.t.Errorf("%v, want a decline by %s", err, by)
	}
	if r.has("ran") {
		r.t.Error("it ran")
	}
}

func TestApprovalAcceptRuns(t *testing.T) {
	r, p := asking(t, nil, choose(Accept))
	res, _ := r.must(Request{Command: "touch ran", Description: "d", Env: map[string]*string{"B": nil, "A": new("1")}})
	if !r.has("ran") || res.Approval.Choice != Accept || res.Verdict.Decision != guard.Ask {
		t.Errorf("%+v %+v", res.Approval, res.Verdict)
	}
	q := p.questions()
	if len(q) != 1 || q[0].Command != "touch ran" || q[0].Cwd != r.ws || q[0].ExecID != res.ID || q[0].Description != "d" ||
		!slices.Equal(q[0].Env, []string{"A", "B"}) || q[0].Verdict.Findings[0].RuleID != "ask-touch" {
		t.Errorf("%+v", q)
	}
	if d := cmp.Diff(res.Sandbox, q[0].Sandbox); d != "" {
		t.Errorf("what was shown is not what was in force: %s", d)
	}
}

func TestApprovalOfWhatIsAllowedIsNotAsked(t *testing.T) {
	r, p := asking(t, nil, choose(Accept))
	if res, _ := r.must(sh("true")); res.Approval.Choice != "" || len(p.questions()) != 0 {
		t.Errorf("%+v", res.Approval)
	}
}

func TestApprovalOfADeniedCommandIsNotAsked(t *testing.T) {
	r, p := asking(t, nil, choose(Accept))
	_, _, err := r.run(sh("touch ran; rm -rf /usr"))
	var denied *DeniedError
	if !errors.As(err, &denied) || len(p.questions()) != 0 || r.has("ran") {
		t.Errorf("%v", err)
	}
}

func TestApprovalWithNobodyToAskIsRequired(t *testing.T) {
	r := newRig(t, touching)
	_, _, err := r.run(sh("touch ran"))
	var required *ApprovalError
	if !errors.As(err, &required) || r.has("ran") {
		t.Errorf("%v", err)
	}
}

func TestApprovalAnythingElseDeclines(t *testing.T) {
	for name, tt := range map[string]struct {
		answer Answer
		by     string
	}{
		"decline":                 {Answer{Choice: Decline, Message: "no"}, ByClient},
		"nothing":                 {Answer{}, ByMalformed},
		"unknown":                 {Answer{Choice: "ACCEPT"}, ByMalformed},
		"not offered":             {Answer{Choice: AcceptForSession}, ByMalformed}, // there is an expansion
		"edit without text":       {Answer{Choice: Edit}, ByMalformed},
		"edit to an argv":         {Answer{Choice: Edit, Argv: []string{"true"}}, ByMalformed},
		"edit to both":            {Answer{Choice: Edit, Command: "true", Argv: []string{"true"}}, ByMalformed},
		"edit that is too long":   {Answer{Choice: Edit, Command: string(make([]byte, 1<<17))}, ByMalformed},
		"declined by the adapter": {Answer{Choice: Decline, By: ByUnsupported}, ByUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := asking(t, nil, says(tt.answer))
			r.declined(sh(`touch ran "$X"`), tt.by)
		})
	}
}

func TestApprovalCancelStartsNothing(t *testing.T) {
	r, _ := asking(t, nil, choose(Withdraw))
	_, _, err := r.run(sh("touch ran"))
	var c *CancelledError
	if !errors.As(err, &c) || c.Phase != "awaitingApproval" || c.Why != Cancelled || r.has("ran") {
		t.Errorf("%v", err)
	}
}

func TestApprovalEditIsJudgedFromScratch(t *testing.T) {
	t.Run("allowed", func(t *testing.T) {
		r, p := asking(t, nil, says(Answer{Choice: Edit, Command: "echo edited"}))
		res, _ := r.must(sh("touch ran"))
		if string(res.Output[Stdout].Inline) != "edited\n" || r.has("ran") || len(p.questions()) != 1 {
			t.Errorf("%+v", res)
		}
		if d := cmp.Diff(Approval{Choice: Edit, Command: "echo edited"}, res.Approval); d != "" {
			t.Error(d)
		}
	})
	t.Run("denied", func(t *testing.T) {
		r, p := asking(t, nil, says(Answer{Choice: Edit, Command: "rm -rf /usr"}))
		_, _, err := r.run(sh("touch ran"))
		var denied *DeniedError
		if !errors.As(err, &denied) || len(p.questions()) != 1 {
			t.Errorf("%v", err)
		}
	})
	t.Run("asked again", func(t *testing.T) {
		r, p := asking(t, nil, says(Answer{Choice: Edit, Command: "mkdir ran"}), choose(Accept))
		res, _ := r.must(sh("touch x"))
		q := p.questions()
		if !r.has("ran") || r.has("x") || len(q) != 2 || q[1].Command != "mkdir ran" || q[1].ID == q[0].ID {
			t.Errorf("%+v", q)
		}
		if d := cmp.Diff(Approval{Choice: Accept, Command: "mkdir ran"}, res.Approval); d != "" {
			t.Error(d)
		}
	})
	t.Run("argv", func(t *testing.T) {
		r, _ := asking(t, nil, says(Answer{Choice: Edit, Argv: []string{"echo", "edited"}}))
		res, _ := r.must(Request{Argv: []string{"touch", "ran"}})
		if string(res.Output[Stdout].Inline) != "edited\n" || r.has("ran") {
			t.Errorf("%+v", res)
		}
	})
}

func TestApprovalAsksThreeTimesAtMost(t *testing.T) {
	n := 0
	r, p := asking(t, nil, func(context.Context, Question) Answer {
		n++
		return Answer{Choice: Edit, Command: fmt.Sprintf("touch ran %d", n)}
	})
	r.declined(sh("touch ran"), ByRounds)
	if len(p.questions()) != 3 {
		t.Errorf("asked %d times", len(p.questions()))
	}
}

func TestApprovalExpires(t *testing.T) {
	r, p := asking(t, func(c *Config) { c.ApprovalTimeout = 50 * time.Millisecond }, silent)
	r.declined(sh("touch ran"), ByTimeout) // although the answer, which comes late, accepts
	if q := p.questions()[0]; time.Until(q.Expires) > 0 {
		t.Errorf("expires %s", q.Expires)
	}
}

// The person read one directory's name; by now another one is there.
func TestApprovalOfASwappedDirectoryAsksAgain(t *testing.T) {
	var r *rig
	swap := func(_ context.Context, q Question) Answer {
		_ = os.Rename(filepath.Join(r.ws, "sub"), filepath.Join(r.ws, "old"))
		_ = os.Mkdir(filepath.Join(r.ws, "sub"), 0o755)
		return Answer{Choice: Accept}
	}
	r, p := asking(t, nil, swap, choose(Decline))
	if err := os.Mkdir(filepath.Join(r.ws, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.declined(Request{Command: "touch ran", Cwd: "sub"}, ByClient)
	if len(p.questions()) != 2 || r.has("sub/ran") || r.has("old/ran") {
		t.Errorf("%d questions", len(p.questions()))
	}
}

// The same, with a link to another directory of the workspace.
func TestApprovalOfALinkedDirectoryAsksAgain(t *testing.T) {
	var r *rig
	swap := func(context.Context, Question) Answer {
		_ = os.Remove(filepath.Join(r.ws, "link"))
		_ = os.Symlink("b", filepath.Join(r.ws, "link"))
		return Answer{Choice: Accept}
	}
	r, p := asking(t, nil, swap, choose(Decline))
	for _, dir := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(r.ws, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a", filepath.Join(r.ws, "link")); err != nil {
		t.Fatal(err)
	}
	r.declined(Request{Command: "touch ran", Cwd: "link"}, ByClient)
	q := p.questions()
	if len(q) != 2 || q[0].Cwd != filepath.Join(r.ws, "a") || q[1].Cwd != filepath.Join(r.ws, "b") || r.has("b/ran") {
		t.Errorf("%+v", q)
	}
}

// What the person approved would write outside by now.
func TestApprovalNeverOverridesADenial(t *testing.T) {
	var r *rig
	swap := func(context.Context, Question) Answer {
		_ = os.Remove(filepath.Join(r.ws, "sub"))
		_ = os.Symlink("/etc", filepath.Join(r.ws, "sub"))
		return Answer{Choice: Accept}
	}
	r, p := asking(t, nil, swap)
	if err := os.Mkdir(filepath.Join(r.ws, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, _, err := r.run(sh("touch sub/ran"))
	var denied *DeniedError
	if !errors.As(err, &denied) || len(p.questions()) != 1 {
		t.Errorf("%v", err)
	}
}

// A finding that was not there when the person looked is not approved.
func TestApprovalDoesNotCoverANewFinding(t *testing.T) {
	shown := &proposal{text: Text{Command: "x"}, verdict: guard.Verdict{PolicyHash: "h", Findings: []guard.Finding{{RuleID: "a", Decision: guard.Ask, Span: guard.Span{Start: 1, End: 2}, Message: "m"}}}}
	info, err := os.Stat(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	shown.dir = info
	again := func(change func(*proposal)) *proposal {
		p := *shown
		p.verdict.Findings = slices.Clone(p.verdict.Findings)
		change(&p)
		return &p
	}
	if !shown.covers(again(func(*proposal) {})) || !shown.covers(again(func(p *proposal) { p.verdict.Findings = nil })) {
		t.Error("what was shown is not covered")
	}
	var none *proposal
	if none.covers(shown) {
		t.Error("nothing covers something")
	}
	for name, change := range map[string]func(*proposal){
		"rule":     func(p *proposal) { p.verdict.Findings[0].RuleID = "b" },
		"span":     func(p *proposal) { p.verdict.Findings[0].Span.End = 3 },
		"source":   func(p *proposal) { p.verdict.Findings[0].Source.Field = "env" },
		"stricter": func(p *proposal) { p.verdict.Findings[0].Decision = guard.Deny },
		"message":  func(p *proposal) { p.verdict.Findings[0].Message = "deletes another place" },
		"one more": func(p *proposal) { p.verdict.Findings = append(p.verdict.Findings, guard.Finding{RuleID: "b"}) },
		"cwd":      func(p *proposal) { p.cwd = "/elsewhere" },
		"text":     func(p *proposal) { p.text.Command = "y" },
		"sandbox":  func(p *proposal) { p.sandbox.Mode = "off" },
		"policy":   func(p *proposal) { p.policy = "other" },
		"guard":    func(p *proposal) { p.verdict.PolicyHash = "other" },
	} {
		if shown.covers(again(change)) {
			t.Errorf("covers another %s", name)
		}
	}
}

// What a person is asked about holds no slot, before and after the queue.
func TestApprovalTakesNoSlot(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan Answer)
	r, _ := asking(t, func(c *Config) { c.Limits.MaxConcurrent, c.Limits.MaxQueued = 1, 1 }, func(ctx context.Context, _ Question) Answer {
		close(asked)
		return <-answer
	})
	run, err := r.admit(Request{ID: "a", Command: "touch ran"})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { _, err := run.Do(&record{t: t}); done <- err }()
	<-asked
	if i := r.e.List(false); len(i) != 1 || i[0].State != StateAwaiting || i[0].Cwd != r.ws || r.e.Stats().Awaiting != 1 {
		t.Errorf("%+v", i)
	}
	r.must(sh("true"))
	answer <- Answer{Choice: Accept}
	if err := <-done; err != nil || !r.has("ran") || r.e.Stats().Awaiting != 0 {
		t.Errorf("%v", err)
	}
}

// The workspace changes while the approved command waits for its slot.
func TestApprovalIsCheckedAgainBehindTheQueue(t *testing.T) {
	r, p := asking(t, func(c *Config) { c.Limits.MaxConcurrent = 1 }, choose(Accept), choose(Decline))
	if err := os.Mkdir(filepath.Join(r.ws, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	first, _, got := r.soon(streamed("echo up; sleep 600"))
	run, err := r.admit(Request{Command: "touch ran", Cwd: "sub"})
	if err != nil {
		t.Fatal(err)
	}
	queued := make(chan struct{})
	done := make(chan error, 1)
	go func() { _, err := run.Do(queuedSink{&record{t: t}, queued}); done <- err }()
	<-queued
	_ = os.Rename(filepath.Join(r.ws, "sub"), filepath.Join(r.ws, "old"))
	_ = os.Mkdir(filepath.Join(r.ws, "sub"), 0o755)
	first.Cancel(Cancelled, true)
	<-got
	var d *DeclinedError
	if err := <-done; !errors.As(err, &d) || len(p.questions()) != 2 || r.has("sub/ran") {
		t.Errorf("%v after %d questions", err, len(p.questions()))
	}
	r.must(sh("true")) // the slot is free
}

type queuedSink struct {
	*record
	queued chan struct{}
}

func (s queuedSink) Queued(int) error { close(s.queued); return nil }

func TestApprovalsPendingAreBounded(t *testing.T) {
	const most = 2
	r, p := asking(t, func(c *Config) { c.Limits.MaxPendingApprovals = most }, silent)
	var wg sync.WaitGroup
	for range most {
		run, err := r.admit(sh("touch ran"))
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() { _, _ = run.Do(&record{t: t}) })
	}
	for len(p.questions()) < most {
		time.Sleep(time.Millisecond)
	}
	_, _, err := r.run(sh("touch ran"))
	var busy *BusyError
	if !errors.As(err, &busy) || busy.Awaiting != most {
		t.Errorf("%v", err)
	}
	r.e.Stop(Shutdown, 0)
	wg.Wait()
}

func TestApprovalCancelledWhileWaiting(t *testing.T) {
	for name, stop := range map[string]func(*rig){
		"cancel":   func(r *rig) { r.e.Cancel("a", 0, false) },
		"force":    func(r *rig) { r.e.Cancel("a", 0, true) },
		"shutdown": func(r *rig) { r.e.Stop(Shutdown, 0) },
		"gone":     func(r *rig) { r.e.Stop(Gone, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			var r *rig
			r, _ = asking(t, nil, func(ctx context.Context, _ Question) Answer {
				if state, _ := r.e.Cancel("nobody", 0, false); state != StateUnknown {
					t.Error(state)
				}
				stop(r)
				<-ctx.Done()
				return Answer{Choice: Accept} // too late
			})
			_, _, err := r.run(Request{ID: "a", Command: "touch ran"})
			var c *CancelledError
			if !errors.As(err, &c) || c.Phase != "awaitingApproval" || r.has("ran") {
				t.Errorf("%v", err)
			}
		})
	}
}
