package rpc

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// What a command lacks is asked about instead of denied; the yes gives exactly that, for its run.
func TestMissingAccessIsAQuestion(t *testing.T) {
	needs.Namespaces(t)
	c := connected(t, byAPerson, "", kept(filepath.Join(t.TempDir(), "policy.toml")))
	dir := c.outside("")
	plan := filepath.Join(dir, "plan.md")
	read := fmt.Sprintf(`{"command":"cat %s"}`, plan)
	c.request(2, "exec", read)
	id, p := c.question(1)
	want := protocol.AccessGrant{Kind: "read", Value: plan}
	if len(p.Gives) != 1 || p.Gives[0] != want || len(p.Findings) != 1 || p.Findings[0].Decision != "ask" {
		t.Errorf("%+v", p)
	}
	c.reply(id, `{"decision":"accept"}`)
	var r protocol.ExecResult
	c.result(2, &r)
	if out := r.Output["stdout"].Text; out == nil || *out != "the plan\n" || r.Approval.Decision != "accept" {
		t.Errorf("%+v", r)
	}
	c.request(3, "exec", read)
	id, _ = c.question(2)
	c.reply(id, `{"decision":"decline"}`)
	c.fails(3, -31003, "approvalDeclined")

	c.answered(4, 3, fmt.Sprintf(`{"command":"echo x >%s/made"}`, dir), "accept")
	if _, err := os.Stat(filepath.Join(dir, "made")); err != nil {
		t.Error(err)
	}
	c.answered(5, 4, read, "acceptForSession")
	if r := c.exec(6, read); r.Approval == nil || *r.Output["stdout"].Text != "the plan\n" {
		t.Errorf("%+v", r)
	}
}

// Other questions about the same command are in the same question.
func TestMissingAccessIsAskedAboutWithTheRest(t *testing.T) {
	needs.Namespaces(t)
	c := connected(t, byAPerson, "", kept(filepath.Join(t.TempDir(), "policy.toml")))
	dir := c.outside("")
	c.request(2, "exec", fmt.Sprintf(`{"command":"cp %s/plan.md . && touch ran"}`, dir))
	id, p := c.question(1)
	if len(p.Gives) != 1 || len(p.Findings) != 2 || p.Always != nil {
		t.Errorf("%+v", p)
	}
	c.reply(id, `{"decision":"accept"}`)
	c.result(2, new(protocol.ExecResult))
	if !c.ran("ran") || !c.ran("plan.md") {
		t.Error("not run")
	}
}

// Work in another folder is asked about: what only looks there gets it to read, a program that
// may do anything gets it to write in.
func TestWorkInAnotherFolderIsAQuestion(t *testing.T) {
	needs.Namespaces(t)
	c := connected(t, byAPerson, "", kept(filepath.Join(t.TempDir(), "policy.toml")))
	dir := c.outside("")
	for i, ask := range []struct{ command, kind string }{
		{"cd %s && grep -r plan .", "read"},
		{"cd %s && cat plan.md && ls", "read"},
		{"cd %s && cat plan.md; make -n || touch made", "write"},
	} {
		c.request(10+i, "exec", fmt.Sprintf(`{"command":%q}`, fmt.Sprintf(ask.command, dir)))
		id, p := c.question(i + 1)
		if want := (protocol.AccessGrant{Kind: executor.GrantKind(ask.kind), Value: dir}); len(p.Gives) != 1 || p.Gives[0] != want {
			t.Errorf("%s: %+v", ask.command, p.Gives)
		}
		c.reply(id, `{"decision":"accept"}`)
		var r protocol.ExecResult
		c.result(10+i, &r)
		if r.ExitCode == nil || *r.ExitCode != 0 {
			t.Errorf("%s: %+v", ask.command, r)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err != nil {
		t.Error(err)
	}
	c.request(2, "exec", fmt.Sprintf(`{"command":"cd %s && touch made"}`, dir))
	id, _ := c.question(4) // a yes is for its run
	c.reply(id, `{"decision":"decline"}`)
	c.fails(2, -31003, "approvalDeclined")
}

// Always is one row of the user's policy, for every command of this session and of tomorrow's,
// and gives nothing else.
func TestMissingAccessIsRemembered(t *testing.T) {
	needs.Namespaces(t)
	path := filepath.Join(t.TempDir(), "policy.toml")
	c := connected(t, byAPerson, "", kept(path))
	dir := c.outside("")
	plan := filepath.Join(dir, "plan.md")
	c.answered(2, 1, fmt.Sprintf(`{"command":"cat %s"}`, plan), "acceptAlways")
	list := rows(t, path)
	if len(list) != 1 || list[0].Read != plan {
		t.Fatalf("%+v", list)
	}
	unasked := func(c *client, question int) {
		t.Helper()
		if r := c.exec(3, fmt.Sprintf(`{"command":"wc -l < %s"}`, plan)); r.ExitCode == nil || *r.ExitCode != 0 || r.Approval != nil {
			t.Errorf("%+v", r)
		}
		c.request(4, "exec", fmt.Sprintf(`{"command":"cat %s %s/other.md"}`, plan, dir))
		id, p := c.question(question)
		if len(p.Gives) != 1 || p.Gives[0].Value != filepath.Join(dir, "other.md") {
			t.Errorf("%+v", p)
		}
		c.reply(id, `{"decision":"decline"}`)
	}
	unasked(c, 2)
	unasked(connected(t, byAPerson, "", kept(path), func(o *Options) {
		conf, err := o.Config.Given(list)
		if err != nil {
			t.Fatal(err)
		}
		o.Config = conf
	}), 1)
}

// Credentials, what tools obey, the whole home, the system and whatever else is wrong stay denied,
// and so does what somebody has decided, for a person as well as for an agent.
func TestNoQuestionGivesMoreThanAccess(t *testing.T) {
	home := away(t)
	for _, file := range []string{".ssh/id_rsa", ".aws/credentials", ".bashrc", "notes"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, file)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	policy := kept(filepath.Join(t.TempDir(), "policy.toml"))
	c := connected(t, byAPerson, "", policy, func(o *Options) { o.Config.Home = home })
	dir := c.outside("")
	if err := os.MkdirAll(filepath.Join(dir, ".git", "hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i, command := range []string{
		"cat ~/.ssh/id_rsa", "cat ~/.aws/credentials", "ls ~", "ls /", "cat /etc/shadow", "echo x >/etc/motd", "echo x >/usr/bin/x",
		"echo x >~/.bashrc", "echo x >" + dir + "/.git/hooks/post-commit", "cat " + dir + "/nothing", "echo x >" + dir + "/nowhere/x",
		"rm -rf " + dir, "cat " + dir + "/plan.md; rm -rf /usr", "cat " + dir + "/*", "echo x >~/y", "cat " + dir + "/plan.md ~/.ssh/id_rsa",
		"cd && touch x", "cd / && make", "cd ~/.ssh && ls", "cd " + dir + "/.git && touch x", "cd " + dir + "/nowhere && make",
	} {
		t.Log(command)
		c.request(10+i, "exec", fmt.Sprintf(`{"command":%q}`, command))
		c.fails(10+i, -31001, "guardDenied")
	}
	for _, other := range []*client{
		connected(t, `{"exec":{"approval":true}}`, "", policy),
		connected(t, byAPerson, "", policy, func(o *Options) {
			o.Config.Guard.Decisions = map[string]guard.Decision{"fs/read-outside": guard.Deny}
		}),
	} {
		other.request(2, "exec", fmt.Sprintf(`{"command":"cat %s/plan.md"}`, dir))
		other.fails(2, -31001, "guardDenied")
	}
}
