package executor

import (
	"context"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/egress"
)

const (
	// maxHostDeclines and maxHostQuestions bound the questions of one command: with
	// a new name for each, it could otherwise ask until a person tires.
	maxHostDeclines  = 3
	maxHostQuestions = 16
)

// hostQuestions is what a person was asked about hosts for one command.
type hostQuestions struct {
	mu       sync.Mutex
	asked    int
	declined []string // at most maxHostDeclines
}

// may counts a question that is to be put. A no holds while the command runs.
func (h *hostQuestions) may(address string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.asked >= maxHostQuestions || len(h.declined) >= maxHostDeclines || slices.Contains(h.declined, address) {
		return false
	}
	h.asked++
	return true
}

func (h *hostQuestions) decline(address string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Contains(h.declined, address) {
		h.declined = append(h.declined, address)
	}
}

// askHost asks a person whether the sandbox may connect to a host that is not in
// the address book. The connection waits, the command runs on.
func (l *life) askHost(ctx context.Context, host string, port int, what string) egress.Answer {
	e, address := l.engine, net.JoinHostPort(host, strconv.Itoa(port))
	if _, ok := e.grants.UseHost(address); ok { // of this session
		return egress.Once // the grant may be cleared before the next connection
	}
	if e.conf.Approver == nil || !l.questions.may(address) || !e.beginHostQuestion() {
		return egress.Refuse
	}
	defer e.endHostQuestion()
	select {
	case <-l.up: // its first connection may come before we know that it runs
	case <-ctx.Done():
		return egress.Refuse
	}
	q := l.hostQuestion(address, what)
	wanted, stop := context.WithCancel(ctx) // while the connection and the command are there
	defer stop()
	defer context.AfterFunc(l.ctx, stop)()
	asked, late := context.WithDeadline(wanted, q.Expires)
	defer late()
	answer := e.conf.Approver.Approve(asked, q)
	how, err := l.settleHost(q, answer, wanted.Err() != nil, asked.Err() != nil)
	if err != nil && wanted.Err() == nil {
		l.questions.decline(address)
	}
	e.tell(func(to Recorder) { to.Answered(q, answer, how, err) })
	switch {
	case err != nil:
		return egress.Refuse
	case how.GrantID != "":
		return egress.Once
	}
	return egress.Keep
}

func (l *life) hostQuestion(address, what string) Question {
	t := l.req.text()
	q := Question{
		ID: questionID(), ExecID: l.req.ID, Host: address, HostIs: what, Command: t.Command, Argv: t.Argv, Commands: t.Commands, Ignore: l.req.IgnoreErrors, Shell: l.req.Shell,
		Description: l.req.Description, Cwd: l.dir.Name(), Sandbox: l.effective(), Choices: []Choice{Accept, Decline},
		Session: &SessionRule{Host: address}, Expires: time.Now().Add(l.engine.patience()),
	}
	if l.engine.conf.Remember != nil && !l.req.Bridged {
		q.Always = &Permanent{Access: Access{Kind: GrantHost, Value: address}}
	}
	q.Choices = slices.Insert(q.Choices, 1, q.kept()...)
	return q
}

// settleHost: only an answer in time that was offered opens anything.
func (l *life) settleHost(q Question, a Answer, gone, late bool) (Approval, error) {
	switch {
	case gone:
		return Approval{}, &CancelledError{Phase: phaseAwaiting, Why: l.reason()}
	case late:
		return Approval{}, &DeclinedError{By: ByTimeout}
	case a.Choice == Accept:
		return Approval{Choice: Accept}, nil
	case a.By == "" && !slices.Contains(q.Choices, a.Choice):
		return Approval{}, &DeclinedError{By: ByMalformed, Message: a.Message}
	case a.Choice == AcceptForSession, a.Choice == AcceptAlways:
		how := Approval{Choice: a.Choice, GrantID: l.engine.grants.Add(*q.Session)}
		if a.Choice == AcceptAlways {
			l.engine.remember(q.Always)
		}
		return how, nil
	case a.By == "":
		return Approval{}, &DeclinedError{By: ByClient, Message: a.Message}
	}
	return Approval{}, &DeclinedError{By: a.By, Message: a.Message}
}

// beginHostQuestion counts with the questions about commands.
func (e *Engine) beginHostQuestion() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.mayAsk() {
		return false
	}
	e.hostQuestions++
	return true
}

func (e *Engine) endHostQuestion() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hostQuestions--
}
