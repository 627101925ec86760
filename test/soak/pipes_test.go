//go:build linux

package soak

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
)

// An editor that is killed, or an ssh, takes all of the pipes with it at once. What
// the sidecar logs then must not end it as a signal: it has things to put away.
func TestAnEditorGoneWithAllItsPipesLeavesNothing(t *testing.T) {
	long.Test(t)
	d := newDirs(t)
	cmd := exec.Command(build(t, d), "serve")
	cmd.Env = d.environ()
	in, err := cmd.StdinPipe()
	check(t, err)
	out, err := cmd.StdoutPipe()
	check(t, err)
	log, err := cmd.StderrPipe()
	check(t, err)
	check(t, cmd.Start())
	say := func(body string) {
		_, err := fmt.Fprintf(in, "Content-Length: %d\r\n\r\n%s", len(body), body)
		check(t, err)
	}
	say(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"workspaceFolders":[{"uri":"file://%s","name":"ws"}],"capabilities":{}}}`, d.workspace))
	say(`{"jsonrpc":"2.0","id":2,"method":"exec","params":{"command":"sleep 600 & sleep 600"}}`)
	_, err = bufio.NewReader(out).ReadString('\n') // it is up
	check(t, err)
	_, _, _ = out.Close(), log.Close(), in.Close()
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("it ended with %s", cmd.ProcessState)
	}
	if left := survivors(d.root); len(left) > 0 {
		t.Errorf("still alive: %q", left)
	}
	for _, dir := range []string{"/state/pillion/sandboxes", "/cache/pillion/spool"} {
		if left, _ := os.ReadDir(d.root + dir); len(left) > 0 {
			t.Errorf("left in %s: %v", dir, left)
		}
	}
}

// The sidecar doesn't die of a broken pipe, its commands do: "yes | head" has to end.
func TestCommandsStillDieOfABrokenPipe(t *testing.T) {
	long.Test(t)
	d := newDirs(t)
	e := open(t, build(t, d), d, "{}")
	if a := e.call("exec", `{"argv":["sh","-c","kill -PIPE $$; echo survived"]}`); !strings.Contains(string(a.Result), `"signal":"SIGPIPE"`) {
		t.Errorf("%.300s", a.Result)
	}
	if code := e.close(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
