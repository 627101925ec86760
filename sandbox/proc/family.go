package proc

import "errors"

// Row is a process as the table of all of them shows it.
type Row struct {
	Pid, ppid, pgid, sid int
	Start                int64 // microseconds since 1970: a number that was given out again has another
	Zombie               bool
	Name                 string
}

// family is a command's processes where no kernel object holds them together: its first
// one, and whatever hangs together with those that were seen before, by its parent, its
// group or its session. A process in a group or session of ours is ours: none can enter
// one from outside of the session, and our first process has begun one. A daemon that left
// its session when all its parents were gone hangs together with nothing; it is found
// where marked knows the sandbox it is in.
type family struct {
	Born   int64            // nothing older is ours
	known  map[int]int64    // the start of each that was there at the last look
	groups map[int]struct{} // numbers of groups and sessions that had members then
}

// NewFamily is of a process that began then, and of those connected with it.
func NewFamily(root int, start int64) *family {
	return &family{Born: start, known: map[int]int64{root: start}, groups: map[int]struct{}{root: {}}}
}

// MarkedFamily is of those that are marked, and of those connected with them.
func MarkedFamily() *family { return &family{known: map[int]int64{}, groups: map[int]struct{}{}} }

// look finds who is there now; marked may be nil. A number is only trusted from one
// look to the next: by then it is not given out again, later it may be.
func (f *family) look(table []Row, marked func(pid int) bool) []Row {
	in := make([]bool, len(table))
	pids := map[int]struct{}{}
	groups := f.stillOurs(table)
	for grown := true; grown; {
		grown = false
		for i, r := range table {
			if in[i] || r.Start < f.Born || !f.belongs(r, pids, groups) {
				continue
			}
			in[i], grown = true, true
			pids[r.Pid] = struct{}{}
			r.into(groups)
		}
		if !grown && marked != nil {
			for i, r := range table { // last, because it is asked of the kernel one by one
				if !in[i] && r.Start >= f.Born && !r.Zombie && marked(r.Pid) {
					f.known[r.Pid], grown = r.Start, true
				}
			}
			marked = nil
		}
	}
	return f.remember(table, in)
}

// into notes the groups that a process is in, or could be the leader of. The system's
// first process has many in its session that belong to no command.
func (r Row) into(groups map[int]struct{}) {
	for _, n := range []int{r.Pid, r.pgid, r.sid} {
		if n > 1 {
			groups[n] = struct{}{}
		}
	}
}

func (f *family) belongs(r Row, pids, groups map[int]struct{}) bool {
	if f.known[r.Pid] == r.Start {
		return true
	}
	_, child := pids[r.ppid]
	_, group := groups[r.pgid]
	_, session := groups[r.sid]
	return child || group || session
}

// stillOurs are the groups of the last look without those whose number has gone to
// another process since.
func (f *family) stillOurs(table []Row) map[int]struct{} {
	groups := map[int]struct{}{}
	for n := range f.groups {
		groups[n] = struct{}{}
	}
	for _, r := range table {
		if start, ours := f.known[r.Pid]; r.Start < f.Born || ours && start != r.Start {
			delete(groups, r.Pid)
		}
	}
	return groups
}

// remember notes who is there, and gives those that run.
func (f *family) remember(table []Row, in []bool) []Row {
	f.known, f.groups = map[int]int64{}, map[int]struct{}{}
	var running []Row
	for i, r := range table {
		if !in[i] {
			continue
		}
		f.known[r.Pid] = r.Start
		r.into(f.groups)
		if !r.Zombie {
			running = append(running, r)
		}
	}
	return running
}

// ErrStillThere says that something is left which can't be ended.
var ErrStillThere = errors.New("processes are left that can't be ended")
