package limits

import (
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// As a desktop session, a container, an older hybrid machine and one without
// control groups show it.
func TestWhereAGroupCanBeMade(t *testing.T) {
	const unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
	for name, tt := range map[string]struct {
		self, mounts string
		want         []string
	}{
		"desktop": {"0::/user.slice/app.slice/code.scope\n", unified, []string{"/sys/fs/cgroup/user.slice/app.slice", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"}},
		"hybrid": {"4:memory:/x\n0::/a/b\n", "31 23 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n", []string{
			"/sys/fs/cgroup/unified/a", "/sys/fs/cgroup/unified",
		}},
		"a container's first process":  {"0::/\n", unified, nil},
		"above what is shown":          {"0::/../session.scope\n", unified, nil},
		"only a part is mounted":       {"0::/a/b\n", "30 23 0:26 /a /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", nil},
		"version 1":                    {"4:memory:/x\n", "30 23 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n", nil},
		"a path of version 1, as well": {"4:memory:/x\n0::/a\n", "30 23 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n", nil},
		"nothing":                      {"", "", nil},
	} {
		if got := groupParents(tt.self, tt.mounts); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestAGroupMustHandBothControllersOn(t *testing.T) {
	for control, want := range map[string]bool{
		"cpu io memory pids\n": true, "memory\n": false, "pids": false, "": false, "hugetlb memory_recursiveprot pids": false,
	} {
		if handsOn(control) != want {
			t.Errorf("%q: %v", control, !want)
		}
	}
}

// The kernel slows down above the limit and stops above that: a limit at which it
// stops at once would end one process of many, and the rest would go on.
func TestTheKernelSlowsDownBeforeItKills(t *testing.T) {
	for _, l := range []policy.Limits{{Memory: 256 << 20, Processes: 10}, {Memory: 1, Processes: 1}, {Memory: math.MaxInt64, Processes: math.MaxInt32}} {
		v := groupValues(l, 5<<20)
		high, err1 := strconv.ParseInt(v[0].value, 10, 64)
		most, err2 := strconv.ParseInt(v[1].value, 10, 64)
		if err1 != nil || err2 != nil || high < min(l.Memory, mostMemory)+5<<20 || most < high {
			t.Errorf("%+v: %v", l, v)
		}
		if v[2].file != "pids.max" || v[2].value != strconv.Itoa(l.Processes+OwnTasks) {
			t.Errorf("%+v: %v", l, v)
		}
	}
}

func TestCachesOfFilesAreNotTaken(t *testing.T) {
	const stat = "anon 1000\nfile 900000\nkernel 777\nkernel_stack 200\npagetables 30\nshmem 4\nfile_mapped 5000\nslab_reclaimable 6000\nslab_unreclaimable 100000\nsock 20000\nanon_thp 9\n"
	if got := Unreclaimed([]byte(stat)); got != 121234 {
		t.Errorf("%d", got)
	}
	if got := Unreclaimed(nil); got != 0 {
		t.Errorf("of nothing: %d", got)
	}
}

func TestWhatTheKernelCounted(t *testing.T) {
	events := []byte("low 0\nhigh 12\nmax 3\noom 2\noom_kill 7\noom_group_kill 0\n")
	var c counter
	if by := c.grown(groupCount(events, "oom_kill")); by != 7 {
		t.Errorf("at first: %d", by)
	}
	if by := c.grown(groupCount(events, "oom_kill")); by != 0 {
		t.Errorf("again: %d", by)
	}
	if n := groupCount([]byte("max"), "max") + groupCount(nil, "max"); n != 0 {
		t.Errorf("of no number: %d", n)
	}
}

// What the kernel tells is reported, what we conclude from a full house is not.
func TestARefusedForkIsReportedWhereTheKernelTells(t *testing.T) {
	for _, w := range []Watch{{Told: true, Denied: true}, {Peak: 5}} {
		w.Limits.Processes = 5
		if want := map[bool]string{true: policy.AttributionReported, false: policy.AttributionInferred}[w.Told]; !w.Refused() || w.Attribution() != want {
			t.Errorf("%+v: %v, %s", w, w.Refused(), w.Attribution())
		}
	}
	if w := (Watch{Told: true, Peak: 5, Limits: policy.Limits{Processes: 5}}); w.Refused() {
		t.Error("a tree that was just large enough was refused nothing")
	}
}

func TestWhatTheKernelEndedForMemoryIsOverTheLimit(t *testing.T) {
	w := Watch{Limits: policy.Limits{Memory: 100, Processes: 10}, Told: true, Starved: true}
	if hit := w.Judge(Usage{Memory: 1, Free: -1}, time.Now()); hit != policy.LimitMemory {
		t.Errorf("%q", hit)
	}
}
