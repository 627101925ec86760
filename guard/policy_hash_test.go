package guard

import (
	"reflect"
	"testing"

	"github.com/pillion-sidecar/pillion/guard/rule"
)

// An approval given under one policy doesn't hold under another, whichever member of it
// has changed.
func TestHashKnowsEveryMemberOfAPolicy(t *testing.T) {
	one := DefaultPolicy()
	one.Custom = []CustomRule{kubectl(rule.Deny)}
	seen := map[string]string{DefaultPolicy().Hash(): "the default", one.Hash(): "its base"}
	differs := func(name string, p Policy) {
		hash := p.Hash()
		if other, ok := seen[hash]; ok {
			t.Errorf("%s has the hash of %s", name, other)
		}
		seen[hash] = name
	}
	for i := range reflect.TypeFor[Policy]().NumField() {
		if f := reflect.TypeFor[Policy]().Field(i); f.IsExported() {
			p := one
			change(t, reflect.ValueOf(&p).Elem().Field(i))
			differs(f.Name, p)
		}
	}
	for i := range reflect.TypeFor[CustomRule]().NumField() {
		p, rule := one, one.Custom[0]
		change(t, reflect.ValueOf(&rule).Elem().Field(i))
		p.Custom = []CustomRule{rule}
		differs("a rule's "+reflect.TypeFor[CustomRule]().Field(i).Name, p)
	}
}

// change makes a member what no policy has.
func change(t *testing.T, v reflect.Value) {
	switch v.Interface().(type) {
	case string, RuleSet, rule.Decision:
		v.SetString(v.String() + "x")
		if v.Type() == reflect.TypeFor[RuleSet]() {
			v.SetString(string(LayeredRules))
		}
	case bool:
		v.SetBool(!v.Bool())
	case []string:
		v.Set(reflect.ValueOf([]string{"x", "y"}))
	case [][]string:
		v.Set(reflect.ValueOf([][]string{{"x"}, {"y"}}))
	case []CustomRule:
		v.Set(reflect.ValueOf([]CustomRule{kubectl(rule.Ask), kubectl(rule.Deny)}))
	case map[string]rule.Decision:
		v.Set(reflect.ValueOf(map[string]rule.Decision{rule.Balanced()[0].ID: "x"}))
	default:
		t.Fatalf("no value for %v", v.Type())
	}
}

// Where words end is a part of what they say.
func TestHashTellsListsThatReadTheSameApart(t *testing.T) {
	seen := map[string]int{}
	for i, change := range []func(*Policy){
		func(p *Policy) { p.Roots = []string{"a", "b"} }, func(p *Policy) { p.Roots = []string{"ab"} },
		func(p *Policy) { p.Roots, p.Bound = []string{"a"}, []string{"b"} }, func(p *Policy) { p.Roots = []string{"1:a", "1:b"} },
		func(p *Policy) { p.Roots = []string{"", "ab"} }, func(p *Policy) { p.Bound = []string{"a", "b"} },
		func(p *Policy) { p.Filters = [][]string{{"a", "b"}} }, func(p *Policy) { p.Filters = [][]string{{"a"}, {"b"}} },
		func(p *Policy) { p.Filters = [][]string{{"a", "b"}, {}} },
	} {
		p := DefaultPolicy()
		change(&p)
		if other, ok := seen[p.Hash()]; ok {
			t.Errorf("%d has the hash of %d", i, other)
		}
		seen[p.Hash()] = i
	}
}

// The hash that was made last is kept; that it is kept must not be seen.
func TestKeptHashIsThatOfThePolicyAsItIs(t *testing.T) {
	id := rule.Balanced()[0].ID
	p := DefaultPolicy()
	p.Decisions, p.Programs = map[string]rule.Decision{}, []string{"/opt/bin"}
	first := p.Hash()
	p.Decisions[id] = "x" // in place, where a copy of p would change with it
	second := p.Hash()
	p.Programs[0] = "/opt/sbin"
	third := p.Hash()
	if first == second || second == third || first == third {
		t.Errorf("a change in place was not seen: %s, %s, %s", first, second, third)
	}
	p.Decisions[id], p.Programs[0] = rule.Balanced()[0].Decision, "/opt/bin" // what the rule says itself changes nothing
	if again := p.Hash(); again != first {
		t.Errorf("%s, was %s", again, first)
	}
}
