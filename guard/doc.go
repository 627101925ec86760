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
// The rooms, each of which imports only those above it:
//
//	effect   what rules look at: a program runs, a path is read, text is sent, …
//	argv     one reader of options and operands, and of lists of names
//	place    paths and hosts: what is inside, what is secret, what is shown
//	canon    the text that runs in place of what was judged
//	program  a model of each program, as text: its options, what its verbs mean
//	rule     the rules, with their examples
//	shell    the walk: statements, words, variables, files that the text writes
//	program/ what the programs of a family do beyond their models
//	lang     one-liners in other languages
//	windows  PowerShell and cmd, by text rules
//	profile  the rules of older tools
//
// To teach it
//
//	a rule                                    rule/rows
//	a program's options, operands and verbs   its block in program, with examples
//	a verb, whichever program has it          program/verbs.txt
//	more about a program                      a handler in the Family of its room
//	code in an option, variable or setting    program/run/values.txt, kinds.go; program/git/settings.txt
//	a language for one-liners                 lang/calls.txt, interpreter_flags.go
//	a program whose arguments are text        names in lang/languages.txt
//	a builtin that reads operands as code     canon/canon.go, shell/calculated.go
//	a decoder, a downloader                   program/text/family.go, program/net/downloads.go
//	a name of a credential file               place/secrets.go
//	a secret in a command line, for logs      redact.go
//	a program whose work no text shows        startsOthers in fixed.go
//	a command of PowerShell or cmd.exe        windows/names.txt, powershell_cmdlets.go, cmd.go
package guard
