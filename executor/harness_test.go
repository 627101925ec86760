package executor

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/box"
	"github.com/pillion-sidecar/pillion/workspace"
)

// atOnce bounds what waits for nothing, on a machine that may stall for seconds. What it
// must not wait for is longer.
const atOnce = 30 * time.Second

// rig is an engine over a real sandbox and a real workspace.
type rig struct {
	t  testing.TB
	e  *Engine
	ws string
	f  *workspace.Set
}

// alone gives a rig a Manager of its own, for tests that look at all of its sandboxes.
func alone(t testing.TB, c *Config) {
	t.Helper()
	m, err := sandbox.Open(sandbox.Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	c.Sandbox = m
}

func newRig(t testing.TB, change func(*Config)) *rig {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws := filepath.Join(dir, "ws")
	if err := os.Mkdir(ws, 0o755); err != nil {
		t.Fatal(err)
	}
	m, err := box.Manager()
	if err != nil {
		t.Fatal(err)
	}
	c := Config{
		Limits: Limits{
			MaxCommandBytes: 65536, MaxConcurrent: 16, MaxQueued: 256, MaxPendingApprovals: 32, MaxChunkBytes: 65536, StreamMaxBytes: 8 << 20,
			SpoolMaxBytes: 16 << 20, SpoolTailBytes: 1 << 20, SpoolTotalBytes: 64 << 20, InlineMaxBytes: 65536,
			DefaultTimeout: 2 * time.Minute, KillGrace: 2 * atOnce,
			DrainIdle: 250 * time.Millisecond, DrainMax: 2 * time.Second,
		},
		SpoolDir: filepath.Join(dir, "spool"), RefsDir: filepath.Join(dir, "refs"), Sandbox: m, Home: "/home/nobody-here", Log: slog.New(slog.DiscardHandler),
		Guard: guard.DefaultPolicy(),
		Policy: sandbox.Policy{
			Mode: sandbox.WorkspaceWrite, Network: sandbox.NetworkDeny, Reads: sandbox.ReadsPrivate, Require: sandbox.RequireEnforced,
		},
	}
	if change != nil {
		change(&c)
	}
	e, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	f, err := workspace.Open([]string{ws}, workspace.Options{Home: c.Home})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.Stop(Gone, 0)
		if left, _ := os.ReadDir(c.SpoolDir); len(left) > 0 {
			t.Errorf("left in the spool directory: %v", left)
		}
	})
	return &rig{t: t, e: e, ws: ws, f: f}
}

func (r *rig) admit(req Request) (*Run, error) { return r.e.Admit(req, r.f, 1) }

// run admits and does a request and checks the events' order.
func (r *rig) run(req Request) (*Result, *record, error) {
	r.t.Helper()
	run, err := r.admit(req)
	if err != nil {
		return nil, nil, err
	}
	rec := &record{t: r.t, out: map[Stream]*strings.Builder{}}
	res, err := run.Do(rec)
	if err == nil {
		rec.check(res)
	}
	return res, rec, err
}

func (r *rig) must(req Request) (*Result, *record) {
	r.t.Helper()
	res, rec, err := r.run(req)
	if err != nil {
		r.t.Fatalf("%q: %v", req.Command, err)
	}
	return res, rec
}

// late runs a command that its timeout ends after a mark: where the machine stalled until
// then, it gets twice the time.
func (r *rig) late(req Request, marked func(*Result) bool) *Result {
	r.t.Helper()
	for req.Timeout = 200 * time.Millisecond; ; req.Timeout *= 2 {
		if res, _ := r.must(req); marked(res) || req.Timeout > time.Minute {
			return res
		}
	}
}

func sh(script string) Request { return Request{Command: script} }

func streamed(script string) Request {
	return Request{Command: script, Output: OutputRequest{Stream: true}}
}

// record is a Sink that keeps everything and fails on a broken order.
type record struct {
	t  testing.TB
	mu sync.Mutex

	started *Started
	chunks  []Chunk
	gaps    []Gap
	queued  []int
	out     map[Stream]*strings.Builder
	seq     int64
	next    map[Stream]int64
	stall   chan struct{} // Output waits for it when set
	onOut   func()
	waiting chan Waiting // is sent what the command waits for, when set

	violations []sandbox.Violation
}

func (r *record) Queued(n int) error { r.queued = append(r.queued, n); return nil }

func (r *record) Started(s Started) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.started = &s
	return nil
}

func (r *record) Output(c Chunk) error {
	if r.stall != nil {
		<-r.stall
	}
	r.step(c.Seq, c.Stream, c.Offset, c.Offset+int64(len(c.Bytes)))
	r.keep(c)
	if r.onOut != nil {
		r.onOut()
	}
	return nil
}

func (r *record) keep(c Chunk) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out[c.Stream] == nil {
		r.out[c.Stream] = &strings.Builder{}
	}
	r.out[c.Stream].Write(c.Bytes)
	c.Bytes = append([]byte(nil), c.Bytes...)
	r.chunks = append(r.chunks, c)
}

func (r *record) Free() bool { return r.stall == nil }

func (r *record) Gap(g Gap) error {
	r.step(g.Seq, g.Stream, g.From, g.To)
	r.gaps = append(r.gaps, g)
	return nil
}

func (r *record) Violation(v Violation) error {
	if v.Seq != r.seq {
		r.t.Errorf("violation with seq %d, want %d", v.Seq, r.seq)
	}
	r.seq = v.Seq + 1
	r.violations = append(r.violations, v.Violation)
	return nil
}

func (r *record) Waiting(w Waiting) error {
	if r.waiting != nil {
		r.waiting <- w
	}
	return nil
}

func (r *record) step(seq int64, s Stream, from, to int64) {
	if r.started == nil {
		r.t.Error("output before started")
	}
	if seq != r.seq {
		r.t.Errorf("seq %d, want %d", seq, r.seq)
	}
	if r.next == nil {
		r.next = map[Stream]int64{}
	}
	if from != r.next[s] {
		r.t.Errorf("%s: offset %d, want %d", s, from, r.next[s])
	}
	r.seq, r.next[s] = seq+1, to
}

// check compares the result's account with what was delivered.
func (r *record) check(res *Result) {
	if r.started == nil || r.started.PID != res.PID {
		r.t.Errorf("started %+v, result pid %d", r.started, res.PID)
	}
	for s, o := range res.Output {
		if r.next != nil && len(r.chunks) > 0 && r.next[s] != o.TotalBytes {
			r.t.Errorf("%s: delivered up to %d of %d", s, r.next[s], o.TotalBytes)
		}
	}
}

func (r *record) text(s Stream) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out[s] == nil {
		return ""
	}
	return r.out[s].String()
}

// aliveWith lists processes whose command line contains mark.
func aliveWith(mark string) []string {
	var found []string
	// Not as a part of a longer number: the names of temporary directories have such.
	marked := regexp.MustCompile(`(^|\D)` + regexp.QuoteMeta(mark) + `(\D|$)`)
	dirs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, d := range dirs {
		if b, err := os.ReadFile(d); err == nil && marked.Match(b) {
			found = append(found, fmt.Sprintf("%s: %q", d, b))
		}
	}
	return found
}
