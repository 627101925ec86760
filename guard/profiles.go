package guard

import "regexp"

// ProfileNames are the profiles, the default first.
func ProfileNames() []string { return []string{"balanced"} }

// Profile is the policy of that name, for the caller to change.
func Profile(name string) (Policy, bool) {
	if name == "balanced" {
		return DefaultPolicy(), true
	}
	return Policy{}, false
}

// ClosedByReadMode is why the profile "readonly" runs nothing when its sandbox
// is off and nobody granted writing.
const ClosedByReadMode = "the sandbox is off in this profile: commands need the write grant"

// Compiled checks AllowPatterns.
func (p Policy) Compiled() (Policy, error) {
	for _, pattern := range p.AllowPatterns {
		if _, err := regexp.Compile(pattern); err != nil {
			return Policy{}, err
		}
	}
	return p, nil
}
