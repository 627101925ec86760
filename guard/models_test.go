package guard

import (
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/rule"
)

// eachModel calls f with every model, and fails where one can't be read.
func eachModel(t *testing.T, f func(m *program.Model)) {
	t.Helper()
	program.Blocks(func(names, block string) {
		m, err := program.Parse(names, block)
		if err != nil {
			t.Error(err)
			return
		}
		f(m)
	})
}

func TestNoProgramHasTwoModels(t *testing.T) {
	seen := map[string]bool{}
	eachModel(t, func(m *program.Model) {
		for _, name := range m.Names {
			if seen[name] {
				t.Errorf("%s stands in two models", name)
			}
			seen[name] = true
		}
	})
	t.Log(len(seen), "programs")
}

func TestModelsNameKindsAndMeaningsThatExist(t *testing.T) {
	kind := func(names []string, kind string) {
		if programs().Kinds[kind] == nil {
			t.Errorf("%v: no such kind of code: %q", names, kind)
		}
	}
	eachModel(t, func(m *program.Model) {
		for word := range strings.FieldsSeq(m.Get("runs")) {
			if _, k, ok := strings.Cut(word, "="); ok {
				kind(m.Names, k)
			} else if word[0] != '!' {
				t.Errorf("%v: %q has no kind", m.Names, word)
			}
		}
		for _, key := range []string{"operand", "input"} {
			if k, _, _ := strings.Cut(m.Get(key), " if "); k != "" {
				kind(m.Names, k)
			}
		}
		for _, meaning := range m.Meanings() {
			if !slices.Contains(program.Meanings, meaning) && DefaultPolicy().Decision(meaning) == rule.Allow {
				t.Errorf("%v: no rule asks for the meaning %q", m.Names, meaning)
			}
		}
		for _, word := range strings.Fields(m.Get("options") + " " + m.Get("with")) {
			if !strings.ContainsAny(word[len(word)-1:], ":<>#+xm@?=~!") {
				t.Errorf("%v: option %q says nothing of its value", m.Names, word)
			}
		}
	})
}

func TestExamplesOfTheModels(t *testing.T) {
	n := 0
	eachModel(t, func(m *program.Model) {
		for _, e := range m.Finds {
			n++
			if v := judge(e.Command); !v.found(e.Rule) {
				t.Errorf("%s misses %q: %s", e.Rule, e.Command, describe(v))
			}
		}
		for _, command := range m.Fine {
			n++
			if v := judge(command); v.Decision != rule.Allow {
				t.Errorf("%q: %s", command, describe(v))
			}
		}
	})
	t.Log(n, "examples")
}
