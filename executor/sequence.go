package executor

import (
	"errors"
	"time"

	"github.com/pillion-sidecar/pillion/guard"
)

// MaxCommands bounds the commands of one sequence. Each of them costs a verdict
// and a row of the result.
const MaxCommands = 64

// Range is the bytes [From, To) of a stream.
type Range struct{ From, To int64 }

// Step is how one command of a sequence ended.
type Step struct {
	Command  string
	ExitCode *int   // nil when a signal ended it, or it did not run
	Signal   string // "" when it exited, or did not run
	Reason   Reason // Skipped and NotStarted: it did not run
	Duration time.Duration
	Output   map[Stream]Range // where its bytes are; empty when it did not run
	Error    string           // why it was not started, "" if it was or was not to be
}

// next starts the next command of a sequence, if there is one to start. A sequence that
// was stopped stays stopped: nothing begins once a cause is recorded.
func (l *life) next(s *step) *step {
	switch {
	case s.more && s.lost != nil:
		l.cancel(cause(SandboxLost))
		return nil
	case s.more && s.failed() && !l.req.IgnoreErrors: // as what it left has shown
		l.cancel(cause(Exited))
		return nil
	case !s.more || l.ctx.Err() != nil:
		return nil
	}
	n, err := l.follows(s.index + 1)
	var cancelled *CancelledError
	switch {
	case err == nil:
		return n
	case errors.As(err, &cancelled):
		return nil
	}
	l.cancel(cause(NotStarted))
	l.engine.conf.Log.Warn("a command of a sequence was not started", "execId", l.req.ID, "index", s.index+1, "error", err)
	l.steps = append(l.steps, &step{life: l, index: s.index + 1, lost: err, reason: NotStarted})
	return nil
}

// follows starts the command of that index if it still is what was judged. A command
// before it could have put a link to somewhere else into the place of a directory that it
// deletes.
func (l *life) follows(index int) (*step, error) {
	v := l.engine.verdict(Request{Command: l.req.Commands[index], Shell: l.req.Shell, Env: l.req.Env}, l.folders, l.cwd)
	for _, f := range v.Findings {
		if f.Source.Field == "command" {
			f.Source = guard.Source{Field: "commands", Index: index}
		}
		if known(l.verdict.Findings, f) || f.Decision != guard.Deny && f.Decision != guard.Ask {
			continue
		}
		l.engine.tell(func(to Recorder) { to.Judged(Request{ID: l.req.ID, Command: l.req.Commands[index]}, l.cwd, v) })
		if f.Decision == guard.Deny {
			return nil, &DeniedError{Verdict: v}
		}
		return nil, &ApprovalError{Verdict: v}
	}
	return l.start(index)
}

// rows describe every command of a sequence, also those that were not reached.
func (l *life) rows() []Step {
	rows := make([]Step, 0, len(l.req.Commands))
	for i, text := range l.req.Commands {
		row := Step{Command: text, Reason: Skipped}
		if i < len(l.steps) {
			row = l.steps[i].row(text)
		}
		rows = append(rows, row)
	}
	return rows
}

func (s *step) row(text string) Step {
	row := Step{Command: text, Reason: s.end(), Output: s.output}
	if s.proc == nil {
		row.Error = s.lost.Error()
		return row
	}
	row.ExitCode, row.Signal = s.code()
	row.Duration = s.exit.Sub(s.began)
	return row
}

// code is the exit code, or the name of the signal.
func (s *step) code() (*int, string) {
	switch {
	case s.status.Signal != 0:
		return nil, signalName(s.status.Signal)
	case s.lost != nil:
		return nil, ""
	}
	code := s.status.Code
	return &code, ""
}
