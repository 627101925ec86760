package rule

import (
	"embed"
	"sync"
)

//go:embed rows/*.txt
var texts embed.FS

// families are the files of rows, in the order in which they are tried, with the
// predicates that stand in the Go file of that name.
var families = []struct {
	file string
	when map[string]When
}{
	{"input", inputWhen},
	{"machine", machineWhen},
	{"windows", windowsWhen},
	{"container", containerWhen},
	{"persist", persistWhen},
	{"agent", agentWhen},
	{"files", fsWhen},
	{"secret", secretWhen},
	{"network", networkWhen},
	{"code", codeWhen},
	{"lang", langWhen},
	{"work", workWhen},
	{"system", systemWhen},
	{"settings", nil},
	{"git", nil},
	{"outward", outwardWhen},
}

// family reads one of them.
func family(i int) []Rule {
	text, _ := texts.ReadFile("rows/" + families[i].file + ".txt") // it is there
	return Rows(string(text), families[i].when)
}

// Input is the rows about text that can't be read, or not to its end.
var Input = sync.OnceValue(func() []Rule { return family(0) })

// Balanced is every rule of the profile "balanced", denials first: for one effect
// the first row that matches speaks. Within a decision the order is that of families,
// and of the rows in them, special rows before general ones. The examples are judged
// with the workspace and cwd /home/dev/project and the home /home/dev.
var Balanced = sync.OnceValue(func() []Rule {
	all := [][]Rule{Input()}
	for i := range families[1:] {
		all = append(all, family(i+1))
	}
	return StrictestFirst(all...)
})

// examples are those of the rows of this package.
var examples = sync.OnceValue(func() map[string]Examples { return ReadExamples(texts) })

// StrictestFirst keeps the order of rows with the same decision. Sorting rows as large
// as these costs more than looking three times.
func StrictestFirst(families ...[]Rule) []Rule {
	n := 0
	for _, rows := range families {
		n += len(rows)
	}
	out := make([]Rule, 0, n)
	for _, d := range []Decision{Deny, Ask, Allow} {
		for _, rows := range families {
			for i := range rows {
				if rows[i].Decision.Rank() == d.Rank() {
					out = append(out, rows[i])
				}
			}
		}
	}
	return out
}
