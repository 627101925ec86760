package guard

import "strings"

// windowsVariable judges what a Windows shell sets for the programs after it, in
// whatever case: set Git_Ssh_Command=…. Not the lists of directories, whose language is
// another one there.
func (w *walker) windowsVariable(name string, at arg, value string) {
	if variableKinds()[name] == "" { // npm's are in small letters
		name = strings.ToUpper(name)
	}
	switch kind := variableKinds()[name]; kind {
	case "", "search", "programs":
		return
	}
	w.emitAt(at, effect{kind: kindEnv, name: name, text: value})
}

// givesVariable is $env:NAME = value.
func (w *walker) givesVariable(c windowsCommand) {
	name, ok := strings.CutPrefix(c.target, "env:")
	if !ok || len(c.words) == 0 {
		return
	}
	value := unknown
	if len(c.words) == 1 {
		value = c.words[0].text
	}
	w.windowsVariable(name, c.words[0], value)
}

// cmdSet is cmd's: set NAME=value, where = is a blank, and set "NAME=value".
func (w *walker) cmdSet(args []arg) {
	if len(args) == 0 || strings.HasPrefix(args[0].text, "/") {
		return
	}
	name, value, quoted := strings.Cut(args[0].text, "=")
	if !quoted {
		value = strings.Join(texts(args[1:]), " ")
	}
	w.windowsVariable(name, args[0], value)
}
