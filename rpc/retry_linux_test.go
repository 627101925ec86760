package rpc

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// outside makes a directory that is not a part of the workspace, with a file and a script
// that a guard can't read, which uses it.
func (c *client) outside(script string) string {
	c.t.Helper()
	dir := away(c.t)
	for path, text := range map[string]string{
		filepath.Join(dir, "plan.md"): "the plan\n", filepath.Join(dir, "other.md"): "the other\n",
		filepath.Join(c.ws, "use.sh"): fmt.Sprintf(script, dir),
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			c.t.Fatal(err)
		}
	}
	return dir
}

// away makes a directory where a sandbox has none of its own, as below /tmp and in the home.
func away(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/srv", "pillion-test")
	if err != nil {
		t.Skip("only root has a place outside of home and /tmp:", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// A file is read with one call after the refusal, once, and no other file with it.
func TestRetryGivesExactlyWhatWasRefused(t *testing.T) {
	needs.Namespaces(t)
	c := connected(t, byAPerson, "")
	dir := c.outside("cat %[1]s/plan.md && cat %[1]s/other.md\n")
	r := c.exec(2, `{"execId":"a","command":"sh use.sh"}`)
	want := protocol.AccessGrant{Kind: "read", Value: filepath.Join(dir, "plan.md")}
	if len(r.Violations) != 1 || r.Violations[0].Allow == nil || *r.Violations[0].Allow != want {
		t.Fatalf("%+v", r.Violations)
	}
	give := fmt.Sprintf(`{"execId":"a","grants":[{"kind":"read","value":%q}]}`, want.Value)
	c.request(3, "exec/retry", give)
	var again protocol.ExecResult
	c.result(3, &again)
	if out := again.Output["stdout"].Text; out == nil || *out != "the plan\n" || again.RetryOf != "a" || again.ExecID == "a" {
		t.Errorf("%+v", again)
	}
	if r := c.exec(4, `{"command":"sh use.sh"}`); len(r.Violations) != 1 {
		t.Errorf("it holds on: %+v", r.Violations)
	}
	c.request(5, "exec/retry", fmt.Sprintf(`{"execId":"a","grants":[{"kind":"read","value":%q}]}`, dir))
	c.fails(5, -32602, "invalidParams")
	c.request(6, "exec/retry", fmt.Sprintf(`{"execId":"a","grants":[{"kind":"write","value":%q}]}`, dir))
	c.fails(6, -32602, "invalidParams")
}

// What the sandbox refused to write is written where a person allows it, and only with their yes.
func TestRetryLetsACommandWrite(t *testing.T) {
	needs.Namespaces(t)
	c := connected(t, byAPerson, "")
	dir := c.outside("touch %[1]s/a.txt\n")
	r := c.exec(2, `{"execId":"a","command":"sh use.sh"}`)
	if len(r.Violations) != 1 || r.Violations[0].Allow == nil || r.Violations[0].Allow.Kind != "write" {
		t.Fatalf("%+v", r.Violations)
	}
	c.request(3, "exec/retry", fmt.Sprintf(`{"execId":"a","grants":[{"kind":"write","value":%q}]}`, dir))
	var again protocol.ExecResult
	c.result(3, &again)
	if data, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || len(data) != 0 {
		t.Errorf("%v %+v", err, again.Violations)
	}
}

// A host that was declined while the command ran is reached by one call, for that run.
func TestRetryOpensOneHost(t *testing.T) {
	needs.Namespaces(t)
	c := connected(t, byAPerson, "")
	c.tries()
	c.request(2, "exec", `{"execId":"a","command":"sh try.sh localhost"}`)
	id, _ := c.question(1)
	c.reply(id, `{"decision":"decline"}`)
	var r, again protocol.ExecResult
	c.result(2, &r)
	if len(r.Violations) != 1 || r.Violations[0].Allow == nil || *r.Violations[0].Allow != (protocol.AccessGrant{Kind: "host", Value: "localhost:443"}) {
		t.Fatalf("%+v", r.Violations)
	}
	c.request(3, "exec/retry", `{"execId":"a","newExecId":"b","grants":[{"kind":"host","value":"localhost:443"}]}`)
	c.result(3, &again)
	// The name is open, and the user's own network is not: no click gives that.
	if len(again.Violations) != 1 || again.Violations[0].Rule != "address" || again.Violations[0].Allow != nil || again.ExecID != "b" || again.RetryOf != "a" {
		t.Errorf("%+v", again)
	}
}

// again retries a run with the only thing that it was refused, which must be this.
func (c *client) again(id int, r protocol.ExecResult, kind, value string) (next protocol.ExecResult) {
	c.t.Helper()
	if len(r.Violations) != 1 || r.Violations[0].Allow == nil || *r.Violations[0].Allow != (protocol.AccessGrant{Kind: executor.GrantKind(kind), Value: value}) {
		c.t.Fatalf("%+v", r.Violations)
	}
	c.request(id, "exec/retry", fmt.Sprintf(`{"execId":%q,"grants":[{"kind":%q,"value":%q}]}`, r.ExecID, kind, value))
	c.result(id, &next)
	return next
}

// A limit that was too little is twice as much, as often as a person says so, for those runs.
func TestRetryRaisesOneLimit(t *testing.T) {
	needs.Namespaces(t)
	c := connected(t, byAPerson, `"limits":{"maxFileBytes":100000}`)
	const large = `{"command":"head -c 300000 /dev/zero >big"}`
	twice := c.again(3, c.exec(2, large), "limit", "maxFileBytes=200000")
	four := c.again(4, twice, "limit", "maxFileBytes=400000")
	if four.ExitCode == nil || *four.ExitCode != 0 || len(four.Violations) != 0 {
		t.Errorf("%+v", four)
	}
	if r := c.exec(5, large); len(r.Violations) != 1 || r.Violations[0].Allow.Value != "maxFileBytes=200000" {
		t.Errorf("it holds on: %+v", r.Violations)
	}
}

// A socket of the host is reached for one run. What acts for the user there is no click's to give.
func TestRetryOpensOneSocket(t *testing.T) {
	needs.Namespaces(t)
	const dial = `use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die; connect($s, sockaddr_un($ARGV[0])) or die "$ARGV[0]: $!"; print <$s>;`
	c := connected(t, byAPerson, "")
	dir := c.outside("perl -e '" + dial + "' %[1]s/$1\n")
	for _, name := range []string{"db.sock", "agent.sock"} {
		l, err := net.Listen("unix", filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = conn.Write([]byte("hello\n"))
				_ = conn.Close()
			}
		}()
	}
	r := c.again(3, c.exec(2, `{"command":"sh use.sh db.sock"}`), "socket", filepath.Join(dir, "db.sock"))
	if out := r.Output["stdout"].Text; out == nil || *out != "hello\n" {
		t.Errorf("%+v", r)
	}
	if r := c.exec(4, `{"command":"sh use.sh agent.sock"}`); len(r.Violations) != 1 || r.Violations[0].Allow != nil || r.Violations[0].Grant == "" {
		t.Errorf("%+v", r.Violations)
	}
}

// An agent's client, and a client that asks nobody, can't give anything.
func TestRetryIsForAPersonsClientOnly(t *testing.T) {
	for _, capabilities := range []string{`{}`, `{"exec":{"approval":true}}`, `{"exec":{"grants":true}}`, `{"exec":{"grants":true,"approvalRetry":true}}`} {
		c := connected(t, capabilities, "")
		c.request(2, "exec/retry", `{"execId":"a","grants":[]}`)
		c.fails(2, -32600, "invalidRequest")
	}
}
