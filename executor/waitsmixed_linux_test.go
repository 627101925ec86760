package executor

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// mixed is a command of the mixed set; without an answer it does not wait.
type mixed struct {
	req    Request
	answer string
}

func mixedSet(t *testing.T) (all []mixed) {
	for _, a := range thatWait {
		if a.program == "bash" || needs.Has(t, a.program) {
			a.req.Shell = "bash"
			all = append(all, mixed{a.req, a.answer})
		}
	}
	if needs.Has(t, "python3") {
		all = append(all, mixed{onScreen("python3 -i -q"), "print('got'); exit()\n"})
	}
	if needs.Has(t, "vim") {
		all = append(all, mixed{noEditor, ":wq\r"})
	}
	for _, command := range allBusy(t) {
		all = append(all, mixed{req: onPipe(command)}, mixed{req: onScreen(command)})
	}
	for i := range all {
		all[i].req.Output.Stream = true
	}
	return all
}

// times are the figures of many runs.
type times struct {
	mu  sync.Mutex
	all []time.Duration
}

func (s *times) add(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, d)
}

// at is the one that a part of all is below.
func (s *times) at(part float64) time.Duration {
	slices.Sort(s.all)
	return s.all[int(part*float64(len(s.all)-1))].Round(time.Millisecond)
}

// Of a mixed set of commands, some at a time and in any order, each that waits is said to, soon after
// the last that was heard of it, and no other is.
func TestOfAMixedSetOnlyThoseThatWaitAreSaidTo(t *testing.T) {
	long.Test(t)
	runs := 100
	if needs.Everything() {
		runs = 1000
	}
	r, set := newRig(t, nil), mixedSet(t)
	order := rand.New(rand.NewPCG(1, 2))
	// Said is from the prompt to the event; answered is how long a program takes on this machine, now, to
	// read a line and end.
	var said, answered times
	var scope sync.WaitGroup
	slots := make(chan struct{}, 4)
	for i := range runs {
		if i%len(set) == 0 {
			order.Shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] })
		}
		m := set[i%len(set)]
		slots <- struct{}{}
		scope.Go(func() {
			defer func() { <-slots }()
			w := r.waiter(m.req)
			if m.answer != "" {
				w.answers(m, &said, &answered)
			}
			w.over <- w.ends()
			if len(w.asks) > 0 {
				t.Errorf("%q is said to wait: %+v", m.req.Command, <-w.asks)
			}
		})
	}
	scope.Wait()
	t.Logf("%d runs, %d waited: said after %v (median), %v (99 of 100), %v (all); answered after %v", runs,
		len(answered.all), said.at(0.5), said.at(0.99), said.at(1), answered.at(0.5))
	soon := 2*(waitQuiet+waitAgain) + 10*answered.at(0.5)
	if said.at(0.5) > soon || said.at(0.99) > 10*soon {
		t.Errorf("it takes longer than %v, or some ten times that", soon)
	}
}

// answers does so when the command waits, and adds what that took.
func (w *waiter) answers(m mixed, said, answered *times) {
	a := w.asked()
	now := time.Now()
	if last := w.last.Load(); last != 0 && a.Prompt != "" && strings.HasSuffix(a.Prompt, " ") {
		said.add(now.Sub(time.Unix(0, last)))
	}
	w.types(m.answer, m.req.Terminal == nil)
	w.over <- w.ends()
	answered.add(time.Since(now))
}
