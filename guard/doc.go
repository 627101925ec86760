// Package guard judges a command before it starts. It is pure: text, policy and
// facts about the workspace go in, a Verdict comes out; it starts nothing and
// reads no clock (its budgets are counted steps).
//
//	bytes → parse → effects → rules → verdict
//
// The guard is a tripwire: it explains, asks, and stops the obvious. It can be
// fooled (by a script it cannot read, by a value known only at run time); the
// sandbox is the boundary and must hold when it was.
//
// Where things are, one family of files a line:
//
//	check, types, effect, rule       the way in, what goes in and out, what rules see
//	sequence                         several commands, one after the other
//	bytes, nesting, parse, opaque,   text that must not reach the parser, and what
//	evaluates, duplicate             shells read otherwise than it does
//	walker, walk, call, redirect     the budget; statements, commands, redirections
//	loops, leaving, skipped, failing what may run many times, or not at all
//	fold, braces, tilde, freeze,     words: what they are when the command runs
//	lists, separators, variables,
//	escapes, environ
//	state, dirs, paths, files        variables, directories, paths, files written
//	builtins, aliases, traps, …      what the shell's own commands do to those
//	printing, cutters, filters       what programs print, as far as it can be told
//	program/                         a model of each program: its options, its verbs
//	models, operands, argv           how models are read, and argvs by them
//	handlers                         the programs that take more than roles
//	wrappers, elevated, runners,     programs that run other programs
//	find, parallel, remote
//	options*, hooks, environment,    code in options, variables and settings
//	git_hooks, git_code, editors
//	lang*, interpreter, sed, awk     one-liners in other languages
//	match, downloads, decoders       where text came from: the network, a decoder
//	secrets, secret_use, search      credentials
//	network, netcat, web, host       what leaves the machine
//	container, database*, packages,  what the rules of a family need to know
//	services, kernel, rights, …
//	rules_*, table                   the rules, with their examples
//	custom, filter, validate         rules and patterns of a policy file
//	profile*, layered_*, inspect*    profiles that behave like older tools
//	runas, serialise*                the text that runs in place of what was judged
//	sight                            programs whose work no text shows
//	powershell*, cmd, windows_*      the Windows shells, by text rules
package guard
