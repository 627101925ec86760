package policy

import (
	"reflect"
	"testing"
)

func TestDefaultLimitsFollowTheMachine(t *testing.T) {
	for name, tt := range map[string]struct{ ram, memory, tmp int64 }{
		"unknown": {0, 8 << 30, 4 << 30},
		"small":   {4 << 30, 2 << 30, 1 << 30},
		"large":   {64 << 30, 8 << 30, 4 << 30},
	} {
		if l := LimitsFor(tt.ram); l.Memory != tt.memory || l.Tmp != tt.tmp {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// Only CPU time is unlimited by default: a member that nobody named must not be a
// limit that nobody set.
func TestEveryLimitHasADefault(t *testing.T) {
	v := reflect.ValueOf(Limits{Memory: -1}.Or(LimitsFor(0)))
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; v.Field(i).Int() <= 0 && name != "CPU" {
			t.Errorf("%s is %v", name, v.Field(i))
		}
	}
}

func TestNamedLimitsStand(t *testing.T) {
	want := Limits{Processes: 1, Memory: 2, FileSize: 3, OpenFiles: 4, CPU: 5, FreeDisk: 6, Tmp: 7}
	if got := want.Or(LimitsFor(1 << 40)); got != want {
		t.Errorf("%+v", got)
	}
}

func TestAnotherLimitIsAnotherSandbox(t *testing.T) {
	if (Policy{Limits: Limits{Memory: 1}}).Key() == (Policy{Limits: Limits{Memory: 2}}).Key() {
		t.Error("policies with different limits share a sandbox")
	}
}

func TestViolationsOfLimitsNameTheGrant(t *testing.T) {
	for _, l := range []Limit{LimitMemory, LimitProcesses, LimitFileSize, LimitCPU, LimitDisk} {
		v := LimitViolation(l, AttributionReported)
		if v.Op == "" || v.Grant == "" || v.Rule != "limit "+string(l) || v.Count != 1 {
			t.Errorf("%s: %+v", l, v)
		}
	}
}
