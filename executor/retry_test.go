package executor

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// retrying is an engine whose client asks a person by itself.
func retrying(t *testing.T, change func(*Config)) *rig {
	t.Helper()
	return newRig(t, func(c *Config) {
		touching(c)
		c.Retry = true
		if change != nil {
			change(c)
		}
	})
}

// offer sends a command that must be refused with an offer.
func (r *rig) offer(req Request) *Offer {
	r.t.Helper()
	_, _, err := r.run(req)
	var required *ApprovalError
	if !errors.As(err, &required) || required.Offer == nil || required.Offer.State == "" || r.has("ran") {
		r.t.Fatalf("%v, want an offer", err)
	}
	return required.Offer
}

func with(req Request, state string, c Choice) Request {
	req.Approval = &Retry{State: state, Choice: c}
	return req
}

func TestRetryAcceptedRuns(t *testing.T) {
	r := retrying(t, nil)
	o := r.offer(Request{ID: "a", Command: "touch ran"})
	if o.Command != "touch ran" || o.Cwd != r.ws || !slices.Equal(o.Choices, []Choice{Accept, AcceptForSession, Decline}) || o.Session == nil || time.Until(o.Expires) < 4*time.Minute {
		t.Errorf("%+v", o)
	}
	res, _ := r.must(with(Request{ID: "b", Command: "touch ran"}, o.State, Accept))
	if !r.has("ran") || res.Approval.Choice != Accept {
		t.Errorf("%+v", res)
	}
}

// The state of an answer is used up by it, whatever it was.
func TestRetryStateIsGoodForOne(t *testing.T) {
	r := retrying(t, nil)
	o := r.offer(sh("touch ran"))
	r.must(with(sh("touch ran"), o.State, Accept))
	if err := os.Remove(filepath.Join(r.ws, "ran")); err != nil {
		t.Fatal(err)
	}
	r.declined(with(sh("touch ran"), o.State, Accept), ByMalformed)
	for _, c := range []Choice{Decline, Edit, Withdraw, "", "ACCEPT", "accept ", "yes"} {
		o := r.offer(sh("touch ran"))
		by := ByMalformed
		if c == Decline {
			by = ByClient
		}
		r.declined(with(sh("touch ran"), o.State, c), by)
		r.declined(with(sh("touch ran"), o.State, Accept), ByMalformed)
	}
}

func TestRetryStateCannotBeMadeUp(t *testing.T) {
	r := retrying(t, nil)
	o := r.offer(sh("touch ran"))
	for _, state := range []string{"", "r-", o.State[:len(o.State)-1], o.State + "A", strings.ToLower(o.State), o.ID, o.ExecID} {
		r.declined(with(sh("touch ran"), state, Accept), ByMalformed)
	}
	if other := r.offer(sh("touch ran")); other.State == o.State || len(o.State) < 20 {
		t.Errorf("%q %q", o.State, other.State)
	}
	r.must(with(sh("touch ran"), o.State, Accept)) // none of these used it up
}

