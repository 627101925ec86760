package guard

import (
	"testing"

	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// FuzzProfiles: whatever holds for a verdict holds in each profile; none that has
// rules allows what could not be read.
func FuzzProfiles(f *testing.F) {
	for i, name := range ProfileNames() {
		for _, r := range ownRules(RuleSet(name)) {
			for _, c := range append(r.Match, r.NotMatch...) {
				f.Add(c, uint8(i))
			}
		}
		for _, c := range ordinary {
			f.Add(c, uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, command string, profile uint8) {
		names := ProfileNames()
		p, _ := Profile(names[int(profile)%len(names)])
		v := Check(shell.Input{Command: command, Cwd: testRoot}, p, paper{testRoot}, testHome)
		if p.Rules == NoRules && !v.Parse.Complete { // the sandbox alone judges there
			if v.RunAs != runAsWritten {
				t.Errorf("%s: %q was not read, and runs as %s", p.ID, command, v.RunAs)
			}
			v.Parse.Complete = true
		}
		verify(t, v, map[string]int{"command": len(command)})
		if v.found("guard/internal") {
			t.Fatalf("%s panicked on %q", p.ID, command)
		}
	})
}

// ownRules are of a rule set that isn't the default.
func ownRules(name RuleSet) []rule.Rule {
	if rows, ok := ruleSets()[name]; ok {
		return withExamples(rows())
	}
	return nil
}
