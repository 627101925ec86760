package rpc

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/test/box"
)

// set sends settings.
func (c *client) set(settings string) {
	c.t.Helper()
	c.notify("workspace/didChangeConfiguration", fmt.Sprintf(`{"settings":%s}`, settings))
}

// told counts what a person was shown.
func (c *client) told() (texts []string) {
	for _, m := range c.all() {
		if strings.HasPrefix(m.Method, "window/") {
			texts = append(texts, string(m.Params))
		}
	}
	return texts
}

// Whatever is not an object of known settings changes nothing, and each time a
// person learns what was wrong.
func TestSettingsThatAreMalformedChangeNothing(t *testing.T) {
	c := ready(t)
	for i, tt := range []struct{ settings, says string }{
		{`7`, "pillion: expected an object"},
		{`"x"`, "an object"},
		{`[{"sandbox":{"mode":"read-only"}}]`, "an object"},
		{`{"pillion":true}`, "an object"},
		{`{"pillion":{"sandbox":{"mode":"readonly"}}}`, `pillion.sandbox.mode: expected one of`},
		{`{"pillion":{"Sandbox":{"mode":"read-only"}}}`, "did you mean sandbox?"},
		{`{"pillion":{"sandbox":{"mode":"read-only"},"sandbox":{"mode":"read-only"}}}`, "once"},
		{`{"pillion":{"sandbox":{"mode":"read-only"}},"pillion":{}}`, "once"},
		{`{"pillion":{"sandbox":{"mode":"read-only\u0000"}}}`, "NUL"},
		{`{"pillion":{"sandbox":{"mode":"read-only"},"protocolVersion":2}}`, "pillion.protocolVersion: expected 1, as it was at initialize"},
		{`{"pillion":{"sandbox":{"mode":"read-only"},"executeCommand":true}}`, "pillion.executeCommand: expected false, as it was at initialize"},
		{`{"pillion":{"sandbox":{"mode":"read-only"},"trace":{"server":"verbose"}}}`, "pillion.trace"},
		{`{"gopls":{}}`, "pillion.gopls"},
		{`{"pillion":{"sandbox":{"mode":"read-only"},"limits":{"timeoutMs":"1"}}}`, "pillion.limits.timeoutMs: expected an integer"},
		{`{"pillion":{"sandbox":{"mode":"read-only"},"policy":{"rules":{"fs/none":"deny"}}}}`, "pillion.policy.rules.fs/none"},
		{`{"pillion":{"sandbox":{"mode":"read-only"},"onBackground":"leave"}}`, "pillion.onBackground"},
		{`{"pillion":{"sandbox":{"mode":"read-only"},"policy":{"allowPatterns":["("]}}}`, "pillion.policy.allowPatterns.0"},
	} {
		c.forget()
		c.set(tt.settings)
		r := c.exec(10+i, `{"command":"true"}`)
		if told := c.told(); len(told) != 1 || !strings.Contains(strings.ReplaceAll(told[0], `\"`, `"`), tt.says) {
			t.Errorf("%s: told %q", tt.settings, told)
		}
		if r.PolicyRevision != 1 || r.Sandbox.Mode != "workspace-write" {
			t.Errorf("%s: %+v", tt.settings, r)
		}
	}
}

// Helix sends its initializationOptions as settings, too.
func TestSettingsMayRepeatWhatInitializeWasTold(t *testing.T) {
	c := ready(t)
	c.set(`{"protocolVersion":1,"executeCommand":false,"sandbox":{"mode":"read-only"}}`)
	if r := c.exec(2, `{"command":"true"}`); r.PolicyRevision != 2 || r.Sandbox.Mode != "read-only" || len(c.told()) != 0 {
		t.Errorf("%+v %v", r, c.told())
	}
}

func TestSettingsThatSayNothingChangeNothing(t *testing.T) {
	c := ready(t)
	c.set(`null`)
	c.notify("workspace/didChangeConfiguration", `{}`)
	c.set(`{}`)
	c.set(`{"pillion":null}`)
	if r := c.exec(2, `{"command":"true"}`); r.PolicyRevision != 1 || len(c.told()) != 0 {
		t.Errorf("%+v %v", r, c.told())
	}
}

// The revision counts changes; sending the same again doesn't count.
func TestSettingsThatAreInForceChangeNothing(t *testing.T) {
	c := ready(t)
	for range 3 {
		c.set(`{"pillion":{"limits":{"timeoutMs":5000}}}`)
	}
	if r := c.exec(2, `{"command":"true"}`); r.PolicyRevision != 2 {
		t.Errorf("%+v", r)
	}
}

