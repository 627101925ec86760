package mounts

import "github.com/pillion-sidecar/pillion/sandbox/policy"

// A policy's Outputs are files of the sidecar's that commands may read. Attacks
// on them are to change one under its next reader, and to put another one in its
// place.

// outputs shows them whatever else was granted there.
func (l Layout) outputs(p policy.Policy) []layer {
	if p.Outputs == "" {
		return nil
	}
	return []layer{{step: step{op: opRead, Path: policy.OutputsInside, source: p.Outputs}, rank: rankHidden}}
}
