package guard

// inputRules are about text that can't be read, or not to its end.
var inputRules = []Rule{
	{
		ID: "input/bytes", Title: "Hidden or control characters", Decision: Deny, Severity: 1,
		Why:      "Control, zero-width and text-direction characters make the parser, the shell and the reader see three different commands.",
		Message:  "the text holds a control or invisible character",
		Safer:    "write such characters as escapes, e.g. printf '\\r'",
		Match:    []string{"echo a\\\r\nrm -rf x", "echo \x00safe", "ls \u202etxt", "ls\u200b", "printf '\x1b[2J'"},
		NotMatch: []string{"printf '\\r\\n'", "echo 'café ✓'", "ls\t-l"},
		when:     problem(problemBytes),
	},
	{
		ID: "input/size", Title: "Too long", Decision: Deny, Severity: 2,
		Why:      "Text beyond 65,536 bytes is not judged, and what is not judged does not run.",
		Message:  "the command is longer than 65,536 bytes",
		Safer:    "write the text to a file and run that",
		NotMatch: []string{"ls"},
		when:     problem(problemSize),
	},
	{
		ID: "input/invalid", Title: "No command", Decision: Deny, Severity: 3,
		Why:      "A request names either shell text or an argv.",
		Message:  "the request holds no command, or two",
		NotMatch: []string{"ls"},
		when:     problem(problemInput),
	},
	{
		ID: "input/nested-shells", Title: "Shells in shells", Decision: Deny, Severity: 2,
		Why:      "Nobody nests shells this deep except to hide what the innermost one runs.",
		Message:  "shells are nested deeper than the guard follows",
		Safer:    "run the innermost command directly",
		NotMatch: []string{"bash -c 'npm test'"},
		when:     problem(problemDepth),
	},
	{
		ID: "parse/error", Title: "Not valid shell", Decision: Ask, Severity: 3,
		Why:      "Shells run the lines before a syntax error; what comes after it, nobody can say.",
		Message:  "not every shell that may run this can read it ({what})",
		Safer:    "correct the syntax, or name the shell: bash -c '…'",
		Match:    []string{"echo \"unterminated", "if true; then", "echo )", "a=(1 2"},
		NotMatch: []string{"echo hi", "if true; then echo; fi", "bash -c 'a=(1 2)'", "a=(1 2); echo \"${a[0]}\"", "diff <(sort a) <(sort b)", "bc <<< 1+1", "function f { ls; }; f", "for ((i = 0; i < 3; i++)); do echo $i; done"},
		when:     problem(problemSyntax),
	},
	{
		ID: "parse/opaque", Title: "Read differently by shells", Decision: Ask, Severity: 2,
		Why:      "In this construct a shell may run a command that the parser does not see.",
		Message:  "shells do not agree on how to read this",
		Safer:    "write it without the line break or the inner quotes",
		Match:    []string{"safe # x\\\npwn", "echo \"$\\\n(pwn)\"", "echo \"${x:-'$(pwn)'}\"", "cat <<true\n ${x}true\n: '$(pwn)'\ntrue", "echo $(('$(pwn)'))", "coproc pwn >f"},
		NotMatch: []string{"docker run \\\n  --rm alpine", "echo ${x:-'default'}", "cat <<EOF\nhello $USER\nEOF", "echo hi # done", "awk '{\\\nprint}' x", "make && \\\n make install-docs", "printf \"a \\\nb\"", "java -Dx=\\\n\ty"},
		when:     problem(problemOpaque),
	},
	{
		ID: "budget/work", Title: "Too much to judge", Decision: Ask, Severity: 3,
		Why:      "The text is larger or more nested than the guard follows; the rest of it was not judged.",
		Message:  "the command is too large to be judged as a whole",
		Safer:    "write it to a script, read that, and run it",
		NotMatch: []string{"for i in {1..100}; do echo $i; done", "go test ./..."},
		when: func(_ *walker, e *effect) bool {
			return e.kind == kindProblem && (e.name == problemBudget || e.name == problemNesting)
		},
	},
	{
		ID: "guard/internal", Title: "The guard failed", Decision: Ask, Severity: 1,
		Why:     "A fault in pillion; the command could not be judged to its end.",
		Message: "the guard failed while judging this; please report it",
		when:    unexplained,
	},
}

// unexplained reports a problem that no other row is about: a fault of the
// guard, or a problem somebody added without a row.
func unexplained(_ *walker, e *effect) bool {
	switch e.name {
	case problemSize, problemBytes, problemSyntax, problemOpaque, problemNesting, problemDepth, problemBudget, problemInput:
		return false
	}
	return e.kind == kindProblem
}
