package guard

import (
	"cmp"
	"slices"
)

// table is every rule of the profile "balanced", denials first: for one effect
// the first row that matches speaks. Within a decision the order is that of the
// files here and of the rows in them, special rows before general ones. The
// examples are judged with the workspace and cwd /home/dev/project and the home
// /home/dev.
var table = strictestFirst(
	inputRules, machineRules, windowsRules, containerRules, persistRules, fsRules, secretRules, networkRules, codeRules, langRules, workRules, systemRules, settingsRules, gitRules, outwardRules,
)

func strictestFirst(families ...[]Rule) []Rule {
	rows := slices.Concat(families...)
	slices.SortStableFunc(rows, func(a, b Rule) int { return cmp.Compare(b.Decision.rank(), a.Decision.rank()) })
	return rows
}
