package guard

import (
	"testing"

	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

func TestWhatIsKeptNeedsNoQuestion(t *testing.T) {
	for command, want := range map[string]rule.Decision{
		"git reset --hard": rule.Allow, "git clean -fdx": rule.Allow, "rm -rf src": rule.Allow, "git stash drop && rm -rf *": rule.Allow,
		"git branch -D x": rule.Allow, "git reset --hard; git push --force": rule.Ask, "rm -rf ~": rule.Deny, "git push --force": rule.Ask,
		"rm -rf src $(": rule.Ask,
	} {
		v := Check(shell.Input{Command: command, Cwd: exampleRoot}, Policy{}, lexical{}, "/home/dev")
		if k := v.Kept(); k.Decision != want || k.Loses() != (want == rule.Allow) || v.Loses() {
			t.Errorf("%s: %v, %v", command, v.Decision, k)
		}
	}
	own := Policy{Decisions: map[string]rule.Decision{"git/discard": rule.Ask}}
	if v := Check(shell.Input{Command: "git reset --hard", Cwd: exampleRoot}, own, lexical{}, "/home/dev"); v.Kept().Decision != rule.Ask {
		t.Error("a question that the policy asks for was not asked")
	}
}
