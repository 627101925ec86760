package guard

import "sync"

// tablesMade is done when the tables are.
var tablesMade sync.Once

// tables makes what names are looked up in, when the first command is judged: at
// init it would be a quarter of what a start costs. No variable's initial value can
// do it, because functions in the tables look names up in them.
func tables() {
	tablesMade.Do(func() {
		for _, fill := range []func(){
			fillHookValues, fillSources, fillProjectFiles, fillScriptReaders,
			fillLanguages, fillTextMethods, fillNodeCalls, fillPerlCalls, fillPHPCalls, fillPythonCalls, fillRubyCalls, fillOtherCalls, fillRareRunners,
		} {
			fill()
		}
	})
}
