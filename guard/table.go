package guard

import "sync"

// table is every rule of the profile "balanced", denials first: for one effect
// the first row that matches speaks. Within a decision the order is that of the
// files here and of the rows in them, special rows before general ones. The
// examples are judged with the workspace and cwd /home/dev/project and the home
// /home/dev.
var table = inOrder(
	inputRules, machineRules, windowsRules, containerRules, persistRules, fsRules, secretRules, networkRules, codeRules, langRules, workRules, systemRules, settingsRules, gitRules, outwardRules,
)

// inOrder is strictestFirst, done when the first command is judged.
func inOrder(families ...[]Rule) func() []Rule {
	return sync.OnceValue(func() []Rule { return strictestFirst(families...) })
}

// strictestFirst keeps the order of rows with the same decision. Sorting rows as large
// as these costs more than looking three times.
func strictestFirst(families ...[]Rule) []Rule {
	n := 0
	for _, rows := range families {
		n += len(rows)
	}
	out := make([]Rule, 0, n)
	for _, d := range []Decision{Deny, Ask, Allow} {
		for _, rows := range families {
			for i := range rows {
				if rows[i].Decision.rank() == d.rank() {
					out = append(out, rows[i])
				}
			}
		}
	}
	return out
}
