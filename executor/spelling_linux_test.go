package executor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/executor/grant"
	"github.com/pillion-sidecar/pillion/executor/render"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/long"
)

// spellings are other ways to write a command, by what is done to it. Those of plain are
// words without a quote or any other sign that a shell knows.
func spellings(command, cwd string) map[string]string {
	quoted := "'" + strings.ReplaceAll(command, "'", `'\''`) + "'"
	all := map[string]string{
		"blanks": "  " + command + "  ", "brackets": "(" + command + ")", "braces": "{ " + command + "; }",
		"a shell": "sh -c " + quoted, "eval": "eval " + quoted, "a function": "f() { " + command + "; }; f",
		"a loop": "for i in 1; do " + command + "; done", "the same folder": "cd . && " + command,
		"the folder's path": "cd " + cwd + " && " + command, "its errors": command + " 2>&1", "no output": command + " >/dev/null",
	}
	if strings.ContainsAny(command, "'\"\\$`;&|<>(){}*?[]~#=!\n\t^%") {
		return all
	}
	words := strings.Fields(command)
	last := len(words) - 1
	all["env"], all["command"] = "env "+command, "command "+command
	all["quotes"] = "'" + strings.Join(words, "' '") + "'"
	all["other quotes"] = `"` + strings.Join(words, `"  "`) + `"`
	all["a variable"] = "x=" + words[0] + `; "$x" ` + strings.Join(words[1:], " ")
	all["a variable behind"] = "y=" + words[last] + "; " + strings.Join(words[:last], " ") + ` "$y"`
	if words[0] == "git" {
		all["a path"] = "/usr/bin/" + command
	}
	return all
}

// What was granted is not asked about again, however it is written.
func TestAGrantHoldsForEverySpelling(t *testing.T) {
	r, _ := asking(t, func(c *Config) {
		c.Guard = guard.DefaultPolicy()
		c.Remember = func(Permanent) error { return nil }
	}, choose(Decline))
	told, tried, failed := 0, 0, map[string][]string{}
	for i, command := range long.Part(r.labelled(), 5) {
		if i%3 != 0 { // of every kind enough, in a few seconds
			continue
		}
		q := r.pose(command)
		if q == nil || q.denied || q.rule == nil {
			continue
		}
		all := spellings(command, r.ws)
		if !q.verdict.Told { // a pipe, a glob: what it does is not told by its programs alone
			all = map[string]string{"blanks": all["blanks"]}
		}
		told++
		var session grant.List
		session.Add(*q.rule)
		requests := map[string]Request{"no shell of ours": direct("sh", "-c", command)}
		if !q.verdict.Told {
			clear(requests)
		} else if words := strings.Fields(command); all["quotes"] != "" {
			requests["no shell"], requests["env without a shell"] = direct(words...), direct(append([]string{"env"}, words...)...)
		}
		for how, text := range all {
			requests[how] = sh(text)
		}
		for how, req := range requests {
			text := said(req)
			tried++
			again := r.posing(req)
			if again == nil {
				continue // nobody is asked
			}
			if again.denied {
				failed[how] = append(failed[how], "denied: "+text)
				continue
			}
			if _, ok := session.Use(again.want, ""); !ok {
				failed[how] = append(failed[how], fmt.Sprintf("%s\n%s%s", text, again.verdict.Meaning, q.verdict.Meaning))
			} else if q.always != nil && q.always.Standing != nil &&
				!q.always.Standing.AllowsSpelled(again.want, func(render.Text) string { return q.verdict.Meaning }) {
				t.Errorf("for the session but not always: %s", text)
			}
		}
	}
	for how, list := range failed {
		slices.Sort(list)
		t.Errorf("%d of %d are asked about again behind %s, such as\n%s", len(list), told, how, list[len(list)/2])
	}
	t.Logf("%d commands, %d spellings", told, tried)
}

// Without a shell, too, a yes covers what does the same, and nothing that only looks alike.
func TestAGrantWithoutAShellHoldsForTheSameAlone(t *testing.T) {
	r, _ := asking(t, func(c *Config) {
		c.Guard = guard.DefaultPolicy()
		c.Remember = func(Permanent) error { return nil }
	}, choose(Decline))
	const push = "git push --force origin main"
	given := r.posing(direct(strings.Fields(push)...))
	standing := given.always.Standing
	for _, req := range []Request{sh(push), sh("sh -c '" + push + "'"), direct("sh", "-c", push)} {
		q := r.posing(req)
		if !standing.AllowsSpelled(q.want, func(render.Text) string { return given.verdict.Meaning }) {
			t.Errorf("%q is asked about again", said(req))
		}
		narrow, wide := *q.want, *q.want
		narrow.Mode, wide.Mode = sandbox.ReadOnly, sandbox.Off
		for rule, want := range map[*grant.Rule]bool{&narrow: true, &wide: false} {
			if standing.AllowsSpelled(rule, func(render.Text) string { return given.verdict.Meaning }) != want {
				t.Errorf("given in %s, it holds in %s: %t", standing.Mode, rule.Mode, !want)
			}
		}
	}
	for _, req := range []Request{
		direct("sh", "-c", "GIT_DIR=x "+push), direct("env", "GIT_DIR=x", "git", "push", "--force", "origin", "main"), sh("GIT_DIR=x " + push),
		direct("sh", "-c", push+" | sh"), direct("sh", "-c", push+" >f"), direct("sh", "-c", push, "git"), direct("sh", "-c", push+` "$@"`, "sh", "--all"),
		direct("sh", "-c", "cd .. && "+push), direct("bash", "-c", "git() { rm -r src; }; "+push), direct("sh", "-ec", push+"; git push --force origin x"),
		direct("./git", "push", "--force", "origin", "main"), direct("git", "push", "--force", "origin", "main x"), direct("git", "push", "--force", "origin main"),
		direct("git", "-C", "sub", "push", "--force", "origin", "main"), direct("git", "push", "--force", "origin", "main", ""), sh("git push --force origin ma*n"),
	} {
		q := r.posing(req)
		if q != nil && !q.denied && standing.AllowsSpelled(q.want, func(render.Text) string { return given.verdict.Meaning }) {
			t.Errorf("a yes to %q covers %q", push, said(req))
		}
	}
}
