package policy

import "sync"

// Violation is something the sandbox refused, as data: output need not be searched for
// "permission denied".
type Violation struct {
	Op          string // "open", "rename", …, or "write" for a copy that was not taken at the end
	Path        string
	Rule        string // the protected name, or "outside"
	Grant       string // the smallest grant that would allow it
	Process     string // the name of the program that tried
	Errno       string // "EROFS"
	Count       int
	Attribution string // AttributionReported or AttributionInferred
}

// How we know: the refusal was ours, or it was read off an error.
const (
	AttributionReported = "reported"
	AttributionInferred = "inferred"
)

// RuleUndo is the rule of a change that could not be undone.
const RuleUndo = "undo"

// MaxViolations bounds the distinct ones that are kept; the total goes on.
const MaxViolations = 64

// Collected collects one command's. A program that tries in a loop is one row
// with a count.
type Collected struct {
	mu    sync.Mutex
	rows  []Violation
	total int
}

// Add counts one more refusal.
func (v *Collected) Add(n Violation) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.total++
	for i := range v.rows {
		if r := &v.rows[i]; r.Op == n.Op && r.Path == n.Path && r.Rule == n.Rule && r.Process == n.Process {
			r.Count++
			return
		}
	}
	if len(v.rows) < MaxViolations {
		n.Count = 1
		v.rows = append(v.rows, n)
	}
}

// Take hands over what was collected and begins anew.
func (v *Collected) Take() (rows []Violation, total int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	rows, total = v.rows, v.total
	v.rows, v.total = nil, 0
	return rows, total
}

// JoinViolations adds more to rows: what is there already is counted, and past 64
// distinct ones nothing is added.
func JoinViolations(rows, more []Violation) []Violation {
	for _, r := range more {
		if !counted(rows, r) && len(rows) < MaxViolations {
			rows = append(rows, r)
		}
	}
	return rows
}

func counted(rows []Violation, r Violation) bool {
	for i := range rows {
		had := &rows[i]
		same := *had
		same.Count = r.Count
		if same == r {
			had.Count += r.Count
			return true
		}
	}
	return false
}
