package sandbox

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestSandboxNames(t *testing.T) {
	for name, want := range map[string]bool{
		"default": true, "a": true, "A.b_c-9": true, strings.Repeat("x", 64): true,
		"": false, strings.Repeat("x", 65): false, "a b": false, "a/b": false, "é": false, "a\n": false,
	} {
		if ValidName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
	if bad := (Policy{Mode: ReadOnly, Network: NetworkDeny, Name: "../x"}).validate(); bad == nil || bad.Feature != "name" {
		t.Errorf("a policy of that name: %+v", bad)
	}
}

// A request without a name and one that spells the default share a sandbox.
func TestNoNameIsTheDefaultName(t *testing.T) {
	a, b := Policy{Mode: ReadOnly}, Policy{Mode: ReadOnly, Name: DefaultName}
	if a.Key() != b.Key() || a.Hash() != b.Hash() || a.SandboxName() != "default" {
		t.Errorf("%q and %q", a.Key(), b.Key())
	}
	if other := (Policy{Mode: ReadOnly, Name: "x"}); other.Key() == a.Key() || other.Hash() == a.Hash() {
		t.Error("another name has the same key")
	}
}

func TestWhatIsIdleIsDue(t *testing.T) {
	times := idleTimes{runner: time.Minute, sandbox: time.Hour}
	begin := time.Unix(1000, 0)
	for name, c := range map[string]struct {
		idle         int
		oldest, last time.Time
		want         time.Time
	}{
		"nothing":                      {0, time.Time{}, time.Time{}, time.Time{}},
		"one runner, in use":           {1, begin, time.Time{}, time.Time{}},
		"one runner, unused":           {1, begin, begin, begin.Add(time.Hour)},
		"two runners, in use":          {2, begin, time.Time{}, begin.Add(time.Minute)},
		"two runners, unused":          {2, begin, begin, begin.Add(time.Minute)},
		"two runners, long unused":     {2, begin.Add(2 * time.Hour), begin, begin.Add(time.Hour)},
		"all runners crashed, no user": {0, time.Time{}, begin, begin.Add(time.Hour)},
	} {
		if got := times.due(c.idle, c.oldest, c.last); !got.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestViolationsTravelWhole(t *testing.T) {
	v := violated{total: 9, rows: []Violation{
		{Op: "open", Path: "/a\n", Rule: ".git", Grant: "g", Process: "sh", Errno: "EROFS", Count: 7, Attribution: AttributionReported},
		{Op: "rename", Count: 2},
	}}
	whole := v.encode().b
	got, err := decodeViolated(whole)
	if err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("%+v, %v", got, err)
	}
	for n := range whole {
		if got, err := decodeViolated(whole[:n]); err == nil {
			t.Errorf("%d of %d bytes gave %+v", n, len(whole), got)
		}
	}
}

// Every field of a violation reaches the sidecar: nobody can forget a new one.
func TestNoFieldOfAViolationIsLost(t *testing.T) {
	var full Violation
	f := reflect.ValueOf(&full).Elem()
	for i := range f.NumField() {
		switch f.Field(i).Kind() {
		case reflect.String:
			f.Field(i).SetString(f.Type().Field(i).Name)
		case reflect.Int:
			f.Field(i).SetInt(int64(i + 1))
		default:
			t.Fatalf("%s has no test value", f.Type().Field(i).Name)
		}
	}
	got, err := decodeViolated(violated{total: 1, rows: []Violation{full}}.encode().b)
	if err != nil || len(got.rows) != 1 || got.rows[0] != full {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestViolationsOfTwoFramesAreJoined(t *testing.T) {
	a := Violation{Op: "open", Path: "a", Count: 2}
	var v violated
	v.add(violated{total: 2, rows: []Violation{a}})
	v.add(violated{total: 3, rows: []Violation{a, {Op: "open", Path: "b", Count: 1}}})
	if v.total != 5 || len(v.rows) != 2 || v.rows[0].Count != 4 {
		t.Errorf("%+v", v)
	}
	for i := range 2 * maxViolations {
		v.add(violated{total: 1, rows: []Violation{{Op: "open", Path: strings.Repeat("x", i), Count: 1}}})
	}
	if len(v.rows) != maxViolations || v.total != 5+2*maxViolations {
		t.Errorf("%d rows, %d in all", len(v.rows), v.total)
	}
}

// A program that tries in a loop is one row; rows are bounded, the total is not;
// what was taken is not told twice.
func TestViolationsOfALoopAreOneRow(t *testing.T) {
	var v violations
	for i := range 3 * maxViolations {
		v.add(Violation{Op: "open", Path: "/same"})
		v.add(Violation{Op: "open", Path: fmt.Sprint(i)})
	}
	rows, total := v.take()
	if total != 6*maxViolations || len(rows) != maxViolations || rows[0].Count != 3*maxViolations || rows[1].Count != 1 {
		t.Errorf("%d rows of %d, %+v", len(rows), total, rows[:2])
	}
	if rows, total := v.take(); len(rows) != 0 || total != 0 {
		t.Errorf("again: %d of %d", len(rows), total)
	}
}
