package sandbox

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// TestEscapes runs the whole table on every rung this machine can be made to
// have, as each user: one sandbox each, many scripts.
func TestEscapes(t *testing.T) {
	t.Parallel()
	onEveryRung(t, func(t *testing.T, rung string) {
		r := newRoom(t, rung)
		for _, c := range checks() {
			t.Run(fmt.Sprintf("%d %s", c.n, c.name), func(t *testing.T) { r.holds(t, c) })
		}
	})
}

// holds runs one row, and once more with another directory where it names one.
func (r *room) holds(t *testing.T, c check) {
	needs.Program(t, c.needs...)
	defer r.lend(t)()
	var wrong []string
	for _, script := range c.scripts {
		if why := r.judge(c, script); why != "" {
			wrong = append(wrong, why)
		}
		if !strings.Contains(script, "$OUT") {
			continue
		}
		if why := r.judge(c, strings.ReplaceAll(script, "$OUT", r.ro)); why != "" {
			wrong = append(wrong, why)
		}
	}
	if len(wrong) > 0 {
		t.Error(strings.Join(wrong, "\n"))
	}
}

// lend makes failures those of a subtest.
func (r *room) lend(t *testing.T) (giveBack func()) {
	old := r.t
	give := func(t *testing.T) {
		r.t, r.git.t, r.small.t = t, t, t
		for _, b := range r.more {
			b.t = t
		}
	}
	give(t)
	return func() { give(old) }
}

// judge runs one script and says what is wrong with what it came to.
func (r *room) judge(c check, script string) string {
	want := c.want[r.rung]
	b := r.bench
	if c.repository {
		r.makeRepository()
		b = r.git
		b.env = r.env
	}
	if c.limit != "" {
		b = r.small
	}
	if c.with != "" {
		b = r.more[c.with]
		if r.rung == RungNoUserns {
			return b.refuses(c.with, want)
		}
	}
	before := r.state()
	o := b.sh(script)
	succeeded := c.anyExit || o.status.Code == 0
	if succeeded && c.really != nil {
		succeeded = c.really(r, o)
	}
	var wrong []string
	if c.repository && want.is == deny {
		harm := r.repositoryHarm()
		succeeded = harm != ""
		if succeeded {
			wrong = append(wrong, harm)
		}
	}
	if !c.anyExit && (o.status.Code == 127 || o.status.Code == proofless) {
		wrong = append(wrong, "it proves nothing")
	}
	if succeeded != want.is.succeeds() {
		wrong = append(wrong, "want "+string(want.is))
	}
	if c.limit != "" && !o.names(c.limit) {
		wrong = append(wrong, fmt.Sprintf("it names %q and %v, not the limit", o.limit, o.seen))
	}
	if after := r.state(); after != before {
		wrong = append(wrong, "the host changed:\n"+hostChange(before, after))
		r.furnish()
		r.sockets()
	}
	if len(wrong) == 0 {
		return ""
	}
	return fmt.Sprintf("%s\n\texit %d, signal %d: %s\n\t%s", script, o.status.Code, o.status.Signal,
		strings.TrimSpace(o.out), strings.Join(wrong, "\n\t"))
}

// refuses says what is wrong with how the sandbox itself is refused.
func (b *bench) refuses(feature string, want cell) string {
	_, err := b.m.Sandbox(b.policy)
	var refusal *UnavailableError
	named := func(m Missing) bool { return m.Feature == feature }
	if !errors.As(err, &refusal) || !slices.ContainsFunc(refusal.Missing, named) || want.is.succeeds() {
		return fmt.Sprintf("%v, want %s", err, want.is)
	}
	return ""
}

// hostChange is the lines that are in one of the two only.
func hostChange(before, after string) string {
	var s strings.Builder
	for _, d := range []struct{ sign, of, not string }{{"- ", before, after}, {"+ ", after, before}} {
		for line := range strings.Lines(d.of) {
			if !strings.Contains("\n"+d.not, "\n"+line) {
				s.WriteString(d.sign + line)
			}
		}
	}
	return s.String()
}

// Mode off is the control: there every attack that needs no more than the user's
// own rights gets through, so a refusal in the sandbox is the sandbox's.
func TestTheAttacksWorkWithoutASandbox(t *testing.T) {
	t.Parallel()
	long.Test(t)
	onHost(t, func(t *testing.T) {
		r := newRoom(t, RungNone)
		r.policy.Mode, r.git.policy.Mode = Off, Off
		for _, c := range checks() {
			if c.bites {
				t.Run(fmt.Sprintf("%d %s", c.n, c.name), func(t *testing.T) { r.bites(t, c) })
			}
		}
	})
}

func (r *room) bites(t *testing.T, c check) {
	needs.Program(t, c.needs...)
	defer r.lend(t)()
	for _, script := range c.scripts {
		b := r.bench
		if c.repository {
			r.makeRepository()
			b = r.git
			b.env = r.env
		}
		o := b.sh(script)
		if c.repository && r.repositoryHarm() == "" {
			t.Errorf("%s: no harm done, exit %d: %s", script, o.status.Code, o.out)
		}
		if !c.repository && o.status.Code != 0 {
			t.Errorf("%s: exit %d: %s", script, o.status.Code, o.out)
		}
		for _, d := range []string{"/tmp/", "/var/tmp/", "/dev/shm/"} {
			_ = os.Remove(d + escapeName())
		}
		r.furnish()
		r.sockets()
	}
}
