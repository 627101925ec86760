package guard

// Profile is the policy of that name, if there is one.
func Profile(name string) (Policy, bool) {
	if name == "balanced" {
		return DefaultPolicy(), true
	}
	return Policy{}, false
}