// A decision is about all that was sent: not another text, not the same one with
// another loader, input, place or sandbox.
func TestRetryIsForTheSameRequest(t *testing.T) {
	r := retrying(t, func(c *Config) {
		c.Grants.Off, c.Grants.Network, c.Grants.EnvAll, c.Grants.NoTimeout = true, true, true, true
	})
	if err := os.Mkdir(filepath.Join(r.ws, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Request){
		"command":      func(q *Request) { q.Command = "touch  ran" },
		"argv":         func(q *Request) { q.Command, q.Argv = "", []string{"touch", "ran"} },
		"cwd":          func(q *Request) { q.Cwd = "sub" },
		"env":          func(q *Request) { q.Env = map[string]*string{"MAKEFLAGS": new("-n")} },
		"env unset":    func(q *Request) { q.Env = map[string]*string{"LANG": nil} },
		"envInherit":   func(q *Request) { q.EnvInherit = "all" },
		"stdin":        func(q *Request) { q.Stdin = []byte("x") },
		"empty stdin":  func(q *Request) { q.Stdin = []byte{} },
		"open stdin":   func(q *Request) { q.StdinOpen = true },
		"terminal":     func(q *Request) { q.Terminal = &Terminal{Rows: 24, Cols: 80} },
		"mode":         func(q *Request) { q.Sandbox.Mode = sandbox.Off },
		"network":      func(q *Request) { q.Sandbox.Network = sandbox.NetworkAllow },
		"sandbox name": func(q *Request) { q.Sandbox.Name = "other" },
		"writable":     func(q *Request) { q.Sandbox.Writable = []string{"sub"} },
		"timeout":      func(q *Request) { q.Timeout = -1 },
		"description":  func(q *Request) { q.Description = "harmless" },
	} {
		o := r.offer(sh("touch ran"))
		q := sh("touch ran")
		change(&q)
		_, _, err := r.run(with(q, o.State, Accept))
		var d *DeclinedError
		if !errors.As(err, &d) || d.By != ByMalformed || r.has("ran") || r.has("sub/ran") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Every member counts, also one that is new.
func TestRetryDigestIsOfEveryMember(t *testing.T) {
	base := func() Request {
		return Request{Command: "x", Argv: []string{"x"}, Commands: []string{"x"}, Env: map[string]*string{"A": new("1")}, Terminal: &Terminal{Rows: 1}, Stdin: []byte("a"), Approval: &Retry{State: "x"}}
	}
	if one, other := base().digest(), base().digest(); one != other {
		t.Fatal("the digest of equal requests differs")
	}
	typ := reflect.TypeFor[Request]()
	for i := range typ.NumField() {
		r := base()
		switch at := reflect.ValueOf(&r).Elem().Field(i); at.Kind() {
		case reflect.String:
			at.SetString(at.String() + "x")
		case reflect.Bool:
			at.SetBool(!at.Bool())
		case reflect.Int64:
			at.SetInt(at.Int() + 1)
		case reflect.Struct: // its members are written out by the same verb
			at.Field(at.NumField() - 1).Set(reflect.Zero(at.Field(at.NumField() - 1).Type()))
			r.Sandbox.Name, r.Output.InlineKeep = "x", "head"
		case reflect.Slice:
			at.Set(reflect.Append(at, reflect.Zero(at.Type().Elem())))
		default:
			at.SetZero()
		}
		name := typ.Field(i).Name
		if same := r.digest() == base().digest(); same != (name == "ID" || name == "Approval") {
			t.Errorf("%s: same digest %t", name, same)
		}
	}
	for name, change := range map[string]func(*Request){
		"variable's value": func(r *Request) { r.Env["A"] = new("2") },
		"variable unset":   func(r *Request) { r.Env["A"] = nil },
		"terminal's rows":  func(r *Request) { r.Terminal.Rows = 2 },
		"stdin's text":     func(r *Request) { r.Stdin[0] = 'b' },
	} {
		r := base()
		if change(&r); r.digest() == base().digest() {
			t.Errorf("another %s has the same digest", name)
		}
	}
}

// While the person reads, a command that runs already puts a link in the place of
// the directory.
func TestRetryInADirectoryThatWasSwapped(t *testing.T) {
	r := retrying(t, nil)
	sub, other := filepath.Join(r.ws, "sub"), filepath.Join(r.ws, "other")
	for _, dir := range []string{sub, other} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	req := Request{Command: "touch ran", Cwd: "sub"}
	o := r.offer(req)
	if err := errors.Join(os.Remove(sub), os.Symlink(other, sub)); err != nil {
		t.Fatal(err)
	}
	r.declined(with(req, o.State, Accept), ByMalformed)
	if r.has("other/ran") {
		t.Error("it ran where the link leads")
	}
	if err := os.Remove(sub); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	o = r.offer(req)
	if err := errors.Join(os.Rename(sub, sub+"2"), os.Mkdir(sub, 0o755)); err != nil {
		t.Fatal(err)
	}
	r.declined(with(req, o.State, Accept), ByMalformed) // another directory of the same name
}

// What was allowed to be asked is asked no more, and what was shown is not what
// would be in force.
func TestRetryUnderAnotherPolicy(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"guard":   func(c *Config) { c.Guard.Roots = nil },
		"sandbox": func(c *Config) { c.Policy.Limits.Processes = 77 },
		"mode":    func(c *Config) { c.Policy.Mode = sandbox.ReadOnly },
	} {
		r := retrying(t, nil)
		o := r.offer(sh("touch ran"))
		c := r.e.conf
		change(&c)
		r.e = r.e.With(c)
		_, _, err := r.run(with(sh("touch ran"), o.State, Accept))
		var d *DeclinedError
		if !errors.As(err, &d) || d.By != ByMalformed || r.has("ran") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRetryOfWhatIsDeniedByNow(t *testing.T) {
	r := retrying(t, nil)
	o := r.offer(sh("touch ran"))
	c := r.e.conf
	c.Guard.Closed = "maintenance"
	r.e = r.e.With(c)
	_, _, err := r.run(with(sh("touch ran"), o.State, Accept))
	var denied *DeniedError
	if !errors.As(err, &denied) || r.has("ran") {
		t.Errorf("%v", err)
	}
}

func TestRetryThatComesTooLate(t *testing.T) {
	r := retrying(t, func(c *Config) { c.ApprovalTimeout = 20 * time.Millisecond })
	o := r.offer(sh("touch ran"))
	time.Sleep(40 * time.Millisecond)
	r.declined(with(sh("touch ran"), o.State, Accept), ByTimeout)
	r.declined(with(sh("touch ran"), o.State, Accept), ByMalformed)
}

// A flood of questions doesn't fill memory, and locks nobody out.
func TestRetryStatesAreBounded(t *testing.T) {
	r := retrying(t, func(c *Config) { c.Limits.MaxPendingApprovals = 3 })
	var offers []*Offer
	for range 8 {
		offers = append(offers, r.offer(sh("touch ran")))
	}
	if n := len(r.e.parked); n != 3 {
		t.Errorf("%d are kept", n)
	}
	for _, o := range offers[:5] {
		r.declined(with(sh("touch ran"), o.State, Accept), ByMalformed)
	}
	r.must(with(sh("touch ran"), offers[7].State, Accept))
}

func TestRetryForTheSession(t *testing.T) {
	r := retrying(t, nil)
	o := r.offer(sh("touch ran"))
	res, _ := r.must(with(sh("touch ran"), o.State, AcceptForSession))
	if g := r.e.Grants(); len(g) != 1 || res.Approval.GrantID != g[0].ID {
		t.Errorf("%+v", res.Approval)
	}
	if res, _ := r.must(sh("touch ran")); res.Approval.Choice != AcceptForSession {
		t.Errorf("%+v", res.Approval)
	}
}

// Offered only where the text says all; else it is not a decision at all.
func TestRetryForTheSessionThatWasNotOffered(t *testing.T) {
	r := retrying(t, nil)
	o := r.offer(sh(`touch ran "$X"`))
	if o.Session != nil || slices.Contains(o.Choices, AcceptForSession) {
		t.Errorf("%+v", o)
	}
	r.declined(with(sh(`touch ran "$X"`), o.State, AcceptForSession), ByMalformed)
	if g := r.e.Grants(); len(g) != 0 {
		t.Errorf("%+v", g)
	}
}

// A decision for a command that needs none is a mistake of its sender.
func TestRetryOfWhatIsAllowed(t *testing.T) {
	r := retrying(t, nil)
	r.declined(with(sh("true"), "r-x", Accept), ByMalformed)
}

func TestRetryIsOnlyForThoseThatAnnouncedIt(t *testing.T) {
	var param *ParamError
	for name, change := range map[string]func(*Config, *Request){
		"not announced": func(c *Config, _ *Request) { c.Retry = false },
		"can be asked":  func(c *Config, _ *Request) { c.Approver = &person{} },
		"bridged":       func(_ *Config, q *Request) { q.Bridged = true },
	} {
		q := with(sh("touch ran"), "r-x", Accept)
		r := retrying(t, func(c *Config) { change(c, &q) })
		if _, _, err := r.run(q); !errors.As(err, &param) || param.Path != "/approval" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Over the bridge a model could answer in a person's place.
func TestRetryIsNotOfferedOverTheBridge(t *testing.T) {
	for _, retry := range []bool{true, false} {
		r := retrying(t, func(c *Config) { c.Retry = retry })
		r.declined(Request{Command: "touch ran", Bridged: true}, ByUnsupported)
		if len(r.e.parked) != 0 {
			t.Error("a state was made")
		}
	}
}

// The wait for a slot is time in which the world moves on.
func TestRetryIsJudgedAgainBehindTheQueue(t *testing.T) {
	r := retrying(t, func(c *Config) { c.Limits.MaxConcurrent = 1 })
	sub := filepath.Join(r.ws, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	req := Request{Command: "touch ran", Cwd: "sub"}
	o := r.offer(req)
	first, err := r.admit(sh("until [ -e go ]; do sleep 0.01; done"))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _, _ = first.Do(&record{t: t}) }()
	for r.e.Stats().Running == 0 {
		time.Sleep(time.Millisecond)
	}
	second, err := r.admit(with(req, o.State, Accept))
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() { _, err := second.Do(&record{t: t}); got <- err }()
	for r.e.Stats().Queued == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := errors.Join(os.Rename(sub, sub+"2"), os.Mkdir(sub, 0o755), os.WriteFile(filepath.Join(r.ws, "go"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	var d *DeclinedError
	if err := <-got; !errors.As(err, &d) || d.By != ByMalformed || r.has("sub/ran") {
		t.Errorf("%v", err)
	}
	<-ended
}
