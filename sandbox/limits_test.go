package sandbox

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestDefaultLimitsFollowTheMachine(t *testing.T) {
	for name, tt := range map[string]struct{ ram, memory, tmp int64 }{
		"unknown": {0, 8 << 30, 4 << 30},
		"small":   {4 << 30, 2 << 30, 1 << 30},
		"large":   {64 << 30, 8 << 30, 4 << 30},
	} {
		if l := limitsFor(tt.ram); l.Memory != tt.memory || l.Tmp != tt.tmp {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// Only CPU time is unlimited by default: a member that nobody named must not be a
// limit that nobody set.
func TestEveryLimitHasADefault(t *testing.T) {
	v := reflect.ValueOf(Limits{Memory: -1}.or(limitsFor(0)))
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; v.Field(i).Int() <= 0 && name != "CPU" {
			t.Errorf("%s is %v", name, v.Field(i))
		}
	}
}

func TestNamedLimitsStand(t *testing.T) {
	want := Limits{Processes: 1, Memory: 2, FileSize: 3, OpenFiles: 4, CPU: 5, FreeDisk: 6, Tmp: 7}
	if got := want.or(limitsFor(1 << 40)); got != want {
		t.Errorf("%+v", got)
	}
}

func TestAnotherLimitIsAnotherSandbox(t *testing.T) {
	if (Policy{Limits: Limits{Memory: 1}}).Key() == (Policy{Limits: Limits{Memory: 2}}).Key() {
		t.Error("policies with different limits share a sandbox")
	}
}

// Everything that a sandbox's processes need must reach them: a field that somebody
// forgets to send would be a policy that is not enforced.
func TestConfTravelsWhole(t *testing.T) {
	var c conf
	fill(t, reflect.ValueOf(&c).Elem(), new(int))
	c.policy.HomeFiles = nil // they lie in the home before anything starts
	got, err := decodeConf(c.encode().b)
	if err != nil || !reflect.DeepEqual(got, c) {
		t.Errorf("sent %+v, received %+v, %v", c, got, err)
	}
}

// fill gives every field a value of its own.
func fill(t *testing.T, v reflect.Value, n *int) {
	t.Helper()
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			fill(t, reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem(), n)
		}
	case reflect.String:
		v.SetString(string(rune('a'+*n%26)) + v.Type().Name())
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(t, v.Index(i), n)
		}
	default:
		t.Fatalf("a %s: teach fill and conf.encode", v.Type())
	}
}

// On a kernel with one limit for all, writing it would stop the machine.
func TestProcessLimitIsWrittenOnlyWhereItIsOurs(t *testing.T) {
	for release, want := range map[string]bool{
		"6.14.0": true, "6.18.44-fc": true, "7.0-rc1": true, "6.14-rc1": true, "10.1.2": true,
		"6.13.9": false, "6.1.0-26-amd64": false, "5.15.167.4-microsoft-standard-WSL2": false, "4.18.0-553.el8": false,
		"": false, "6": false, "6.": false, "six.14": false,
	} {
		if got := ownPidMax(release); got != want {
			t.Errorf("%q: %v", release, got)
		}
	}
}

func TestProcessLimitLeavesRoomForReservedNumbers(t *testing.T) {
	if got := pidMaxFor(64); got != 384 {
		t.Errorf("%d", got)
	}
	if got := pidMaxFor(1 << 30); got >= pidMaxMarker {
		t.Errorf("%d is the holder's", got)
	}
}

func TestViolationsOfLimitsNameTheGrant(t *testing.T) {
	for _, l := range []Limit{LimitMemory, LimitProcesses, LimitFileSize, LimitCPU, LimitDisk} {
		v := overrun(l, AttributionReported)
		if v.Op == "" || v.Grant == "" || v.Rule != "limit "+string(l) || v.Count != 1 {
			t.Errorf("%s: %+v", l, v)
		}
	}
}

