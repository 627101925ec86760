package executor

import (
	"context"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pillion-sidecar/pillion/executor/keys"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/egress"
)

const (
	// maxHostDeclines and maxHostQuestions bound the questions of one command: with
	// a new name for each, it could otherwise ask until a person tires.
	maxHostDeclines  = 3
	maxHostQuestions = 16
)

// liveQuestions is what a person was asked for one command that runs, and has given it.
type liveQuestions struct {
	one sync.Mutex // of what the command wants as the user: the second may be the first one again

	mu       sync.Mutex
	asked    int
	declined []Access // at most maxHostDeclines
	given    []Access
}

// may counts a question that is to be put. A no holds while the command runs.
func (h *liveQuestions) may(want Access) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.asked >= maxHostQuestions || len(h.declined) >= maxHostDeclines || slices.Contains(h.declined, want) {
		return false
	}
	h.asked++
	return true
}

func (h *liveQuestions) decline(want Access) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Contains(h.declined, want) {
		h.declined = append(h.declined, want)
	}
}

func (h *liveQuestions) give(want Access) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Contains(h.given, want) {
		h.given = append(h.given, want)
	}
}

// has are what was given of a kind.
func (h *liveQuestions) has(kind GrantKind) (values []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.given {
		if a.Kind == kind {
			values = append(values, a.Value)
		}
	}
	return values
}

// askHost asks a person whether the sandbox may connect to a host that is not in
// the address book. The connection waits, the command runs on.
func (l *life) askHost(ctx context.Context, host string, port int, what string) egress.Answer {
	switch yes, lasts := l.askFor(ctx, Access{Kind: GrantHost, Value: net.JoinHostPort(host, strconv.Itoa(port))}, what); {
	case !yes:
		return egress.Refuse
	case lasts: // the grant may be cleared before the next connection
		return egress.Once
	}
	return egress.Keep
}

// askUse asks a person whether the command may have the use of what is the user's own. A yes is
// for the command, and for what else runs in its sandbox until it ends.
func (l *life) askUse(ctx context.Context, want Access) bool {
	l.questions.one.Lock()
	defer l.questions.one.Unlock()
	yes := slices.Contains(l.questions.has(want.Kind), want.Value)
	if !yes {
		if yes, _ = l.askFor(ctx, want, ""); yes {
			l.questions.give(want)
		}
	}
	return yes
}

// askFor puts what the command wants to a person, and waits. lasts: the yes is one of the session.
func (l *life) askFor(ctx context.Context, want Access, what string) (yes, lasts bool) {
	e := l.engine
	if _, ok := e.grants.UseAccess(want); ok {
		return true, true
	}
	if e.conf.Approver == nil || ctx.Err() != nil || !l.questions.may(want) || !e.beginHostQuestion() {
		return false, false
	}
	defer e.endHostQuestion()
	select {
	case <-l.up: // its first connection may come before we know that it runs
	case <-ctx.Done():
		return false, false
	}
	q := l.liveQuestion(want, what)
	wanted, stop := context.WithCancel(ctx) // while who waits and the command are there
	defer stop()
	defer context.AfterFunc(l.ctx, stop)()
	asked, late := context.WithDeadline(wanted, q.Expires)
	defer late()
	answer := e.conf.Approver.Approve(asked, q)
	how, err := l.settleHost(q, answer, wanted.Err() != nil, asked.Err() != nil)
	if err != nil && wanted.Err() == nil {
		l.questions.decline(want)
	}
	e.tell(func(to Recorder) { to.Answered(q, answer, how, err) })
	return err == nil, how.GrantID != ""
}

func (l *life) liveQuestion(want Access, what string) Question {
	t := l.req.text()
	q := Question{
		ID: questionID(), ExecID: l.req.ID, Wants: want, HostIs: what, Command: t.Command, Argv: t.Argv, Commands: t.Commands, Ignore: l.req.IgnoreErrors, Shell: l.req.Shell,
		Description: l.req.Description, Cwd: l.dir.Name(), Sandbox: l.effective(), Choices: []Choice{Accept, Decline},
		Session: &SessionRule{Wants: want}, Expires: time.Now().Add(l.engine.patience()),
	}
	if l.engine.conf.Remember != nil && !l.req.Bridged {
		q.Always = &Permanent{Access: want}
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

// askKeys is an egress.Config's: git's ssh connects, and the user knows the host and has keys that
// may log in there. The yes is for the host and for these keys.
func (g *gateway) askKeys(ctx context.Context, host string, port int, p egress.Peer) egress.Answer {
	runs, certain := g.of(p)
	if !certain || host == sandbox.HostName || runs[0].policy.Keys == "" {
		return egress.Unasked
	}
	l := runs[0]
	loan, standing, ok := l.engine.lendable(l.policy).Offer(ctx, net.JoinHostPort(host, strconv.Itoa(port)))
	switch {
	case !ok:
		return egress.Unasked
	case standing || l.askUse(ctx, Access{Kind: GrantKey, Value: loan.String()}):
		return egress.Once
	}
	return egress.Refuse
}

// askLogin is an egress.Config's: a host wants to know git, and the user's own git has somebody who
// knows what to say. Who that is is not asked before there is a yes: it would tell the host's name to
// programs that look it up.
func (g *gateway) askLogin(ctx context.Context, host string, p egress.Peer) egress.Answer {
	runs, certain := g.of(p)
	switch {
	case !certain || !sandbox.HasCredentials(ctx, host, g.theirs):
		return egress.Unasked
	case runs[0].askUse(ctx, Access{Kind: GrantCredentials, Value: host}):
		return egress.Once
	}
	return egress.Refuse
}

// lentTo is an egress.Config's.
func (g *gateway) lentTo(host string, p egress.Peer) bool {
	runs, certain := g.of(p)
	return certain && slices.Contains(runs[0].questions.has(GrantCredentials), host)
}

// hostKeys is an egress.Config's.
func (e *Engine) hostKeys(p sandbox.Policy) func(host string, port int) string {
	c := e.lendable(p)
	return func(host string, port int) string { return c.HostKeys(net.JoinHostPort(host, strconv.Itoa(port))) }
}

// lentBy are the loans that were given to commands that run.
func lentBy(runs []*life) (loans []keys.Loan) {
	for _, l := range runs {
		for _, text := range l.questions.has(GrantKey) {
			loan, _ := keys.ReadLoan(text)
			loans = append(loans, loan)
		}
	}
	return loans
}

// askLoan is a keys.Config's, about one of these commands.
func askLoan(ctx context.Context, runs []*life, loan keys.Loan) bool {
	return len(runs) > 0 && runs[len(runs)-1].askUse(ctx, Access{Kind: GrantKey, Value: loan.String()})
}
