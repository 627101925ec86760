package executor

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/executor/grant"
	"github.com/pillion-sidecar/pillion/executor/render"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/workspace"
)

// labelled are the commands of all lists, for the default profile, where a rig works.
func (r *rig) labelled() (list []string) {
	r.t.Helper()
	files, err := filepath.Glob("../testdata/guard/*.jsonl")
	if err != nil {
		r.t.Fatal(err)
	}
	here := strings.NewReplacer("/home/dev/project", r.ws, "/home/dev", r.e.conf.Home)
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			r.t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var row struct{ Command, Profile string }
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				r.t.Fatal(err)
			}
			if row.Command != "" && (row.Profile == "" || row.Profile == "balanced") {
				list = append(list, here.Replace(row.Command))
			}
		}
		_ = f.Close()
	}
	for _, rule := range guard.Rules() {
		list = append(list, rule.Match...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// posed is a command as it is put to a person, with the widths of a yes; denied, one that
// nobody is asked about.
type posed struct {
	*proposal
	command string
	denied  bool
	always  *Permanent
}

// pose takes a command to its question; nil for one that has none and is not denied.
func (r *rig) pose(command string) *posed { return r.posing(sh(command)) }

func (r *rig) posing(req Request) *posed {
	r.t.Helper()
	run, err := r.admit(req)
	if err != nil {
		return nil // too large, or of a shape that is not a request
	}
	defer r.e.forget(run)
	defer run.cancel(cause(InternalError))
	p, err := run.prepare()
	if err == nil {
		p.close()
		return nil
	}
	ask := askable(err)
	if ask == nil {
		return &posed{command: said(req), denied: true}
	}
	return &posed{proposal: ask.proposal, command: said(req), always: run.permanent(ask.proposal)}
}

// said is a text of its own for each request.
func said(req Request) string { return req.Command + strings.Join(req.Argv, "\x00") }

// direct is a request without a shell.
func direct(words ...string) Request { return Request{ID: "a", Argv: words} }

// rules are those of the findings, sorted.
func (q *posed) rules() (list []string) {
	for _, f := range q.verdict.Findings {
		if f.Decision != guard.Allow {
			list = append(list, f.RuleID)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// No width that a question offers covers a command that has another finding, or does
// something else: that one is asked about, and what is denied stays denied.
func TestNoWidthCoversAnotherFinding(t *testing.T) {
	long.Test(t)
	r, _ := asking(t, func(c *Config) {
		c.Guard = guard.DefaultPolicy()
		c.Remember = func(Permanent) error { return nil }
	}, choose(Decline))
	var asked, denied []*posed
	for i, command := range r.labelled() {
		req := sh(command)
		if i%4 == 0 { // as a client sends it that knows of no shell
			req = direct("sh", "-c", command)
		}
		switch q := r.posing(req); {
		case q == nil:
		case q.denied:
			denied = append(denied, q)
		default:
			asked = append(asked, q)
		}
	}
	meanings := map[string]string{}
	for _, q := range asked {
		meanings[q.command] = q.verdict.Meaning
	}
	widths, pairs := 0, 0
	for _, given := range asked {
		var session grant.List
		if given.rule != nil {
			widths++
			session.Add(*given.rule)
		}
		var standing *Remembered
		if given.always != nil && given.always.Standing != nil {
			widths++
			standing = given.always.Standing
		}
		for _, q := range asked {
			if q == given {
				continue
			}
			pairs++
			_, covered := session.Use(q.want, "")
			if standing != nil {
				covered = covered || standing.Allows(q.want) || standing.AllowsSpelled(q.want, func(text render.Text) string { return meanings[text.Command+strings.Join(text.Argv, "\x00")] })
			}
			if covered && (!slices.Equal(given.rules(), q.rules()) || given.verdict.Meaning != q.verdict.Meaning) {
				t.Errorf("a yes to %q, which %v found, covers %q, which %v find", given.command, given.rules(), q.command, q.rules())
			}
		}
	}
	t.Logf("%d asked, %d denied, %d widths, %d pairs", len(asked), len(denied), widths, pairs)
	if widths < 300 || len(denied) < 1000 {
		t.Error("too few to tell")
	}
	r.denyAll(denied, asked)
}

// denyAll gives every width that there is and looks whether what was denied is.
func (r *rig) denyAll(denied, asked []*posed) {
	r.t.Helper()
	for _, q := range asked {
		if q.rule != nil {
			r.e.grants.Add(*q.rule)
		}
		if q.always != nil && q.always.Standing != nil {
			r.e.remember(q.always)
		}
	}
	for _, q := range denied {
		if now := r.pose(q.command); now == nil || !now.denied {
			r.t.Errorf("%q was denied", q.command)
		}
	}
}

// A file or directory that is given answers the question about it, and no other.
func TestNoGivenPlaceAnswersAnotherQuestion(t *testing.T) {
	long.Test(t)
	home := homeOutsideOfTmp(t)
	r, _ := asking(t, func(c *Config) {
		c.Guard, c.Home, c.Places = guard.DefaultPolicy(), home, workspace.Options{Home: home}
		c.Remember = func(Permanent) error { return nil }
	}, choose(Decline))
	before := map[string]guard.Verdict{}
	outside := func(f guard.Finding) bool { return strings.HasSuffix(f.RuleID, "-outside") }
	for i, command := range r.labelled() {
		v := r.e.verdict(sh(command), r.f, r.ws)
		if !slices.ContainsFunc(v.Findings, outside) && i%20 != 0 { // of the others some
			continue
		}
		before[command] = v
		for _, f := range v.Findings { // what can be given must be there
			if f.Place != "" && strings.HasPrefix(f.Place, home+"/") {
				_ = os.MkdirAll(f.Place, 0o755)
			}
		}
	}
	given := map[Access]bool{}
	for command := range before {
		q := r.pose(command)
		if q == nil || q.denied || q.always == nil || q.always.Standing != nil || !strings.HasPrefix(q.always.Access.Value, home) {
			continue
		}
		given[q.always.Access] = true
		r.e.remember(q.always)
		if len(given) == 12 { // enough, in a few seconds
			break
		}
	}
	within := func(f guard.Finding) bool {
		for a := range given {
			if f.Place != "" && workspace.Within(a.Value, f.Place) && (f.RuleID != "fs/write-outside" || a.Kind == GrantWrite) {
				return true
			}
		}
		return false
	}
	answered := 0
	for command, was := range before {
		now := r.e.verdict(sh(command), r.f, r.ws)
		for _, f := range was.Findings {
			switch {
			case f.Decision == guard.Allow, slices.ContainsFunc(now.Findings, func(n guard.Finding) bool { return n.RuleID == f.RuleID && n.Span == f.Span }):
			case outside(f) && within(f):
				answered++
			default:
				t.Errorf("%q was found by %s (%s), and is not after %d places were given", command, f.RuleID, f.Place, len(given))
			}
		}
	}
	t.Logf("%d places, %d findings answered", len(given), answered)
	if len(given) < 10 || answered < len(given) {
		t.Error("too few to tell")
	}
}
