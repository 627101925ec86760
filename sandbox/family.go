package sandbox

// procRow is a process as the table of all of them shows it.
type procRow struct {
	pid, ppid, pgid, sid int
	start                int64 // microseconds since 1970: a number that was given out again has another
	zombie               bool
	name                 string
}

// family is a command's processes where no kernel object holds them together: its
// first one, and whatever hangs together with those that were seen before, by its
// parent, its group or its session. What is in a group or session of ours is ours:
// nobody can enter one from outside of the session, and our first process has begun
// one. A daemon that left its session when all its parents were gone hangs together
// with nothing; it is found where marked knows the sandbox it is in.
type family struct {
	born   int64            // nothing older is ours
	known  map[int]int64    // the start of each that was there at the last look
	groups map[int]struct{} // numbers of groups and sessions that had somebody then
}

func newFamily(root int, start int64) *family {
	return &family{born: start, known: map[int]int64{root: start}, groups: map[int]struct{}{root: {}}}
}

// markedFamily is of those that are marked, and of what hangs together with them.
func markedFamily() *family { return &family{known: map[int]int64{}, groups: map[int]struct{}{}} }

// look finds who is there now; marked may be nil. A number is only trusted from one
// look to the next: by then it is not given out again, later it may be.
func (f *family) look(table []procRow, marked func(pid int) bool) []procRow {
	in := make([]bool, len(table))
	pids := map[int]struct{}{}
	groups := f.stillOurs(table)
	for grown := true; grown; {
		grown = false
		for i, r := range table {
			if in[i] || r.start < f.born || !f.belongs(r, pids, groups) {
				continue
			}
			in[i], grown = true, true
			pids[r.pid] = struct{}{}
			r.into(groups)
		}
		if !grown && marked != nil {
			for i, r := range table { // last, because it is asked of the kernel one by one
				if !in[i] && r.start >= f.born && !r.zombie && marked(r.pid) {
					f.known[r.pid], grown = r.start, true
				}
			}
			marked = nil
		}
	}
	return f.remember(table, in)
}

// into notes the groups that a process is in, or could be the leader of. The system's
// first process has many in its session that are nobody's.
func (r procRow) into(groups map[int]struct{}) {
	for _, n := range []int{r.pid, r.pgid, r.sid} {
		if n > 1 {
			groups[n] = struct{}{}
		}
	}
}

func (f *family) belongs(r procRow, pids, groups map[int]struct{}) bool {
	if f.known[r.pid] == r.start {
		return true
	}
	_, child := pids[r.ppid]
	_, group := groups[r.pgid]
	_, session := groups[r.sid]
	return child || group || session
}

// stillOurs are the groups of the last look without those whose number has gone to
// another process since.
func (f *family) stillOurs(table []procRow) map[int]struct{} {
	groups := map[int]struct{}{}
	for n := range f.groups {
		groups[n] = struct{}{}
	}
	for _, r := range table {
		if start, ours := f.known[r.pid]; r.start < f.born || ours && start != r.start {
			delete(groups, r.pid)
		}
	}
	return groups
}

// remember notes who is there, and gives those that run.
func (f *family) remember(table []procRow, in []bool) []procRow {
	f.known, f.groups = map[int]int64{}, map[int]struct{}{}
	var running []procRow
	for i, r := range table {
		if !in[i] {
			continue
		}
		f.known[r.pid] = r.start
		r.into(f.groups)
		if !r.zombie {
			running = append(running, r)
		}
	}
	return running
}
