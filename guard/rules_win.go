package guard

// windowsRules are about what only Windows shells do. Their other commands are
// judged by the rules of every shell.
var windowsRules = []Rule{
	{
		ID: "windows/encoded", Title: "Encoded command", Decision: Deny, Severity: 1,
		Why:      "A command is encoded so that nobody reads it.",
		Message:  "runs a command that is hidden by encoding ({what})",
		Safer:    "write the command as text: powershell -Command \"…\"",
		Match:    []string{"powershell -EncodedCommand ZQBjAGgAbwA=", "pwsh -enc ZQBjAGgAbwA=", "powershell -nop -w hidden -e ZQBjAGgAbwA=", "cmd /c powershell -ec ZQBjAGgAbwA=", "powershell.exe -NoProfile -Enc x"},
		NotMatch: []string{"powershell -File build.ps1", "pwsh -c 'Get-ChildItem'", "powershell -ExecutionPolicy Bypass -File x.ps1", "echo -EncodedCommand", "powershell -Command \"npm test\""},
		when:     func(_ *walker, e *effect) bool { return e.kind == kindCode && e.name == encodedCode },
	},
}
