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
		if k := v.Spared(rule.LossWorkspace); k.Decision != want || k.Loses() != (want == rule.Allow) || v.Loses() {
			t.Errorf("%s: %v, %v", command, v.Decision, k)
		}
	}
	for command, want := range map[string]rule.Decision{
		"pkill -f vite": rule.Allow, "pkill node; git reset --hard": rule.Ask, "pkill node && git push --force": rule.Ask,
	} {
		v := Check(shell.Input{Command: command, Cwd: exampleRoot}, Policy{}, lexical{}, "/home/dev")
		if k := v.Spared(rule.LossProcesses); k.Decision != want || v.Spared(rule.LossWorkspace).Decision != rule.Ask || k.Loses() {
			t.Errorf("%s: %v", command, k)
		}
	}
	own := Policy{Decisions: map[string]rule.Decision{"git/discard": rule.Ask}}
	if v := Check(shell.Input{Command: "git reset --hard", Cwd: exampleRoot}, own, lexical{}, "/home/dev"); v.Spared(rule.LossWorkspace).Decision != rule.Ask {
		t.Error("a question that the policy asks for was not asked")
	}
}

func TestWhatTheSandboxRefusesIsNotAskedAbout(t *testing.T) {
	judge := func(command string, p Policy) Verdict {
		return Check(shell.Input{Command: command, Cwd: exampleRoot}, p, lexical{}, "/home/dev")
	}
	for command, want := range map[string]rule.Decision{
		"cp x .git/hooks/pre-commit": rule.Deny, "git push --force; cp x .git/hooks/pre-commit": rule.Deny,
		"git config core.hooksPath .githooks": rule.Deny, "sudo make install": rule.Deny,
		"cp x /tmp/x/.git/hooks/pre-commit": rule.Ask, "git push --force": rule.Ask, "git reset --hard": rule.Ask, "echo x": rule.Allow,
	} {
		if v := judge(command, DefaultPolicy()).InSandbox([]string{exampleRoot}); v.Decision != want || v.Findings != nil && v.Findings[0].Decision != want {
			t.Errorf("%s: %+v", command, v)
		}
	}
	own := Policy{Decisions: map[string]rule.Decision{"persist/hook": rule.Ask}}
	if v := judge("cp x .git/hooks/pre-commit", own); v.InSandbox([]string{exampleRoot}).Decision != rule.Ask {
		t.Error("a question that the policy asks for was not asked")
	}
}
