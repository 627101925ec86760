package sandbox

// violated is what one command's sandbox refused, on its way from the runner.
type violated struct {
	rows  []Violation // at most maxViolations distinct ones
	total int
}

func (v violated) encode() *payload {
	p := new(payload).putInt(int64(v.total)).putInt(int64(len(v.rows)))
	for _, r := range v.rows {
		p.putString(r.Op).putString(r.Path).putString(r.Rule).putString(r.Grant).
			putString(r.Process).putString(r.Errno).putInt(int64(r.Count)).putString(r.Attribution)
	}
	return p
}

func decodeViolated(b []byte) (violated, error) {
	p := &payload{b: b}
	v := violated{total: int(p.int())}
	for n := p.int(); n > 0 && p.err == nil; n-- {
		v.rows = append(v.rows, Violation{
			Op: p.string(), Path: p.string(), Rule: p.string(), Grant: p.string(),
			Process: p.string(), Errno: p.string(), Count: int(p.int()), Attribution: p.string(),
		})
	}
	if p.err != nil {
		return violated{}, p.err
	}
	return v, nil
}

// add joins what a later frame tells.
func (v *violated) add(more violated) {
	v.total += more.total
	v.rows = JoinViolations(v.rows, more.rows)
}

// JoinViolations adds more to rows: what is there already is counted, and past 64
// distinct ones nothing is added.
func JoinViolations(rows, more []Violation) []Violation {
	for _, r := range more {
		if !counted(rows, r) && len(rows) < maxViolations {
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