// An editor sends all settings with every change of one of them.
func TestSettingsThatAreRefusedAgainAreNotToldAgain(t *testing.T) {
	c := ready(t)
	for range 5 {
		c.set(`{"sandbox":{"mode":"off"}}`)
	}
	c.set(`{}`)
	c.set(`{"sandbox":{"mode":"off"}}`)
	c.exec(2, `{"command":"true"}`)
	if told := c.told(); len(told) != 2 {
		t.Errorf("%q", told)
	}
}

// What a person reads about settings may be a repository's text.
func TestSettingsAreShownEscaped(t *testing.T) {
	c := ready(t)
	c.set(`{"sandbox":{"mode":"\u001b]52;c;x\u0007\u202e"}}`)
	c.exec(2, `{"command":"true"}`)
	if told := c.told(); len(told) != 1 || strings.ContainsAny(told[0], "\x1b\u202e") || len(told[0]) > 4*maxShown {
		t.Errorf("%q", told)
	}
}

func TestSettingsOfAnApprovalFallback(t *testing.T) {
	c := connected(t, `{}`, `"approvals":{"fallback":"showMessageRequest"}`)
	c.set(`{"approvals":{"fallback":"deny"}}`)
	c.request(2, "exec", `{"command":"touch ran"}`)
	c.fails(2, -31002, "approvalRequired")
	c.set(`{}`)
	c.request(3, "exec", `{"command":"touch ran"}`)
	m := c.asked("window/showMessageRequest", 1)
	c.reply(string(m.ID), `{"title":"Run once"}`)
	if c.result(3, new(protocol.ExecResult)); !c.ran("ran") {
		t.Error("it did not run")
	}
}

// An approval that waits is for the settings it was asked under; what runs after
// it, too.
func TestSettingsDoNotReachACommandThatWaitsForAPerson(t *testing.T) {
	c := asking(t, "")
	c.request(2, "exec", `{"command":"touch ran"}`)
	id, _ := c.question(1)
	c.set(`{"sandbox":{"mode":"read-only"}}`)
	c.reply(id, `{"decision":"accept"}`)
	var r protocol.ExecResult
	if c.result(2, &r); r.PolicyRevision != 1 || !c.ran("ran") {
		t.Errorf("%+v", r)
	}
}

// Limits of the queue are the new ones at once, and what waits keeps its place.
func TestSettingsReportTheirLimits(t *testing.T) {
	c := ready(t)
	c.set(`{"limits":{"maxCommandBytes":4}}`)
	c.request(2, "exec", `{"command":"echo too long"}`)
	if data := c.fails(2, -32602, "invalidParams"); data["expected"] != "at most 4 bytes" {
		t.Errorf("%v", data)
	}
}

func pulling(t *testing.T) *client {
	t.Helper()
	c := start(t)
	c.request(1, "initialize", fmt.Sprintf(`{"workspaceFolders":[{"uri":%q}],"capabilities":{"workspace":{"configuration":true}}}`, "file://"+c.ws))
	c.result(1, new(protocol.InitializeResult))
	c.notify("initialized", "{}")
	return c
}

// revised waits for a revision of the policy.
func (c *client) revised(id, revision int) (r protocol.ExecResult) {
	c.t.Helper()
	for begin := time.Now(); time.Since(begin) < patience; id++ {
		if r = c.exec(id, `{"command":"true"}`); r.PolicyRevision >= revision {
			return r
		}
	}
	c.t.Fatalf("still %+v", r)
	return r
}

// However often they change while the client is asked, it is asked once more, and
// what it says last counts.
func TestPulledSettingsAreAskedForOnceMore(t *testing.T) {
	c := pulling(t)
	m := c.asked("workspace/configuration", 1)
	for range 20 {
		c.set(`null`)
	}
	c.reply(string(m.ID), `[{"sandbox":{"mode":"read-only"}}]`)
	m = c.asked("workspace/configuration", 2)
	c.reply(string(m.ID), `[{}]`)
	if r := c.revised(100, 3); r.Sandbox.Mode != "workspace-write" {
		t.Errorf("%+v", r)
	}
	n := 0
	for _, m := range c.all() {
		if m.Method == "workspace/configuration" {
			n++
		}
	}
	if n != 2 {
		t.Errorf("asked %d times", n)
	}
}

// Settings that came by themselves are newer than an answer that is still on its
// way.
func TestPushedSettingsCountBeforeAnOldAnswer(t *testing.T) {
	c := pulling(t)
	m := c.asked("workspace/configuration", 1)
	c.set(`{"sandbox":{"mode":"read-only"}}`)
	c.reply(string(m.ID), `[{}]`)
	time.Sleep(50 * time.Millisecond)
	if r := c.exec(2, `{"command":"true"}`); r.PolicyRevision != 2 || r.Sandbox.Mode != "read-only" {
		t.Errorf("%+v", r)
	}
}

