package canon

import (
	"slices"
	"strings"
	"sync"
)

// evaluators are the builtins of any shell that read their operands again: as
// commands, as names with a subscript (unset 'a[$(pwn)]'), or to change how the
// shell reads on. Quotes are no help against those, so they run as written.
var evaluators = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"eval": true, ".": true, "source": true, "trap": true, "alias": true, "unalias": true, "fc": true, "bind": true,
		"read": true, "mapfile": true, "readarray": true, "getopts": true, "unset": true, "let": true,
		"declare": true, "typeset": true, "local": true, "export": true, "readonly": true,
		"shopt": true, "enable": true, "complete": true, "compgen": true, "compopt": true,
		"-": true, "noglob": true, "nocorrect": true,
	}
})

// counting are builtins that some shells let calculate: in ksh,
// [ 'a[$(pwn)]' -eq 1 ] runs pwn.
var counting = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"test": true, "[": true, "exit": true, "return": true, "break": true, "continue": true, "shift": true,
		"kill": true, "ulimit": true, "umask": true,
	}
})

// evaluates reports a command whose arguments a shell may read as more than text.
func evaluates(args []string) bool {
	for len(args) > 1 && (args[0] == "command" || args[0] == "builtin") {
		args = args[1:]
		for len(args) > 1 && strings.HasPrefix(args[0], "-") {
			args = args[1:]
		}
	}
	if len(args) == 0 {
		return false // redirections only
	}
	name, rest := args[0], args[1:]
	has := func(f func(a string) bool) bool { return slices.ContainsFunc(rest, f) }
	switch {
	case evaluators()[name]:
		return true
	case name == "set":
		return has(unusual)
	case name == "printf":
		return len(rest) > 0 && strings.HasPrefix(rest[0], "-v")
	case name == "hash" || name == "jobs" || name == "wait":
		return has(func(a string) bool { return strings.HasPrefix(a, "-") && a != "-r" && a != "-l" && a != "-n" })
	case (name == "test" || name == "[") && has(func(a string) bool { return a == "-v" || a == "-R" }):
		return true
	}
	return counting()[name] && has(func(a string) bool { return strings.Contains(a, "$(") || strings.Contains(a, "`") })
}

// unusual reports an argument of set that is more than -e -u -x -f -C or -o
// with one of the names. -k takes quoted words for assignments no longer, -v
// prints the text that is read.
func unusual(a string) bool {
	switch a {
	case "pipefail", "errexit", "nounset", "xtrace", "noglob", "noclobber":
		return false
	}
	return len(a) < 2 || a[0] != '-' && a[0] != '+' || strings.Trim(a[1:], "euxfCo") != ""
}
