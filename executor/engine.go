package executor

import (
	"os"
	"slices"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/executor/caches"
	"github.com/pillion-sidecar/pillion/executor/forward"
	"github.com/pillion-sidecar/pillion/executor/grant"
	"github.com/pillion-sidecar/pillion/executor/keys"
	"github.com/pillion-sidecar/pillion/executor/refs"
	"github.com/pillion-sidecar/pillion/executor/spool"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/egress"
	"github.com/pillion-sidecar/pillion/workspace"
)

// Engine runs commands. It is safe for concurrent use.
type Engine struct {
	conf Config
	*core
}

// core is what Engines of one session share: With changes the configuration of
// the commands to come, not the commands.
type core struct {
	environ  []string
	shells   []Shell
	spools   *spool.Budget
	shelf    *shelf
	caches   *caches.Pool
	outputs  *outputs
	gateways *gateways
	agents   keys.Set
	lenders  egress.Lenders
	ports    *ports

	mu       sync.Mutex
	ended    *sync.Cond // a process tree is gone
	runs     map[string]*Run
	order    []*Run // admission order, for List
	waiting  []*Run // FIFO of runs without a slot
	running  int    // slots taken
	burden   int64  // bytes that the requests of runs hold
	trees    int    // process trees alive
	stopping Reason // why no more commands start, "" while they do
	stats    Stats
	judged   timing // of verdicts

	awaiting      int // runs that a person is asked about
	hostQuestions int // hosts likewise
	parked        []*ticket
	grants        grant.List
	always        []Remembered // what was answered with AcceptAlways in this session

	lent []Access // likewise: what all commands may read and write

	saved map[string]*savedOutput // by name, at most Limits.MaxSaved

	unkept map[string]bool // texts of commands of which not all could be kept

	trims    sync.Once // the journal, once in a session
	trimming conc.WaitGroup
}

// New makes an Engine. The configured sandbox manager stays the caller's.
func New(c Config) (*Engine, error) {
	if err := os.MkdirAll(c.SpoolDir, 0o700); err != nil {
		return nil, err
	}
	e := &Engine{conf: c, core: &core{
		outputs: newOutputs(c.OutputDir, c.Log), saved: map[string]*savedOutput{},
		environ: os.Environ(), shells: findShells(),
		spools: spool.NewBudget(c.SpoolDir), runs: map[string]*Run{}, unkept: map[string]bool{}, shelf: new(shelf),
		gateways: &gateways{open: map[*sandbox.Sandbox]*gateway{}, past: map[string]egress.HostStats{}},
		ports:    &ports{by: map[string]*listener{}, live: map[*forward.Forward]struct{}{}},
		caches:   caches.NewPool(c.CacheDir, c.Limits.CacheTotalBytes, c.Log),
	}}
	e.ended = sync.NewCond(&e.mu)
	e.shelf.setLimits(c.Limits.Retention, c.Limits.RetainedExecs)
	e.spools.SetLimits(c.Limits.SpoolTotalBytes, c.Policy.Limits)
	e.spools.Reclaim = e.shelf.reclaim
	return e, nil
}

// With is the same Engine for commands to come under another guard, sandbox
// policy, limits, grants, bounds and Approver. Those admitted before keep what they had.
func (e *Engine) With(c Config) *Engine {
	c.SpoolDir, c.CacheDir, c.Sandbox, c.Log = e.conf.SpoolDir, e.conf.CacheDir, e.conf.Sandbox, e.conf.Log
	c.OutputDir, c.JournalDir, c.RefsDir = e.conf.OutputDir, e.conf.JournalDir, e.conf.RefsDir
	c.Recorder, c.Listens = e.conf.Recorder, e.conf.Listens
	e.spools.SetLimits(c.Limits.SpoolTotalBytes, c.Policy.Limits)
	e.shelf.setLimits(c.Limits.Retention, c.Limits.RetainedExecs)
	return &Engine{conf: c, core: e.core}
}

// Guard is the policy that commands are judged by.
func (e *Engine) Guard() guard.Policy { return e.conf.Guard }

// Limits are the constants this Engine runs with.
func (e *Engine) Limits() Limits { return e.conf.Limits }

// CommandLimits are what each command may take of the machine.
func (e *Engine) CommandLimits() sandbox.Limits { return e.conf.Policy.Limits }

// Shells lists the shells a request may name; the first is the default.
func (e *Engine) Shells() []Shell { return e.shells }

