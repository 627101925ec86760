package guard

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

func kubectl(d rule.Decision) CustomRule {
	return CustomRule{ID: "kube/gone", Decision: d, Prefix: [][]string{{"kubectl", "oc"}, {"delete", "drain"}}}
}

func with(command string, p Policy) Verdict {
	return Check(shell.Input{Command: command, Cwd: testRoot}, p, paper{testRoot}, testHome)
}

func TestCustomRulesSeeThroughWhatHidesAProgram(t *testing.T) {
	p := DefaultPolicy()
	p.Custom = []CustomRule{kubectl(rule.Deny)}
	for _, command := range []string{
		"kubectl delete pod x", "oc drain n1", "/usr/bin/kubectl delete x", "K=1 kubectl delete x", "env A=1 kubectl delete x", "timeout -k 5 10 kubectl delete x",
		"ls && kubectl delete x", "bash -c 'kubectl delete x'", "k=kubectl; $k delete x", "f() { kubectl \"$@\"; }; f delete x", "kubectl --context prod -n a delete x",
		"kubectl --context=prod delete x", "echo x | xargs kubectl delete", "k'u'bectl d\"ele\"te x", "for v in get delete; do kubectl $v x; done", "$(kubectl delete x)",
	} {
		if v := with(command, p); v.Decision != rule.Deny || !v.found("kube/gone") {
			t.Errorf("%q: %s", command, describe(v))
		}
	}
	for _, command := range []string{"kubectl get delete", "kubectl logs delete", "echo kubectl delete x", "grep 'kubectl delete' x", "kubectl", "mykubectl delete x", "git commit -m 'kubectl delete x'"} {
		if v := with(command, p); v.found("kube/gone") {
			t.Errorf("%q: %s", command, describe(v))
		}
	}
}

func TestACustomRuleThatPerhapsMatchesAsks(t *testing.T) {
	p := DefaultPolicy()
	p.Custom = []CustomRule{kubectl(rule.Deny)}
	for _, command := range []string{"kubectl $VERB x", "for v in $VERBS; do kubectl $v x; done", "kubectl de$X y"} {
		if v := with(command, p); v.Decision != rule.Ask || !v.found("kube/gone") {
			t.Errorf("%q: %s", command, describe(v))
		}
	}
	if v := with("kubectl get $POD", p); v.Decision != rule.Allow {
		t.Error(describe(v))
	}
}

func TestContainsWantsEveryWord(t *testing.T) {
	p := DefaultPolicy()
	p.Custom = []CustomRule{{ID: "helm", Decision: rule.Ask, Prefix: [][]string{{"helm"}, {"upgrade"}}, Contains: [][]string{{"--force", "-f"}, {"prod"}}}}
	for command, want := range map[string]bool{
		"helm upgrade prod --force": true, "helm upgrade -f prod": true, "helm upgrade prod": false, "helm upgrade --force dev": false, "helm upgrade --force $X": true,
	} {
		if v := with(command, p); v.found("helm") != want {
			t.Errorf("%q: %s", command, describe(v))
		}
	}
}

func TestACustomRuleNeverLoosens(t *testing.T) {
	p := DefaultPolicy()
	p.Custom = []CustomRule{{ID: "rm", Decision: rule.Ask, Prefix: [][]string{{"rm"}}}}
	if v := with("rm -rf /etc", p); v.Decision != rule.Deny {
		t.Error(describe(v))
	}
}

func TestCustomFindingSaysWhatItsRuleSays(t *testing.T) {
	p := DefaultPolicy()
	p.Custom = []CustomRule{kubectl(rule.Deny)}
	v := with("ls; kubectl delete pod", p)
	f := v.Findings[0]
	if f.Message != `runs kubectl delete pod, which the policy's rule "kube/gone" is about` || f.Suggestion != nil || f.Span != (effect.Span{Start: 12, End: 22}) {
		t.Errorf("%+v", f)
	}
	p.Custom[0].Message, p.Custom[0].Why, p.Custom[0].Safer = "removes ({what})", "It is gone.", "ask Ann"
	f = with("kubectl delete pod", p).Findings[0]
	if f.Message != "removes (kubectl delete pod)" || f.Explanation != "It is gone." || f.Suggestion.Title != "ask Ann" {
		t.Errorf("%+v", f)
	}
}

