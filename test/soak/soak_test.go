//go:build linux

package soak

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

var (
	lasts  = flag.Duration("for", usual(), "how long the sidecar is kept busy")
	least  = flag.Int64("execs", 0, "at least so many commands, however long that takes")
	volume = flag.Int64("bytes", 8<<20, "how much output TestEveryByteComes makes")
	seed   = flag.Uint64("seed", 0, "of the dice; 0 is another one each time")
)

// usual is a look in passing, or what is enough to see something grow.
func usual() time.Duration {
	if needs.Everything() {
		return 5 * time.Second
	}
	return time.Second
}

const hands = 8

func TestSoak(t *testing.T) {
	long.Test(t)
	d := newDirs(t)
	e := open(t, build(t, d), d, "{}")
	pid := e.cmd.Process.Pid
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("seed %d", *seed)

	e.busy(min(*lasts, 20*time.Second), 0) // every pool is as full as it gets
	e.calm()
	before, filesBefore := e.idle(pid), d.files()
	t.Logf("before: %s, %d goroutines", before.held, before.goroutines)

	var s samples
	stop := make(chan struct{})
	var watcher conc.WaitGroup
	watcher.Go(func() { s.watch(pid, stop) })
	began := time.Now()
	done := e.busy(*lasts, *least)
	close(stop)
	watcher.Wait()
	t.Logf("%d commands in %s", done, time.Since(began).Round(time.Second))

	e.calm()
	after := e.idle(pid)
	for end := time.Now().Add(patience); len(after.beyond(before)) > 0 && time.Now().Before(end); {
		after = e.idle(pid) // what has to end may take its time
	}
	t.Logf("after:  %s, %d goroutines", after.held, after.goroutines)
	for _, more := range after.beyond(before) {
		t.Error(more)
	}
	s.flat(t)
	for name, n := range d.files() {
		if n > filesBefore[name] {
			t.Errorf("%d files in %s, %d before", n, name, filesBefore[name])
		}
	}
	if code := e.close(); code != 0 {
		t.Errorf("exit code %d\n%s", code, e.log)
	}
	if left := survivors(d.root); len(left) > 0 {
		t.Errorf("still alive: %q", left)
	}
	if n := e.waiting.Load(); n > 0 {
		t.Errorf("%d requests were never answered", n)
	}
	if e.faults.Load() != e.garbled.Load() {
		t.Errorf("%d answers to %d bad frames", e.faults.Load(), e.garbled.Load())
	}
}

// busy works with all hands and answers how many commands that were.
func (e *editor) busy(d time.Duration, least int64) int64 {
	end, before := time.Now().Add(d), e.total()
	var enough atomic.Bool
	over := func() bool { return time.Now().After(end) && enough.Load() }
	enough.Store(least == 0)
	var counts sync.Map
	var all, counter conc.WaitGroup
	for n := range hands {
		all.Go(func() {
			h := &hand{editor: e, t: e.t, name: n, turn: int(e.last.Load()), dice: rand.New(rand.NewPCG(*seed+uint64(before), uint64(n)))}
			h.work(over, &counts)
		})
	}
	counter.Go(func() {
		for !enough.Load() && !e.t.Failed() {
			time.Sleep(time.Second)
			enough.Store(e.total()-before >= least)
		}
	})
	all.Wait()
	counter.Wait()
	for _, k := range kinds {
		if n, ok := counts.Load(k.name); ok {
			e.t.Logf("%8d %s", n.(*atomic.Int64).Load(), k.name)
		}
	}
	return e.total() - before
}

func count(counts *sync.Map, name string) {
	n, _ := counts.LoadOrStore(name, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
}

// status is what the sidecar says of itself.
type status struct {
	Execs struct {
		Total int64 `json:"total"`
	} `json:"execs"`
	Goroutines int `json:"goroutines"`
}

func (e *editor) status() (s status) {
	if a := e.call("server/status", "{}"); json.Unmarshal(a.Result, &s) != nil {
		e.t.Errorf("server/status: %.200q", a.Result)
	}
	return s
}

func (e *editor) total() int64 { return e.status().Execs.Total }

// calm gives back what a client may keep: outputs and named sandboxes.
func (e *editor) calm() {
	var list struct {
		Execs []struct {
			ExecID string `json:"execId"`
		} `json:"execs"`
	}
	check(e.t, json.Unmarshal(e.call("exec/list", `{"includeFinished":true}`).Result, &list))
	for _, x := range list.Execs {
		e.call("exec/release", fmt.Sprintf(`{"execId":%q}`, x.ExecID))
	}
	for n := range 3 {
		e.call("sandbox/reset", fmt.Sprintf(`{"name":"left%d","force":true}`, n))
	}
}

// rest is the state of an idle sidecar.
type rest struct {
	held
	goroutines int
}

// idle waits until nothing changes any more.
func (e *editor) idle(pid int) rest {
	var now rest
	for range 20 {
		time.Sleep(500 * time.Millisecond)
		last := now
		now = rest{holds(pid), e.status().Goroutines}
		if last.goroutines == now.goroutines && last.descriptors == now.descriptors && last.children == now.children {
			break
		}
	}
	return now
}

// beyond says what there is more of than before.
func (r rest) beyond(before rest) (more []string) {
	for _, n := range []struct {
		name          string
		was, is, more int
	}{
		{"goroutines", before.goroutines, r.goroutines, 0},
		{"descriptors", before.descriptors, r.descriptors, 0},
		{"processes", before.children, r.children, 0},
		// The runtime starts one when it finds the others blocked, and ends none: there
		// may be one for each call of each hand that ever blocked at the same time.
		{"threads", before.threads, r.threads, 2 * hands},
	} {
		if n.is > n.was+n.more {
			more = append(more, fmt.Sprintf("%d %s, %d before", n.is, n.name, n.was))
		}
	}
	return more
}

// flat: the last minute's memory is within a tenth of the second one's. A run of
// less than three minutes has no such minutes.
func (s *samples) flat(t *testing.T) {
	if len(s.rss) < 180 {
		return
	}
	second, last := s.mean(60, 120), s.mean(len(s.rss)-60, len(s.rss))
	t.Logf("memory: %.1f MiB in the second minute, %.1f MiB in the last", second/(1<<20), last/(1<<20))
	if last > 1.1*second {
		t.Errorf("memory grew by %.0f %%", 100*(last/second-1))
	}
}
