package proc

import (
	"slices"
	"testing"
)

// A family of one process, 100, that began at 1000. Others were there before.
func TestAFamilyIsWhatHangsTogether(t *testing.T) {
	old := Row{Pid: 50, ppid: 1, pgid: 50, sid: 50, Start: 10}
	root := Row{Pid: 100, ppid: 50, pgid: 100, sid: 100, Start: 1000}
	for name, tc := range map[string]struct {
		looks  [][]Row
		marked []int
		want   []int
	}{
		"the root":             {looks: [][]Row{{old, root}}, want: []int{100}},
		"children of children": {looks: [][]Row{{old, {Pid: 102, ppid: 101, pgid: 102, sid: 102, Start: 1002}, {Pid: 101, ppid: 100, pgid: 100, sid: 100, Start: 1001}, root}}, want: []int{102, 101, 100}},
		"an orphan of the session": {
			looks: [][]Row{{old, {Pid: 103, ppid: 1, pgid: 103, sid: 100, Start: 1003}}}, want: []int{103},
		},
		"a child that left the session, seen with its parent": {
			looks: [][]Row{{old, root, {Pid: 104, ppid: 100, pgid: 104, sid: 104, Start: 1004}}, {old, {Pid: 104, ppid: 1, pgid: 104, sid: 104, Start: 1004}}}, want: []int{104},
		},
		"the children of that": {
			looks: [][]Row{
				{old, root, {Pid: 104, ppid: 100, pgid: 104, sid: 104, Start: 1004}},
				{old, {Pid: 105, ppid: 1, pgid: 104, sid: 104, Start: 1005}},
				{old, {Pid: 106, ppid: 1, pgid: 106, sid: 104, Start: 1006}},
			}, want: []int{106},
		},
		"an orphan that left it unseen": {looks: [][]Row{{old, root, {Pid: 107, ppid: 1, pgid: 107, sid: 107, Start: 1007}}}, want: []int{100}},
		"the same, marked": {
			looks: [][]Row{{old, root, {Pid: 107, ppid: 1, pgid: 107, sid: 107, Start: 1007}, {Pid: 108, ppid: 107, pgid: 107, sid: 107, Start: 1008}}}, marked: []int{107}, want: []int{100, 107, 108},
		},
		"older than the command, marked": {looks: [][]Row{{old, root}}, marked: []int{50}, want: []int{100}},
		"zombies": {
			looks: [][]Row{{old, {Pid: 100, ppid: 50, pgid: 100, sid: 100, Start: 1000, Zombie: true}, {Pid: 109, ppid: 1, pgid: 100, sid: 100, Start: 1009}}}, want: []int{109},
		},
		"nobody, and then the number again": {
			looks: [][]Row{{old, root}, {old}, {old, {Pid: 100, ppid: 1, pgid: 100, sid: 100, Start: 5000}}}, want: nil,
		},
		"the number again at once": {
			looks: [][]Row{{old, root}, {old, {Pid: 100, ppid: 1, pgid: 100, sid: 100, Start: 5000}, {Pid: 110, ppid: 100, pgid: 100, sid: 100, Start: 5001}}}, want: nil,
		},
	} {
		f := NewFamily(100, 1000)
		var got []Row
		for _, table := range tc.looks {
			got = f.look(table, func(pid int) bool { return slices.Contains(tc.marked, pid) })
		}
		var pids []int
		for _, r := range got {
			pids = append(pids, r.Pid)
		}
		if !slices.Equal(pids, tc.want) {
			t.Errorf("%s: %v, want %v", name, pids, tc.want)
		}
	}
}

// What is marked brings its children along, and never the session of the system's
// first process.
func TestAFamilyOfMarksTakesNobodyElse(t *testing.T) {
	table := []Row{
		{Pid: 60, ppid: 1, pgid: 60, sid: 1, Start: 5, Name: "sleep"}, {Pid: 61, ppid: 1, pgid: 61, sid: 0, Start: 6}, {Pid: 62, ppid: 60, pgid: 60, sid: 1, Start: 7}, {Pid: 63, ppid: 1, pgid: 63, sid: 1, Start: 8},
	}
	got := MarkedFamily().look(table, func(pid int) bool { return pid == 60 })
	if len(got) != 2 || got[0].Pid != 60 || got[0].Name != "sleep" || got[1].Pid != 62 {
		t.Errorf("%+v", got)
	}
}

// Without a mark to ask, what can be known is known all the same.
func TestAFamilyNeedsNoMarks(t *testing.T) {
	f := NewFamily(100, 1000)
	if got := f.look([]Row{{Pid: 100, ppid: 1, pgid: 100, sid: 100, Start: 1000}}, nil); len(got) != 1 {
		t.Errorf("%v", got)
	}
}