func TestDecisionsReplaceByStrictness(t *testing.T) {
	p := DefaultPolicy()
	p.Decisions = map[string]rule.Decision{"program/unknown": rule.Deny}
	if v := with("$CMD", p); v.Decision != rule.Deny {
		t.Error(describe(v))
	}
	// The special row is silent, the general one is not.
	p.Decisions = map[string]rule.Decision{"fs/delete-system": rule.Allow}
	if v := with("rm -rf /etc", p); v.Decision != rule.Deny || v.found("fs/delete-system") {
		t.Error(describe(v))
	}
	// A general row that was made stricter than a special one speaks.
	special, general := "fs/delete-system", "fs/delete-outside"
	p.Decisions = map[string]rule.Decision{special: rule.Ask, general: rule.Deny}
	if v := with("rm -rf /etc", p); v.Decision != rule.Deny {
		t.Error(describe(v))
	}
}

func TestFiltersAllMustMatch(t *testing.T) {
	p := DefaultPolicy()
	p.Filters = [][]string{{"^go ", "^cd "}, {"^go test", "^cd "}}
	for command, want := range map[string]rule.Decision{
		"go test ./...": rule.Allow, "cd sub && go test .": rule.Allow, "go build": rule.Deny, "go test . && make": rule.Deny, "X=1 go test .": rule.Allow,
		"env X=1 go test .": rule.Deny, "bash -c 'go test .'": rule.Deny, "go test $X": rule.Allow, "": rule.Deny,
	} {
		if v := with(command, p); v.Decision != want {
			t.Errorf("%q: %s", command, describe(v))
		}
	}
	p.AllowPatterns = []string{"^cd "}
	if v := with("go test ./...", p); v.Decision != rule.Deny {
		t.Error("the user's patterns were ignored")
	}
	p.Filters, p.AllowPatterns = [][]string{{"("}}, nil
	if v := with("go test", p); v.Decision != rule.Deny {
		t.Error("a pattern that can't be compiled let a command through")
	}
}

func TestExtrasAreBudgeted(t *testing.T) {
	p := DefaultPolicy()
	p.Custom = []CustomRule{kubectl(rule.Ask)}
	big := "f() { true " + strings.Repeat("\"$@\" ", 20) + "; }; " + strings.Repeat("f "+strings.Repeat("a ", 500)+";", 100)
	if v := with(big, p); v.Decision == rule.Allow {
		t.Error("an argument bomb is allowed")
	}
}

func TestValidateNamesTheRuleAndTheExample(t *testing.T) {
	good := kubectl(rule.Deny)
	good.Match = []string{"kubectl delete x", "sudo oc drain y"}
	good.NotMatch = []string{"kubectl get x"}
	if errs := (Policy{Custom: []CustomRule{good}}).Validate(); len(errs) != 0 {
		t.Fatal(errs)
	}
	for want, change := range map[string]func(r *CustomRule){
		"match 1":     func(r *CustomRule) { r.Match = []string{"oc delete x", "kubectl get x"} },
		"match 0":     func(r *CustomRule) { r.Match = []string{"kubectl $X"} },
		"not_match 1": func(r *CustomRule) { r.NotMatch = []string{"ls", "kubectl delete x"} },
		"not_match 0": func(r *CustomRule) { r.NotMatch = []string{strings.Repeat("x", maxExampleSize+1)} },
		"id -1":       func(r *CustomRule) { r.ID = "Kube" },
		"id -1 ":      func(r *CustomRule) { r.ID = "fs/delete-system" },
		"decision -1": func(r *CustomRule) { r.Decision = rule.Allow },
		"prefix -1":   func(r *CustomRule) { r.Prefix = nil },
		"prefix 0":    func(r *CustomRule) { r.Prefix = [][]string{{"/bin/kubectl"}} },
		"prefix 1":    func(r *CustomRule) { r.Prefix[1] = nil },
		"contains 0":  func(r *CustomRule) { r.Contains = [][]string{{""}} },
		"match -1":    func(r *CustomRule) { r.Match = make([]string, maxExamples+1) },
	} {
		r := kubectl(rule.Deny)
		change(&r)
		errs := (Policy{Custom: []CustomRule{good, {ID: "ok", Decision: rule.Ask, Prefix: [][]string{{"x"}}}, r}}).Validate()
		if r.ID == good.ID { // the one mistake of the first two is theirs together
			errs = slices.DeleteFunc(errs, func(e RuleError) bool { return strings.Contains(e.Problem, "two rules") })
		}
		if len(errs) != 1 || errs[0].Rule != 2 || fmt.Sprint(errs[0].Member, " ", errs[0].Index) != strings.TrimSpace(want) {
			t.Errorf("%s: %+v", want, errs)
		}
	}
	if errs := (Policy{Custom: []CustomRule{good, good}}).Validate(); len(errs) != 1 || errs[0].Rule != 1 || errs[0].Member != "id" {
		t.Error(errs)
	}
	if errs := (Policy{Custom: make([]CustomRule, maxCustom+1)}).Validate(); errs[len(errs)-1].Rule != maxCustom {
		t.Error(errs[len(errs)-1])
	}
}
