package executor

import (
	"container/list"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"iter"
	"slices"
	"time"
)

// ticket is a question that its client puts to a person by itself. It keeps a
// hash of the request, not the request: what a client may send is larger.
type ticket struct {
	state   string
	request [sha256.Size]byte
	expires time.Time
	choices []Choice
	session *SessionRule
	*proposal
}

// asks reports that a person can be asked about r.
func (e *Engine) asks(r Request) bool { return e.conf.Approver != nil || e.conf.Retry || r.Bridged }

// refer refuses a command that a person must be asked about, by its client. What
// an accepted retry still raises is something else than the person saw.
func (r *Run) refer(a *ApprovalError) error {
	switch {
	case r.req.Bridged:
		return &DeclinedError{Verdict: a.Verdict, By: ByUnsupported}
	case r.req.Approval != nil:
		return &DeclinedError{Verdict: a.Verdict, By: ByMalformed}
	}
	q := r.question(a.proposal)
	// An edited text is a command of its own, and one that isn't wanted is not sent.
	q.Choices = slices.DeleteFunc(q.Choices, func(c Choice) bool { return c == Edit || c == Withdraw })
	t := &ticket{
		// Random, and known only to this client: a command can neither guess one nor count
		// on from another.
		state: "r-" + rand.Text(), request: r.req.digest(), expires: q.Expires, choices: q.Choices, session: q.Session, proposal: a.proposal,
	}
	r.engine.park(t)
	return &ApprovalError{Verdict: a.Verdict, Offer: &Offer{State: t.state, Question: q}}
}

// park keeps a ticket. The oldest makes room: most commands that are declined are
// never sent again, and must not lock out those of the next minutes.
func (e *Engine) park(t *ticket) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if over := len(e.parked) - e.conf.Limits.MaxPendingApprovals + 1; over > 0 {
		e.parked = slices.Delete(e.parked, 0, over)
	}
	e.parked = append(e.parked, t)
}

// take gives out the ticket of that state, once.
func (e *Engine) take(state string) *ticket {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := slices.IndexFunc(e.parked, func(t *ticket) bool { return t.state == state })
	if i < 0 {
		return nil
	}
	t := e.parked[i]
	e.parked = slices.Delete(e.parked, i, i+1)
	return t
}

// redeem acts on the decision that a request brings along, before anything else.
// Its state is used up whatever comes of it. An accepted command is then judged
// and its cwd resolved like any other; only what was shown is covered.
func (r *Run) redeem() error {
	if r.req.Approval == nil || r.redeemed {
		return nil
	}
	r.redeemed = true
	t := r.engine.take(r.req.Approval.State)
	switch {
	case t == nil, t.request != r.req.digest():
		return r.mistaken(ByMalformed)
	case time.Now().After(t.expires):
		return r.mistaken(ByTimeout)
	}
	q, answer := r.question(t.proposal), Answer{Choice: r.req.Approval.Choice}
	q.ID, q.Choices, q.Session = t.state, t.choices, t.session
	err := r.settle(q, t.proposal, answer)
	r.engine.tell(func(to Recorder) { to.Answered(q, answer, r.approval, err) })
	return err
}

// mistaken declines a command whose decision is not about it, with the verdict
// that it would get by itself.
func (r *Run) mistaken(by string) error {
	p, err := r.prepare()
	if ask := askable(err); ask != nil {
		return &DeclinedError{Verdict: ask.Verdict, By: by}
	}
	if err != nil {
		return err
	}
	defer p.close()
	return &DeclinedError{Verdict: p.verdict, By: by}
}

// digest covers everything in a request but its id and the decision. A member that is
// added is part of it; were it a pointer, no request would match any more.
func (r Request) digest() (sum [sha256.Size]byte) {
	env := map[string]string{}
	for name, v := range r.Env {
		if env[name] = "unset"; v != nil {
			env[name] = "=" + *v
		}
	}
	terminal := Terminal{}
	if r.Terminal != nil {
		terminal = *r.Terminal
	}
	h := sha256.New()
	fmt.Fprintf(h, "%#v %t %#v %t %d\n", env, r.Terminal != nil, terminal, r.Stdin != nil, len(r.Stdin))
	_, _ = h.Write(r.Stdin) // a hash takes anything
	r.ID, r.Approval, r.Env, r.Terminal, r.Stdin = "", nil, nil, nil, nil
	fmt.Fprintf(h, "\n%#v", r)
	h.Sum(sum[:0])
	return sum
}

// ordered keeps values by an id, in the order they came. A session may keep a
// thousand of them, and every command asks: nothing looks through all to find one.
type ordered[T any] struct {
	list list.List // of entry[T], the oldest first
	ids  map[string]*list.Element
}

type entry[T any] struct {
	id    string
	value T
}

// add puts a value last; it takes the place of another of that id.
func (o *ordered[T]) add(id string, value T) {
	o.take(id)
	if o.ids == nil {
		o.ids = map[string]*list.Element{}
	}
	o.ids[id] = o.list.PushBack(entry[T]{id, value})
}

func (o *ordered[T]) find(id string) (value T, ok bool) {
	at, ok := o.ids[id]
	if ok {
		value = at.Value.(entry[T]).value
	}
	return value, ok
}

// take removes the value of an id.
func (o *ordered[T]) take(id string) (value T, ok bool) {
	at, ok := o.ids[id]
	if ok {
		value = o.list.Remove(at).(entry[T]).value
		delete(o.ids, id)
	}
	return value, ok
}

// oldest is the first of them; there must be one.
func (o *ordered[T]) oldest() T { return o.list.Front().Value.(entry[T]).value }

func (o *ordered[T]) len() int { return o.list.Len() }

// all goes from the oldest to the newest. The one it is at may be taken.
func (o *ordered[T]) all() iter.Seq[T] {
	return func(yield func(T) bool) {
		for at := o.list.Front(); at != nil; {
			next := at.Next()
			if !yield(at.Value.(entry[T]).value) {
				return
			}
			at = next
		}
	}
}
