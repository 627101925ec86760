package sandbox

import (
	"slices"
	"testing"
)

// A family of one process, 100, that began at 1000. Others were there before.
func TestAFamilyIsWhatHangsTogether(t *testing.T) {
	old := procRow{pid: 50, ppid: 1, pgid: 50, sid: 50, start: 10}
	root := procRow{pid: 100, ppid: 50, pgid: 100, sid: 100, start: 1000}
	for name, tc := range map[string]struct {
		looks  [][]procRow
		marked []int
		want   []int
	}{
		"the root":             {looks: [][]procRow{{old, root}}, want: []int{100}},
		"children of children": {looks: [][]procRow{{old, {pid: 102, ppid: 101, pgid: 102, sid: 102, start: 1002}, {pid: 101, ppid: 100, pgid: 100, sid: 100, start: 1001}, root}}, want: []int{102, 101, 100}},
		"an orphan of the session": {
			looks: [][]procRow{{old, {pid: 103, ppid: 1, pgid: 103, sid: 100, start: 1003}}}, want: []int{103},
		},
		"a child that left the session, seen with its parent": {
			looks: [][]procRow{{old, root, {pid: 104, ppid: 100, pgid: 104, sid: 104, start: 1004}}, {old, {pid: 104, ppid: 1, pgid: 104, sid: 104, start: 1004}}}, want: []int{104},
		},
		"the children of that": {
			looks: [][]procRow{
				{old, root, {pid: 104, ppid: 100, pgid: 104, sid: 104, start: 1004}},
				{old, {pid: 105, ppid: 1, pgid: 104, sid: 104, start: 1005}},
				{old, {pid: 106, ppid: 1, pgid: 106, sid: 104, start: 1006}},
			}, want: []int{106},
		},
		"an orphan that left it unseen": {looks: [][]procRow{{old, root, {pid: 107, ppid: 1, pgid: 107, sid: 107, start: 1007}}}, want: []int{100}},
		"the same, marked": {
			looks: [][]procRow{{old, root, {pid: 107, ppid: 1, pgid: 107, sid: 107, start: 1007}, {pid: 108, ppid: 107, pgid: 107, sid: 107, start: 1008}}}, marked: []int{107}, want: []int{100, 107, 108},
		},
		"older than the command, marked": {looks: [][]procRow{{old, root}}, marked: []int{50}, want: []int{100}},
		"zombies": {
			looks: [][]procRow{{old, {pid: 100, ppid: 50, pgid: 100, sid: 100, start: 1000, zombie: true}, {pid: 109, ppid: 1, pgid: 100, sid: 100, start: 1009}}}, want: []int{109},
		},
		"nobody, and then the number again": {
			looks: [][]procRow{{old, root}, {old}, {old, {pid: 100, ppid: 1, pgid: 100, sid: 100, start: 5000}}}, want: nil,
		},
		"the number again at once": {
			looks: [][]procRow{{old, root}, {old, {pid: 100, ppid: 1, pgid: 100, sid: 100, start: 5000}, {pid: 110, ppid: 100, pgid: 100, sid: 100, start: 5001}}}, want: nil,
		},
	} {
		f := newFamily(100, 1000)
		var got []procRow
		for _, table := range tc.looks {
			got = f.look(table, func(pid int) bool { return slices.Contains(tc.marked, pid) })
		}
		var pids []int
		for _, r := range got {
			pids = append(pids, r.pid)
		}
		if !slices.Equal(pids, tc.want) {
			t.Errorf("%s: %v, want %v", name, pids, tc.want)
		}
	}
}

// What is marked brings its children along, and never the session of the system's
// first process.
func TestAFamilyOfMarksTakesNobodyElse(t *testing.T) {
	table := []procRow{
		{pid: 60, ppid: 1, pgid: 60, sid: 1, start: 5, name: "sleep"}, {pid: 61, ppid: 1, pgid: 61, sid: 0, start: 6}, {pid: 62, ppid: 60, pgid: 60, sid: 1, start: 7}, {pid: 63, ppid: 1, pgid: 63, sid: 1, start: 8},
	}
	got := markedFamily().look(table, func(pid int) bool { return pid == 60 })
	if len(got) != 2 || got[0].pid != 60 || got[0].name != "sleep" || got[1].pid != 62 {
		t.Errorf("%+v", got)
	}
}

// Without a mark to ask, what can be known is known all the same.
func TestAFamilyNeedsNoMarks(t *testing.T) {
	f := newFamily(100, 1000)
	if got := f.look([]procRow{{pid: 100, ppid: 1, pgid: 100, sid: 100, start: 1000}}, nil); len(got) != 1 {
		t.Errorf("%v", got)
	}
}
