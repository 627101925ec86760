package rpc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// byAPerson is what a client announces whose answers are a person's.
const byAPerson = `{"exec":{"approval":true,"grants":true}}`

// kept gives a connection a policy file of its user.
func kept(path string) func(*Options) {
	return func(o *Options) { o.Config.PolicyFile = path }
}

func rows(t *testing.T, path string) []config.GrantOptions {
	t.Helper()
	list, err := config.Granted(path)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// answered answers the next question with a decision and waits for the command.
func (c *client) answered(id, question int, params, decision string) protocol.ExecResult {
	c.t.Helper()
	c.request(id, "exec", params)
	ask, _ := c.question(question)
	c.reply(ask, fmt.Sprintf(`{"decision":%q}`, decision))
	var r protocol.ExecResult
	c.result(id, &r)
	return r
}

// What is answered with always holds in this session and in the next one, in the folder and below,
// for every spelling of the same command, and for nothing that another rule finds as well.
func TestAlwaysIsOneRowThatHoldsTomorrow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.toml")
	c := connected(t, byAPerson, "", kept(path))
	if err := os.Mkdir(filepath.Join(c.ws, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	c.request(2, "exec", `{"command":"touch ran"}`)
	id, p := c.question(1)
	want := protocol.PermanentGrant{AccessGrant: protocol.AccessGrant{Kind: "command", Value: "touch ran"}, Scope: "workspace", Folder: resolved(t, c.ws)}
	if p.Always == nil || *p.Always != want || fmt.Sprint(p.AvailableDecisions) != "[accept acceptForSession acceptAlways decline cancel edit]" {
		t.Errorf("%+v", p)
	}
	c.reply(id, `{"decision":"acceptAlways"}`)
	var r protocol.ExecResult
	c.result(2, &r)
	list := rows(t, path)
	if r.Approval.Decision != "acceptAlways" || len(list) != 1 || list[0].Command != "touch ran" || list[0].Folder != want.Folder || fmt.Sprint(list[0].Rules) != "[ask-touch]" || list[0].Given == "" {
		t.Errorf("%+v %+v", r.Approval, list)
	}
	unasked := func(c *client, dir string) {
		t.Helper()
		for i, command := range []string{"touch ran", "touch  ran", "'touch' \"ran\"", "t\\ouch ran"} {
			if r := c.exec(20+i, fmt.Sprintf(`{"command":%q,"cwd":%q}`, command, dir)); r.Approval == nil {
				t.Errorf("%s: %+v", command, r)
			}
		}
	}
	unasked(c, "")
	unasked(c, "sub")
	again := func(n, id int, c *client, params string) {
		t.Helper()
		if r := c.answered(id, n, params, "accept"); r.Approval.Decision != "accept" {
			t.Errorf("%s: %+v", params, r.Approval)
		}
	}
	again(2, 30, c, `{"command":"touch other"}`)
	again(3, 31, c, `{"command":"touch ran; git reset --hard; git push --force"}`)

	tomorrow := connected(t, byAPerson, "", kept(path), func(o *Options) {
		conf, err := o.Config.Given(list)
		if err != nil {
			t.Fatal(err)
		}
		o.Config = conf
	})
	again(1, 32, tomorrow, `{"command":"touch ran"}`) // another folder
	if len(rows(t, path)) != 1 {
		t.Error(rows(t, path))
	}
}

// An agent's client, a client that says nothing, and a folder's settings write nothing.
func TestNothingButAPersonsClientIsOfferedAlways(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.toml")
	for i, c := range []*client{
		connected(t, `{"exec":{"approval":true}}`, "", kept(path)),
		connected(t, byAPerson, "", kept("")),
	} {
		c.request(2, "exec", `{"command":"touch ran"}`)
		id, p := c.question(1)
		if p.Always != nil || strings.Contains(fmt.Sprint(p.AvailableDecisions), "Always") {
			t.Errorf("%d: %+v", i, p)
		}
		c.reply(id, `{"decision":"acceptAlways"}`)
		c.fails(2, -31003, "approvalDeclined")
		if c.ran("ran") || rows(t, path) != nil {
			t.Errorf("%d: %+v", i, rows(t, path))
		}
	}
}

// A yes that can't be written holds for this session, and the person sees that.
func TestAlwaysThatCantBeKeptIsTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(path, []byte("broken ="), 0o600); err != nil {
		t.Fatal(err)
	}
	c := connected(t, `{"exec":{"approval":true,"grants":true},"window":{"showMessage":{}}}`, "", kept(path))
	if r := c.answered(2, 1, `{"command":"touch ran"}`, "acceptAlways"); r.Approval.Decision != "acceptAlways" || !c.ran("ran") {
		t.Errorf("%+v", r)
	}
	c.wait("window/showMessage", func(m message) bool {
		return m.Method == "window/showMessage" && strings.Contains(string(m.Params), "not remembered")
	})
}

// No member of an agent's request gives it anything: each is unknown, or beyond its bounds.
func TestNoRequestOfAnAgentWidens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.toml")
	c := connected(t, `{"exec":{"approval":true}}`, "", kept(path))
	id := 10
	for _, more := range []string{
		`"grants":[{"kind":"host","value":"evil.example"}]`, `"grant":[{"read":"/"}]`, `"given":[{"kind":"write","value":"/srv"}]`,
		`"sandbox":{"given":[{"kind":"read","value":"/"}]}`, `"sandbox":{"readable":["/"]}`, `"sandbox":{"mode":"off"}`, `"sandbox":{"network":"allow"}`,
		`"sandbox":{"reads":"all"}`, `"approval":{"state":"r-AAAAAAAAAAAAAAAAAAAAAAAAAA","decision":"acceptAlways"}`,
		`"policy":{"grant":[{"host":"*"}]}`, `"always":true`,
	} {
		id++
		c.request(id, "exec", `{"command":"touch ran",`+more+`}`)
		c.fails(id, -32602, "invalidParams")
	}
	for _, kind := range []string{"host", "read", "write", "socket", "limit", "command"} {
		id++
		c.request(id, "exec/retry", fmt.Sprintf(`{"execId":"x","grants":[{"kind":%q,"value":"/"}]}`, kind))
		if a := c.answer(id); a.Error == nil {
			t.Errorf("%s is given", kind)
		}
	}
	if c.ran("ran") || rows(t, path) != nil {
		t.Error("something was given")
	}
}