func TestPulledSettingsNeedAProperAnswer(t *testing.T) {
	for _, answer := range []string{
		`"result":null`, `"result":{}`, `"result":[]`, `"result":[{},{}]`, `"error":{"code":-32601,"message":"x"}`,
		`"result":[{}],"result":[{"sandbox":{"mode":"read-only"}}]`,
	} {
		c := pulling(t)
		m := c.asked("workspace/configuration", 1)
		c.body(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer))
		c.wait("a message", func(m message) bool { return m.Method == "window/logMessage" })
		if r := c.exec(2, `{"command":"true"}`); r.PolicyRevision != 1 {
			t.Errorf("%s: %+v", answer, r)
		}
	}
}

// A client that never answers costs one goroutine and holds nobody up.
func TestAClientThatDoesNotAnswerIsNotWaitedFor(t *testing.T) {
	c := pulling(t)
	m := c.asked("workspace/configuration", 1)
	c.exec(2, `{"command":"true"}`)
	c.request(3, "shutdown", `null`)
	c.wait("the request taken back", func(o message) bool {
		return o.Method == "$/cancelRequest" && strings.Contains(string(o.Params), string(m.ID))
	})
	c.answer(3)
	c.notify("exit", "{}")
	if code := c.exited(); code != 0 {
		t.Error(code)
	}
}

// Folders come with the policy files in them: no command sees the one without the
// other, and what runs keeps both.
func TestFoldersAndTheirPolicyChangeTogether(t *testing.T) {
	c := ready(t)
	strict := filepath.Join(filepath.Dir(c.ws), "strict")
	if err := os.Mkdir(strict, 0o755); err != nil {
		t.Fatal(err)
	}
	writePolicy(t, strict, "[sandbox]\nmode = \"read-only\"\n")
	uri := func(dir string) string { return fmt.Sprintf(`[{"uri":%q,"name":"x"}]`, "file://"+dir) }
	c.request(2, "exec", `{"command":"echo begun; until [ -e go ]; do sleep 0.02; done; pwd; touch end","partialResultToken":"t"}`)
	c.wait("output", func(m message) bool { return strings.Contains(string(m.Params), "begun") })
	for i := range 8 {
		from, to, mode := c.ws, strict, "read-only"
		if i%2 == 1 {
			from, to, mode = strict, c.ws, "workspace-write"
		}
		c.notify("workspace/didChangeWorkspaceFolders", fmt.Sprintf(`{"event":{"added":%s,"removed":%s}}`, uri(to), uri(from)))
		c.request(100+i, "exec", fmt.Sprintf(`{"command":"pwd","cwd":%q}`, from))
		c.fails(100+i, -31007, "pathOutsideWorkspace")
		if r := c.exec(200+i, `{"command":"pwd"}`); string(r.Sandbox.Mode) != mode || r.PolicyRevision != i+2 || stdout(r) != resolved(t, to)+"\n" {
			t.Errorf("%d: %+v", i, r)
		}
	}
	c.exec(3, `{"command":"touch go"}`)
	var old protocol.ExecResult
	if c.result(2, &old); old.PolicyRevision != 1 || old.Sandbox.Mode != "workspace-write" || !c.ran("end") {
		t.Errorf("%+v", old)
	}
}

// The engine and the folders that are taken together belong together.
func TestNobodySeesHalfAChange(t *testing.T) {
	b, err := box.Manager()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{conf: testConfig(t), folders: folderState{revision: 1}}
	first := s.engineConfig(s.conf)
	first.SpoolDir, first.Sandbox, first.Log = s.conf.SpoolDir, b, slog.New(slog.DiscardHandler)
	if s.engine, err = executor.New(first); err != nil {
		t.Fatal(err)
	}
	defer s.engine.Stop(executor.Gone, 0)
	file, err := config.ParseWorkspace(config.WorkspaceFileName, []byte("[limits]\nmaxCommandBytes = 7\n"))
	if err != nil {
		t.Fatal(err)
	}
	var scope conc.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for range 2 {
		scope.Go(func() {
			for i := 0; i < 200; i++ {
				s.changing.Lock()
				f := s.folders
				f.files = nil
				if i%2 == 0 {
					f.files = []*config.WorkspaceFile{file}
				}
				s.govern(s.configuration(), f)
				s.changing.Unlock()
			}
			stop()
		})
	}
	for ctx.Err() == nil {
		s.mu.Lock()
		limit, files, revision := s.engine.Limits().MaxCommandBytes, len(s.folders.files), s.folders.revision
		s.mu.Unlock()
		if (limit == 7) != (files == 1) {
			t.Fatalf("revision %d: limit %d with %d files", revision, limit, files)
		}
	}
	scope.Wait()
	if s.folders.revision != 1+400 {
		t.Errorf("revision %d", s.folders.revision)
	}
}
