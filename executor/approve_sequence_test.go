package executor

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/pillion-sidecar/pillion/guard"
)

func TestApprovalOfASequenceShowsAllOfIt(t *testing.T) {
	r, p := asking(t, nil, choose(Accept))
	res, _ := r.must(Request{Commands: []string{"true", "touch ran", "echo x"}, IgnoreErrors: true})
	q := p.questions()
	if len(q) != 1 || !slices.Equal(q[0].Commands, []string{"true", "touch ran", "echo x"}) || !q[0].Ignore || q[0].Command != "" || q[0].Verdict.Findings[0].Source.Index != 1 {
		t.Errorf("%+v", q)
	}
	if !r.has("ran") || res.Approval.Choice != Accept || res.Verdict.Decision != guard.Ask || reasons(res) != "0, 0, 0" {
		t.Errorf("%+v %s", res.Approval, reasons(res))
	}
}

func TestApprovalEditsASequenceAsOne(t *testing.T) {
	r, p := asking(t, nil, says(Answer{Choice: Edit, Commands: []string{"echo a", "echo b"}}))
	res, _ := r.must(inTurn("touch ran", "echo x"))
	if string(res.Output[Stdout].Inline) != "a\nb\n" || r.has("ran") || !slices.Equal(res.Approval.Commands, []string{"echo a", "echo b"}) || len(res.Steps) != 2 {
		t.Errorf("%+v", res)
	}
	for _, a := range []Answer{
		{Choice: Edit, Command: "touch ran"},
		{Choice: Edit, Argv: []string{"touch", "ran"}},
		{Choice: Edit, Commands: []string{}},
		{Choice: Edit, Commands: []string{"true", ""}},
		{Choice: Edit, Commands: []string{"true"}, Command: "true"},
		{Choice: Edit},
	} {
		r, _ := asking(t, nil, says(a))
		r.declined(inTurn("touch ran"), ByMalformed)
	}
	r, _ = asking(t, nil, says(Answer{Choice: Edit, Commands: []string{"touch ran"}}))
	r.declined(sh("touch ran"), ByMalformed)
	r, _ = asking(t, nil, says(Answer{Choice: Edit, Commands: []string{"true", "rm -rf /"}}))
	var denied *DeniedError
	if _, _, err := r.run(inTurn("touch ran")); !errors.As(err, &denied) || r.has("ran") {
		t.Errorf("an edit to what is denied: %v", err)
	}
	_ = p
}

// What was accepted for the session is this very sequence: not a part of it, not
// its commands alone, not another order, not with errors ignored.
func TestSessionRuleOfASequenceIsThatSequence(t *testing.T) {
	r, p := asking(t, nil, choose(AcceptForSession), choose(Decline))
	req := inTurn("touch a", "touch b")
	r.must(req)
	if res, _ := r.must(req); res.Approval.Choice != AcceptForSession || len(p.questions()) != 1 {
		t.Errorf("asked again: %+v", res.Approval)
	}
	other := inTurn("touch a", "touch b")
	other.IgnoreErrors = true
	for i, again := range []Request{
		sh("touch a"), inTurn("touch a"), inTurn("touch b", "touch a"), inTurn("touch a", "touch b", "touch b"), other,
		sh("touch a; touch b"),
		{Argv: []string{"touch", "a"}},
	} {
		var d *DeclinedError
		if _, _, err := r.run(again); !errors.As(err, &d) || len(p.questions()) != i+2 {
			t.Errorf("%+v was not asked about: %v", again, err)
		}
	}
}

func TestSessionRuleNeedsEveryCommandToBeFixed(t *testing.T) {
	for _, commands := range [][]string{{"touch a", "ls *"}, {"make", "touch a"}} {
		r, p := asking(t, nil, choose(Decline))
		r.declined(inTurn(commands...), ByClient)
		if q := p.questions(); len(q) != 1 || q[0].Session != nil {
			t.Errorf("%q: %+v", commands, q)
		}
	}
}

// The person approved two commands; what the first one changes is not approved.
func TestApprovalOfASequenceCoversNoNewFinding(t *testing.T) {
	r, p := asking(t, func(c *Config) {
		c.Guard.Custom = append(c.Guard.Custom, guard.CustomRule{ID: "ask-rm", Decision: guard.Ask, Prefix: [][]string{{"rm"}}})
	}, func(context.Context, Question) Answer { return Answer{Choice: Accept} })
	res, _ := r.must(inTurn("touch ran", "rm ran", "mkdir ran"))
	if reasons(res) != "0, 0, 0" || len(p.questions()) != 1 {
		t.Errorf("%s after %d questions", reasons(res), len(p.questions()))
	}
}
