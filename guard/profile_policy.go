package guard

// policyRules are the same in every rule set: what the policy itself, and not a
// rule about commands, keeps from running.
var policyRules = []Rule{
	{
		ID: "policy/closed", Title: "No commands at all", Decision: Deny, Severity: 1, Verbatim: true,
		Why:     "The configuration lets no command run.",
		Message: "no command may run",
		when:    func(_ *walker, e *effect) bool { return e.kind == kindClosed },
		say:     func(e *effect) string { return e.text },
	},
	{
		ID: "policy/not-in-allowlist", Title: "Not in the allow list", Decision: Deny, Severity: 2, Verbatim: true,
		Why:     "An allow list is configured, and this command matches none of its patterns.",
		Message: "Command blocked by safety guard (not in allowlist)",
		Safer:   "keep to the commands of the allow list",
		when:    func(w *walker, e *effect) bool { return e.kind == kindCommand && !w.listed(e) },
	},
}

// judgePolicy applies policyRules. No decision of the policy silences them: they
// are the policy.
func (w *walker) judgePolicy(e *effect) (Finding, bool) {
	if e.kind != kindClosed && e.kind != kindCommand {
		return Finding{}, false
	}
	for i := range policyRules {
		if r := &policyRules[i]; r.when(w, e) {
			return r.finding(e), true
		}
	}
	return Finding{}, false
}

// listed reports that a pattern of the allow list matches the command's text.
// They come on top of the deny rules: a match allows nothing that those refuse.
func (w *walker) listed(e *effect) bool {
	if len(w.policy.AllowPatterns) == 0 || e.name == writtenFunction {
		return true
	}
	return w.anyMatches(w.patterns.allow, e.text)
}