// Admit registers a command under its execId, so that every later call can name
// it, and takes a place for it. It does no slow work: rpc calls it in arrival
// order. Errors: *ParamError, *DuplicateError, *NameTakenError, *BusyError,
// *CancelledError while stopping.
func (e *Engine) Admit(r Request, f *workspace.Set, revision int) (*Run, error) {
	if err := e.check(r); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopping != "" {
		return nil, &CancelledError{Phase: "queued", Why: e.stopping}
	}
	if r.ID == "" {
		r.ID = e.mint()
	}
	r.Output = r.Output.whole()
	if old := e.taken(r.ID); old != "" {
		return nil, &DuplicateError{ID: r.ID, State: old}
	}
	if err := e.savable(r.Output); err != nil {
		return nil, err
	}
	if len(e.runs)-e.awaiting >= e.conf.Limits.MaxConcurrent+e.conf.Limits.MaxQueued {
		// Commands that were admitted and don't wait yet will wait, too.
		return nil, e.busy()
	}
	size := r.burden()
	if err := e.overburdened(size); err != nil {
		return nil, err
	}
	if err := e.crowded(); err != nil {
		return nil, err
	}
	run := newRun(e, r, f, revision)
	run.burden = size
	e.burden += size
	e.runs[r.ID] = run
	e.claim(run)
	e.order = append(e.order, run)
	e.stats.Total++
	return run, nil
}

// Cancel stops the run of that id, if there is one, by SIGTERM and after grace, or
// after its own grace with 0, by SIGKILL. The bool says whether this call did
// something.
func (e *Engine) Cancel(id string, grace time.Duration, force bool) (State, bool) {
	e.mu.Lock()
	run, ok := e.runs[id]
	e.mu.Unlock()
	switch {
	case !ok && e.shelf.has(id):
		return StateFinished, false
	case !ok:
		return StateUnknown, false
	}
	if grace > 0 {
		run.hurry(grace)
	}
	return run.Cancel(Cancelled, force)
}

// List describes the commands that are queued or running, in arrival order. In
// front of them it may have the finished ones whose output is kept.
func (e *Engine) List(finished bool) []Info {
	e.mu.Lock()
	defer e.mu.Unlock()
	infos := []Info{}
	if finished {
		infos = e.shelf.infos()
	}
	for _, r := range e.order {
		infos = append(infos, r.info())
	}
	return infos
}

// Stats are the counters at this moment.
func (e *Engine) Stats() Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.stats
	s.Running, s.Queued, s.Awaiting = e.running, len(e.waiting), e.awaiting
	s.GuardP50, s.GuardP99 = e.judged.percentile(50), e.judged.percentile(99)
	s.SpoolBytes, s.SpoolLimit = e.spools.Used(), e.conf.Limits.SpoolTotalBytes
	return s
}

// Stop ends every command: queued ones are refused, running ones get SIGTERM and after
// grace SIGKILL; what they have left in named sandboxes is killed. It returns when no
// process of any command is alive. A second Stop with a shorter grace hurries the first.
func (e *Engine) Stop(why Reason, grace time.Duration) {
	e.mu.Lock()
	if e.stopping == "" {
		e.stopping = why
	}
	runs := slices.Clone(e.order)
	e.mu.Unlock()
	e.shelf.close()
	for _, r := range runs {
		r.hurry(grace)
		r.Cancel(why, grace <= 0)
	}
	e.mu.Lock()
	for e.trees > 0 {
		e.ended.Wait()
	}
	e.mu.Unlock()
	e.conf.Sandbox.EndLeft()
	e.gateways.close()
	e.agents.Close()
	e.ports.close()
	e.releaseAll()
	e.outputs.close()
	refs.Tidy(e.conf.RefsDir)
	e.caches.Close()
	e.trimming.Wait()
}

// forget takes a run that is over from those that are live. Its output goes on the shelf,
// and until it leaves that, its id stays in use.
func (e *Engine) forget(r *Run) {
	e.mu.Lock()
	r.state = StateFinished
	delete(e.runs, r.req.ID)
	e.burden -= r.burden
	e.unclaim(r)
	e.order = slices.DeleteFunc(e.order, func(o *Run) bool { return o == r })
	var out []*kept
	if r.streams == nil {
		close(r.up)
	} else {
		for _, s := range r.streams {
			s.part()
		}
		k := &kept{info: r.info(), streams: r.streams}
		k.info.Expires, k.info.SaveAs = r.expires, ""
		out = e.shelf.add(k)
	}
	e.mu.Unlock()
	closeAll(out)
}

func (e *Engine) count(f func(*Stats)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f(&e.stats)
}
