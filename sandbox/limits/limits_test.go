package limits

import (
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// On a kernel with one limit for all, writing it would stop the machine.
func TestProcessLimitIsWrittenOnlyWhereItIsOurs(t *testing.T) {
	for release, want := range map[string]bool{
		"6.14.0": true, "6.18.44-fc": true, "7.0-rc1": true, "6.14-rc1": true, "10.1.2": true,
		"6.13.9": false, "6.1.0-26-amd64": false, "5.15.167.4-microsoft-standard-WSL2": false, "4.18.0-553.el8": false,
		"": false, "6": false, "6.": false, "six.14": false,
	} {
		if got := OwnPidMax(release); got != want {
			t.Errorf("%q: %v", release, got)
		}
	}
}

func TestProcessLimitLeavesRoomForReservedNumbers(t *testing.T) {
	if got := PIDMaxFor(64); got != 384 {
		t.Errorf("%d", got)
	}
	if got := PIDMaxFor(1 << 30); got >= pidMaxMarker {
		t.Errorf("%d is the holder's", got)
	}
}

func TestWatchJudgesEachLimit(t *testing.T) {
	limits := policy.Limits{Processes: 10, Memory: 100, CPU: time.Second, FreeDisk: 50}
	for name, tt := range map[string]struct {
		u    Usage
		want policy.Limit
	}{
		"nothing":       {Usage{Free: -1}, ""},
		"at memory":     {Usage{Memory: 100, Free: -1}, ""},
		"over memory":   {Usage{Memory: 101, Free: -1}, policy.LimitMemory},
		"at processes":  {Usage{Tasks: 10, Free: -1}, ""},
		"over them":     {Usage{Tasks: 11, Free: -1}, policy.LimitProcesses},
		"at the time":   {Usage{CPU: time.Second, Free: -1}, ""},
		"over the time": {Usage{CPU: time.Second + 1, Free: -1}, policy.LimitCPU},
		"disk left":     {Usage{Free: 50}, ""},
		"disk full":     {Usage{Free: 49}, policy.LimitDisk},
	} {
		w := Watch{Limits: limits, free: 1000}
		if got := w.Judge(tt.u, time.Now()); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestWatchWithoutLimitOfTimeLetsItRun(t *testing.T) {
	w := Watch{Limits: policy.Limits{Processes: 10, Memory: 100}}
	if got := w.Judge(Usage{CPU: time.Hour, Free: -1}, time.Now()); got != "" {
		t.Errorf("%q", got)
	}
}

// A disk that is nearly full already must not end every command: half of what
// there was may go.
func TestFloorOfAFullDiskIsHalfOfWhatIsLeft(t *testing.T) {
	w := Watch{Limits: policy.Limits{Processes: 1, Memory: 1, FreeDisk: 1000}}
	for i, tt := range []struct {
		free int64
		want policy.Limit
	}{{200, ""}, {101, ""}, {100, ""}, {99, policy.LimitDisk}} {
		if got := w.Judge(Usage{Free: tt.free}, time.Now()); got != tt.want {
			t.Errorf("%d: %q", i, got)
		}
	}
}

// Where the kernel refuses forks, a tree at the limit has two seconds to get along
// with it; one that goes below and comes back begins anew.
func TestHeldTreeMayStayAtItsLimitForAWhile(t *testing.T) {
	w := Watch{Limits: policy.Limits{Processes: 100, Memory: 1}, Held: true}
	at := time.Now()
	for i, tt := range []struct {
		after time.Duration
		tasks int
		want  policy.Limit
	}{
		{0, 100, ""},
		{fullFor - 1, 400, ""},
		{fullFor - 1, 74, ""}, // below: it gets along
		{fullFor, 100, ""},
		{fullFor + time.Second, 80, ""}, // between two waves
		{2*fullFor - 1, 100, ""},
		{2 * fullFor, 100, policy.LimitProcesses},
	} {
		if got := w.Judge(Usage{Tasks: tt.tasks, Free: -1}, at.Add(tt.after)); got != tt.want {
			t.Errorf("%d: %q", i, got)
		}
		if !w.Refused() {
			t.Errorf("%d: it was at the limit, and forks were not refused", i)
		}
	}
	if w := (&Watch{Limits: policy.Limits{Processes: 100}, Peak: 99}); w.Refused() {
		t.Error("below the limit forks were refused")
	}
}

func TestSamplesComeSoonerNearALimit(t *testing.T) {
	w := Watch{Limits: policy.Limits{Processes: 1024, Memory: 8 << 30}, Held: true}
	for name, tt := range map[string]struct {
		u    Usage
		cost time.Duration
		want time.Duration
	}{
		"idle":          {Usage{}, 0, Latest},
		"near":          {Usage{Memory: 8<<30 - 400<<20}, 0, 97656250},
		"at the limit":  {Usage{Memory: 8 << 30}, 0, Soonest},
		"over":          {Usage{Memory: 9 << 30}, 0, Soonest},
		"expensive":     {Usage{Memory: 8 << 30}, 30 * time.Millisecond, 300 * time.Millisecond},
		"very":          {Usage{}, time.Minute, Slowest},
		"processes":     {Usage{Tasks: 1023}, 0, Latest}, // the kernel holds them
		"cheap and far": {Usage{Memory: 1 << 20}, time.Millisecond, Latest},
	} {
		if got := w.Next(tt.u, tt.cost); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	w.Held = false
	if got := w.Next(Usage{Tasks: 1023}, 0); got != Soonest {
		t.Errorf("unheld: %v", got)
	}
	for tasks, want := range map[int]time.Duration{512: 500 * time.Millisecond, 513: 150 * time.Millisecond} {
		if got := w.Next(Usage{Tasks: tasks}, 50*time.Millisecond); got != want {
			t.Errorf("unheld, %d processes, expensive: %v, want %v", tasks, got, want)
		}
	}
}

func TestMemoryOfAProcessIsWhatOnlySwapCouldTake(t *testing.T) {
	rollup := "55d0-7ffd ---p 00000000 00:00 0 [rollup]\nRss: 9000 kB\nPss: 5000 kB\nPss_Anon: 100 kB\nPss_File: 4000 kB\nPss_Shmem: 30 kB\nSwap: 50 kB\nSwapPss: 20 kB\n"
	if r := parseRollup([]byte(rollup)); r != (resident{own: 120 << 10, shared: 30 << 10}) {
		t.Errorf("%+v", r)
	}
	status := "Name:\tx\nVmRSS:\t 900 kB\nRssAnon:\t 100 kB\nRssFile:\t 700 kB\nRssShmem:\t 30 kB\nVmSwap:\t 20 kB\n"
	if r := parseStatus([]byte(status)); r != (resident{own: 120 << 10, shared: 30 << 10}) {
		t.Errorf("%+v", r)
	}
	if r := parseRollup([]byte("Pss_Anon: many kB\n\nkB")); r != (resident{}) {
		t.Errorf("%+v", r)
	}
}
