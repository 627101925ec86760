package executor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/executor/keys"
	"github.com/pillion-sidecar/pillion/guard"
)

// diary is a Recorder that keeps a line of everything.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

func (d *diary) Judged(r Request, _ string, v guard.Verdict) {
	d.note("%s judged %s %s", r.ID, r.Command, v.Decision)
}

func (d *diary) Answered(q Question, a Answer, _ Approval, err error) {
	d.note("%s answered %s %v", q.ExecID, a.Choice, err)
}

func (d *diary) Started(r Request, _ string, _ Started, how Approval) {
	d.note("%s started %s %s", r.ID, r.Command, how.Choice)
}

func (d *diary) KeyUsed(ids []string, u keys.Use) {
	d.note("%s key %s %s %s", strings.Join(ids, ","), u.Host, u.User, u.Hash)
}

func (d *diary) LoggedIn(ids []string, l Login, user string) {
	d.note("%s login %s %s %v %s", strings.Join(ids, ","), l.Host, l.Path, l.Push, user)
}

func (d *diary) Ended(r *Result) { d.note("%s ended %s", r.ID, r.Reason) }

func (d *diary) want(t *testing.T, want ...string) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Equal(d.lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(d.lines, "\n"), strings.Join(want, "\n"))
	}
}

func TestARecorderIsToldInOrder(t *testing.T) {
	d := new(diary)
	r, _ := asking(t, func(c *Config) { c.Recorder = d }, choose(Accept), says(Answer{Choice: Edit, Command: "true"}), choose(Decline))
	for _, c := range []string{"echo a", "rm -rf /", "touch b", "touch c", "touch d"} {
		_, _, _ = r.run(Request{ID: c[len(c)-1:], Command: c})
	}
	d.want(t,
		"a judged echo a allow", "a started echo a", "a ended exited",
		"/ judged rm -rf / deny",
		"b judged touch b ask", "b answered accept <nil>", "b started touch b accept", "b ended exited",
		"c judged touch c ask", "c answered edit <nil>", "c judged true allow", "c started true edit", "c ended exited",
		"d judged touch d ask", `d answered decline declined: runs touch d, which the policy's rule "ask-touch" is about`,
	)
}

// A wait makes the command be judged again; only another verdict is news.
func TestARecorderIsToldAVerdictOnce(t *testing.T) {
	d := new(diary)
	r := newRig(t, func(c *Config) { c.Limits.MaxConcurrent, c.Recorder = 1, d })
	first, err := r.admit(Request{ID: "a", Command: "until [ -e go ]; do sleep 0.01; done"})
	if err != nil {
		t.Fatal(err)
	}
	second, err := r.admit(Request{ID: "b", Command: "true"})
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() { _, _ = first.Do(&silentSink{}) })
	for r.e.Stats().Running == 0 {
		time.Sleep(time.Millisecond)
	}
	queued := make(chan struct{})
	done.Go(func() { _, _ = second.Do(queuedSink{&record{t: t}, queued}) })
	<-queued
	r.touch("go")
	done.Wait()
	if n := strings.Count(strings.Join(d.lines, "\n"), "b judged"); n != 1 {
		t.Errorf("told %d times: %q", n, d.lines)
	}
}

// An Engine for other folders tells the same Recorder.
func TestTheRecorderStays(t *testing.T) {
	d := new(diary)
	r := newRig(t, func(c *Config) { c.Recorder = d })
	conf := r.e.conf
	conf.Recorder = nil
	r.e = r.e.With(conf)
	r.must(Request{ID: "a", Command: "true"})
	d.want(t, "a judged true allow", "a started true", "a ended exited")
}

// A decision that a client brings along is a person's like any other.
func TestARecorderIsToldOfARetry(t *testing.T) {
	d := new(diary)
	r := retrying(t, func(c *Config) { c.Recorder = d })
	req := Request{ID: "a", Command: "touch ran"}
	r.must(with(req, r.offer(req).State, Accept))
	if err := os.Remove(filepath.Join(r.ws, "ran")); err != nil {
		t.Fatal(err)
	}
	_, _, _ = r.run(with(Request{ID: "b", Command: "touch ran"}, r.offer(req).State, Decline))
	d.want(t,
		"a judged touch ran ask",
		"a answered accept <nil>", "a judged touch ran ask", "a started touch ran accept", "a ended exited",
		"a judged touch ran ask",
		`b answered decline declined: runs touch ran, which the policy's rule "ask-touch" is about`,
	)
}

// A change of the next command by the one before is reported, too.
func TestARecorderIsToldWhySomethingOfSeveralDidNotStart(t *testing.T) {
	d := new(diary)
	r := newRig(t, func(c *Config) { c.Recorder = d })
	if err := os.WriteFile(filepath.Join(r.ws, "setup.sh"), []byte("ln -s /usr/bin/env env\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _ = r.must(Request{ID: "a", Commands: []string{"sh setup.sh", "touch env"}})
	if got := strings.Join(d.lines, "; "); !strings.Contains(got, "a judged touch env deny") || !strings.HasSuffix(got, "a ended notStarted") {
		t.Error(got)
	}
}

type silentSink struct{}

func (*silentSink) Queued(int) error          { return nil }
func (*silentSink) Started(Started) error     { return nil }
func (*silentSink) Output(Chunk) error        { return nil }
func (*silentSink) Gap(Gap) error             { return nil }
func (*silentSink) Free() bool                { return true }
func (*silentSink) Violation(Violation) error { return nil }
func (*silentSink) Waiting(Waiting) error     { return nil }
