package guard

import (
	"testing"

	"github.com/pillion-sidecar/pillion/guard/rule"
)

func TestTheTableHasThePolicysDecisions(t *testing.T) {
	p := DefaultPolicy()
	p.Decisions = map[string]rule.Decision{"parse/error": rule.Deny}
	if r, ok := p.Rule("parse/error"); !ok || r.Decision != rule.Deny {
		t.Errorf("%+v", r)
	}
	if len(p.Table()) != len(Rules()) {
		t.Errorf("%d rules, %d in the table", len(p.Table()), len(Rules()))
	}
	p.Table()[0].Match = nil
	p.Table()[0].ID = "changed"
	if Rules()[0].ID == "changed" {
		t.Error("the table can be changed from outside")
	}
}

func TestARuleOfAnotherProfileIsFound(t *testing.T) {
	if r, ok := (Policy{Rules: NoRules}).Rule("fs/delete-system"); !ok || r.Why == "" {
		t.Errorf("%+v %v", r, ok)
	}
	if _, ok := DefaultPolicy().Rule("no/such"); ok {
		t.Error("found what isn't there")
	}
}
