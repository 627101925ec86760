package executor

import (
	"reflect"

	"github.com/pillion-sidecar/pillion/guard"
)

// Recorder is told what happens to commands, for a log that outlives the
// session: of each command in order, of several at once. Its methods must be
// quick, since commands wait for them, and can't fail: a log that is full stops no
// command.
type Recorder interface {
	// Judged is a verdict about a command that somebody wants to run. It comes
	// again when another verdict has taken its place.
	Judged(r Request, cwd string, v guard.Verdict)
	// Answered is what came of a question that a person was shown; err says that
	// the command was not let through.
	Answered(q Question, a Answer, how Approval, err error)
	// Started is a process of the command, which now is that of r.
	Started(r Request, cwd string, s Started, how Approval)
	// Ended is the end of a command that had started.
	Ended(r *Result)
}

// tell passes on what happened, if anybody records it.
func (e *Engine) tell(f func(Recorder)) {
	if e.conf.Recorder != nil {
		f(e.conf.Recorder)
	}
}

// told is the last verdict of a command that was recorded: judging it again after
// a wait mostly says the same.
type told struct {
	text    Text
	cwd     string
	verdict guard.Verdict
}

// record tells a verdict that is news.
func (r *Run) record(cwd string, v guard.Verdict) {
	now := &told{text: r.req.text(), cwd: cwd, verdict: v}
	if r.engine.conf.Recorder == nil || r.told != nil && reflect.DeepEqual(r.told, now) {
		return
	}
	r.told = now
	r.engine.conf.Recorder.Judged(r.req, cwd, v)
}