func TestWatchJudgesEachLimit(t *testing.T) {
	limits := Limits{Processes: 10, Memory: 100, CPU: time.Second, FreeDisk: 50}
	for name, tt := range map[string]struct {
		u    usage
		want Limit
	}{
		"nothing":       {usage{free: -1}, ""},
		"at memory":     {usage{memory: 100, free: -1}, ""},
		"over memory":   {usage{memory: 101, free: -1}, LimitMemory},
		"at processes":  {usage{tasks: 10, free: -1}, ""},
		"over them":     {usage{tasks: 11, free: -1}, LimitProcesses},
		"at the time":   {usage{cpu: time.Second, free: -1}, ""},
		"over the time": {usage{cpu: time.Second + 1, free: -1}, LimitCPU},
		"disk left":     {usage{free: 50}, ""},
		"disk full":     {usage{free: 49}, LimitDisk},
	} {
		w := watch{limits: limits, free: 1000}
		if got := w.judge(tt.u, time.Now()); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestWatchWithoutLimitOfTimeLetsItRun(t *testing.T) {
	w := watch{limits: Limits{Processes: 10, Memory: 100}}
	if got := w.judge(usage{cpu: time.Hour, free: -1}, time.Now()); got != "" {
		t.Errorf("%q", got)
	}
}

// A disk that is nearly full already must not end every command: half of what
// there was may go.
func TestFloorOfAFullDiskIsHalfOfWhatIsLeft(t *testing.T) {
	w := watch{limits: Limits{Processes: 1, Memory: 1, FreeDisk: 1000}}
	for i, tt := range []struct {
		free int64
		want Limit
	}{{200, ""}, {101, ""}, {100, ""}, {99, LimitDisk}} {
		if got := w.judge(usage{free: tt.free}, time.Now()); got != tt.want {
			t.Errorf("%d: %q", i, got)
		}
	}
}

// Where the kernel refuses forks, a tree at the limit has two seconds to get along
// with it; one that goes below and comes back begins anew.
func TestHeldTreeMayStayAtItsLimitForAWhile(t *testing.T) {
	w := watch{limits: Limits{Processes: 100, Memory: 1}, held: true}
	at := time.Now()
	for i, tt := range []struct {
		after time.Duration
		tasks int
		want  Limit
	}{
		{0, 100, ""},
		{fullFor - 1, 400, ""},
		{fullFor - 1, 74, ""}, // below: it gets along
		{fullFor, 100, ""},
		{fullFor + time.Second, 80, ""}, // between two waves
		{2*fullFor - 1, 100, ""},
		{2 * fullFor, 100, LimitProcesses},
	} {
		if got := w.judge(usage{tasks: tt.tasks, free: -1}, at.Add(tt.after)); got != tt.want {
			t.Errorf("%d: %q", i, got)
		}
		if !w.refused() {
			t.Errorf("%d: it was at the limit, and forks were not refused", i)
		}
	}
	if w := (&watch{limits: Limits{Processes: 100}, peak: 99}); w.refused() {
		t.Error("below the limit forks were refused")
	}
}

func TestSamplesComeSoonerNearALimit(t *testing.T) {
	w := watch{limits: Limits{Processes: 1024, Memory: 8 << 30}, held: true}
	for name, tt := range map[string]struct {
		u    usage
		cost time.Duration
		want time.Duration
	}{
		"idle":          {usage{}, 0, latest},
		"near":          {usage{memory: 8<<30 - 400<<20}, 0, 97656250},
		"at the limit":  {usage{memory: 8 << 30}, 0, soonest},
		"over":          {usage{memory: 9 << 30}, 0, soonest},
		"expensive":     {usage{memory: 8 << 30}, 30 * time.Millisecond, 300 * time.Millisecond},
		"very":          {usage{}, time.Minute, slowest},
		"processes":     {usage{tasks: 1023}, 0, latest}, // the kernel holds them
		"cheap and far": {usage{memory: 1 << 20}, time.Millisecond, latest},
	} {
		if got := w.next(tt.u, tt.cost); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	w.held = false
	if got := w.next(usage{tasks: 1023}, 0); got != soonest {
		t.Errorf("unheld: %v", got)
	}
	for tasks, want := range map[int]time.Duration{512: 500 * time.Millisecond, 513: 150 * time.Millisecond} {
		if got := w.next(usage{tasks: tasks}, 50*time.Millisecond); got != want {
			t.Errorf("unheld, %d processes, expensive: %v, want %v", tasks, got, want)
		}
	}
}

func TestStatLineIsReadBehindAnyName(t *testing.T) {
	const rest = " S 7 1 1 0 -1 4194304 1 1 0 0 100 20 3 4 20 0 5 0 99 4096 250 18446744073709551615 1"
	for _, name := range []string{"sh", "a b", ") S 1 (", "", "(((", "x) R 9"} {
		p, ok := parseStat(42, []byte("42 ("+name+")"+rest))
		want := procStat{pid: 42, parent: 7, name: name, threads: 5, pages: 250, cpu: 1270 * time.Millisecond}
		if !ok || p != want {
			t.Errorf("%q: %+v, %v", name, p, ok)
		}
	}
	for _, line := range []string{"", "42", "42 (x", "42 x)", "42 (x) S 1", ")("} {
		if p, ok := parseStat(42, []byte(line)); ok {
			t.Errorf("%q: %+v", line, p)
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

// Whoever reads the report learns how the limits are held on this machine.
func TestReportSaysHowLimitsAreHeld(t *testing.T) {
	p := Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Reads: ReadsPrivate}
	for name, tt := range map[string]struct {
		backend []string
		want    string
	}{
		"by the kernel": {[]string{"pidns", backendPidMax}, "memory is checked"},
		"by us":         {[]string{"landlock"}, "processes are counted"},
	} {
		e := assess(p, facts{rung: RungFull, backend: tt.backend})
		if last := e.Residual[len(e.Residual)-1]; !strings.HasPrefix(last, tt.want) {
			t.Errorf("%s: %q", name, last)
		}
	}
}
