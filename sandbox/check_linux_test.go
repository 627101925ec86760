package sandbox

import (
	"maps"
	"slices"
)

// The escape checks: every way out that a peer of ours had open, and every
// ordinary thing that must keep working, as one table of scripts that run in the
// real sandbox, with what is expected of each rung of the ladder. The files
// check*_linux_test.go hold its rows by subject; docs/escapes.md is written from
// them.

// built are the rungs this version has. A machine that would deserve another one
// gets the next of its launcher's list, or a refusal.
var built = []string{RungFull, RungNoUserns, RungNoLandlock}

// outlook is what a script comes to. Nothing on the host may have changed after
// any of them.
type outlook string

const (
	deny    outlook = "deny"    // it failed
	works   outlook = "works"   // it succeeded, as it must
	private outlook = "private" // it succeeded on the sandbox's own copy
	open    outlook = "open"    // it succeeded: a residual that the report names
	missing outlook = "missing" // it failed, though it would be welcome
)

func (v outlook) succeeds() bool { return v != deny && v != missing }

// cell is one rung's expectation; a reason is due for open and missing, and
// where a rung differs.
type cell struct {
	is  outlook
	why string
}

// expect is a row's expectation, by rung.
type expect map[string]cell

func everywhere(v outlook, why string) expect {
	return expect{RungFull: {v, why}, RungNoUserns: {v, why}, RungNoLandlock: {v, why}}
}

// but says where a rung differs, and why.
func (e expect) but(rung string, v outlook, why string) expect {
	e = maps.Clone(e)
	e[rung] = cell{v, why}
	return e
}

var (
	denied   = everywhere(deny, "")
	mustWork = everywhere(works, "")
)

// check is one row. Each of its scripts is run on its own and must come to the
// outlook; a script succeeds when it exits with 0.
type check struct {
	n       int // in the list of checks; several rows may share one
	name    string
	want    expect
	scripts []string
	// bites says that the scripts succeed in mode off for every user: an attack
	// that would fail anyway proves nothing.
	bites bool
	// really is asked after a script that exited with 0, on whether it did
	// what it was to do. nil means that the exit code says it all.
	really func(r *room, o outcome) bool
	// repository runs the scripts in a workspace that is a git repository, made
	// anew for each.
	repository bool
	// limit is the limit that the result has to name; the row then runs under
	// smallLimits.
	limit Limit
	// with runs it in a sandbox that has more, by the feature's name in a refusal:
	// "network", a proxy's; "sockets", one of the host; "ports", one of its loopback. A rung that can't have it
	// refuses before anything starts, which is its deny.
	with string
	// anyExit says that really alone judges.
	anyExit bool
	// needs are programs that a machine may lack.
	needs []string
}

func (c check) needing(programs ...string) check {
	c.needs = programs
	return c
}

func checks() []check {
	return slices.Concat(
		fileChecks, readChecks, mountChecks, protectedChecks, networkChecks, proxyChecks, socketChecks,
		processChecks, kernelChecks, privilegeChecks, deviceChecks, limitChecks, statusChecks, workChecks,
	)
}
