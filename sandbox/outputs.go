package sandbox

// A policy's Outputs are files of the sidecar's that commands may read. Attacks
// on them are to change one under its next reader, and to put another one in its
// place.

// outputsInside is where they appear in a sandbox with mounts of its own. It is a
// mount directly in another one, neither of which can be renamed. Where they are
// on the host there may be directories in between that lie in the private home: a
// command could move those aside and lay its own.
const outputsInside = "/run/pillion-outputs"

// outputs is where commands find the policy's Outputs.
func (c conf) outputs() string {
	if c.policy.Outputs != "" && c.namespaced() {
		return outputsInside
	}
	return c.policy.Outputs
}

// outputs are the places where Outputs may be seen.
func (p Policy) outputs() []string {
	if p.Outputs == "" {
		return nil
	}
	return []string{p.Outputs, outputsInside}
}

// outputs shows them whatever else was granted there.
func (l layout) outputs(p Policy) []layer {
	if p.Outputs == "" {
		return nil
	}
	return []layer{{mountStep: mountStep{op: opRead, path: outputsInside, source: p.Outputs}, rank: rankHidden}}
}
