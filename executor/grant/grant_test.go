package grant

import (
	"fmt"
	"testing"
)

func TestGrantsAreBounded(t *testing.T) {
	var l List
	for i := range maxGrants + 10 {
		l.Add(Rule{Command: fmt.Sprint(i)})
	}
	g := l.All()
	if len(g) != maxGrants || g[0].Rule.Command != "10" {
		t.Errorf("%d, oldest %s", len(g), g[0].Rule.Command)
	}
	if id := l.Add(Rule{Command: "20"}); id != g[10].ID || len(l.All()) != maxGrants {
		t.Error("the same rule twice")
	}
}

// A rule matches commands that fewer rules find, never one that more do.
func TestAGrantCoversASubsetOfItsRules(t *testing.T) {
	var l List
	id := l.Add(Rule{Command: "x", RuleIDs: []string{"a", "b"}})
	if got, ok := l.Use(&Rule{Command: "x", RuleIDs: []string{"b"}}, ""); !ok || got != id {
		t.Error("a subset is asked about")
	}
	if _, ok := l.Use(&Rule{Command: "x", RuleIDs: []string{"b", "c"}}, ""); ok {
		t.Error("not a subset")
	}
	if _, ok := l.Use(nil, ""); ok {
		t.Error("what has no rule was granted")
	}
	if l.Use(&Rule{Command: "x"}, id); l.All()[0].Uses != 1 {
		t.Errorf("%+v: one was judged again", l.All())
	}
}
