package executor

import (
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/journal"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// What is kept stays for days, and is listed: no password of a command line is in it.
func TestTheJournalKeepsNoSecretOfACommandLine(t *testing.T) {
	for _, r := range []Request{
		{Command: "curl -H 'Authorization: Bearer abcdef0123456789abcdef' https://x.example"},
		{Argv: []string{"deploy", "--token", "abcdef0123456789abcdef"}},
		{Commands: []string{"true", "API_TOKEN=abcdef0123456789abcdef ./run"}},
	} {
		m, ok := readMeta(metaOf(entryMeta{ID: "i", ExecID: "e", Command: textOf(r), At: time.Now(), Roots: []string{"/w"}}))
		if !ok || strings.Contains(m.Command, "abcdef0123456789") || m.Command == "" {
			t.Errorf("%q, %v", m.Command, ok)
		}
	}
}

// A question is only spared while what it is about comes back.
func TestLossIsAskedAboutWhereItIsNotKept(t *testing.T) {
	dir := t.TempDir()
	kept := newRig(t, func(c *Config) { c.JournalDir = dir })
	reset := Request{ID: "r", Command: "git reset --hard"}
	ask := func(r *rig, req Request, want guard.Decision) {
		t.Helper()
		j, err := r.e.Judge(req, r.f)
		if err != nil || j.Verdict.Decision != want {
			t.Errorf("%v, %v", j.Verdict, err)
		}
	}
	if journal.Supported {
		ask(kept, reset, guard.Allow)
	}
	ask(kept, Request{ID: "r", Command: "git push --force"}, guard.Ask)
	readOnly := reset
	readOnly.Sandbox.Mode = sandbox.ReadOnly
	ask(kept, readOnly, guard.Ask)
	kept.e.tooMuch(reset, []sandbox.Violation{{Rule: sandbox.RuleUndo}})
	ask(kept, reset, guard.Ask)
	ask(newRig(t, nil), reset, guard.Ask)
}

// Programs of the sandbox are all that it sees, and what it seals stays sealed: of both
// nobody is asked, while nothing holds a command of the mode off.
func TestWhatTheSandboxHoldsIsNotAskedAbout(t *testing.T) {
	needs.Namespaces(t)
	r := newRig(t, func(c *Config) { c.Grants.Off = true })
	for command, want := range map[string]guard.Decision{
		"pkill -f vite": guard.Allow, "pkill node; git push --force": guard.Ask, "mkdir -p .claude/skills": guard.Deny,
		"touch x .envrc": guard.Deny, "git config core.hooksPath hooks": guard.Deny, "sudo make install": guard.Deny,
		"git push --force": guard.Ask, "git init -q /tmp/x && touch /tmp/x/.git/hooks/pre-commit": guard.Ask,
	} {
		req := Request{ID: "r", Command: command}
		j, err := r.e.Judge(req, r.f)
		if err != nil || j.Verdict.Decision != want {
			t.Errorf("%s: %+v, %v", command, j.Verdict, err)
		}
		req.Sandbox.Mode = sandbox.Off
		if j, err = r.e.Judge(req, r.f); err != nil || j.Verdict.Decision != guard.Ask {
			t.Errorf("%s in the mode off: %+v, %v", command, j.Verdict, err)
		}
	}
}
