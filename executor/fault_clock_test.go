package executor

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// monotonic says that a time does not move when somebody sets the clock.
func monotonic(t time.Time) bool { return strings.Contains(t.String(), " m=") }

// Every time that something is measured by or waits for: a clock that is set, by
// hand or by NTP, ends no command early and keeps no output for days.
func TestTimesAreNotTheWallClocks(t *testing.T) {
	var asked Question
	r, _ := asking(t, func(c *Config) { c.Limits.Retention, c.Limits.RetainedExecs = time.Minute, 4 }, func(_ context.Context, q Question) Answer {
		asked = q
		return Answer{Choice: Accept}
	})
	res, _ := r.must(sh("touch ran"))
	for name, at := range map[string]time.Time{"started": res.StartedAt, "the output expires": res.Expires, "the question expires": asked.Expires} {
		if !monotonic(at) {
			t.Errorf("%s: %s", name, at)
		}
	}
}

// One timer serves all: it fires for the end that comes first, whenever that was
// set, and again for the next one.
func TestRetentionOfEachEndsInItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(shelf)
		add := func(id string, age time.Duration) {
			s.setLimits(age, 64)
			s.add(&kept{info: Info{ID: id, Expires: s.until()}})
		}
		add("an hour", time.Hour)
		add("a minute", time.Minute)
		add("released", time.Second)
		add("two hours", 2*time.Hour)
		s.release("released")
		began := time.Now()
		for _, id := range []string{"a minute", "an hour", "two hours"} {
			s.mu.Lock()
			k, _ := s.kept.find(id)
			s.mu.Unlock()
			time.Sleep(time.Until(k.info.Expires) - time.Nanosecond)
			synctest.Wait()
			if !s.has(id) {
				t.Errorf("%s: freed before its time", id)
			}
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			if s.has(id) || !s.knows(id) {
				t.Errorf("%s: still there after %v", id, time.Since(began))
			}
		}
		if s.knows("released") {
			t.Error("what was released is remembered")
		}
		s.close()
	})
}

// A timer that comes late, after the machine has slept, frees what is due and
// nothing else.
func TestRetentionAfterALongSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(shelf)
		s.setLimits(time.Hour, 64)
		add := func(id string) {
			s.add(&kept{info: Info{ID: id, Expires: s.until()}})
		}
		add("a")
		time.Sleep(59 * time.Minute)
		add("b")
		time.Sleep(time.Minute - time.Nanosecond)
		synctest.Wait()
		if !s.has("a") || !s.has("b") {
			t.Error("freed before its time")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if s.has("a") || !s.has("b") || !s.knows("a") {
			t.Errorf("a %v, b %v", s.has("a"), s.has("b"))
		}
		time.Sleep(48 * time.Hour)
		synctest.Wait()
		if s.has("b") || !s.knows("b") {
			t.Error("kept for two days")
		}
		s.close()
	})
}
