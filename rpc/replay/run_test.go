package replay

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// pid is a process that surely lives.
var pid = strconv.Itoa(os.Getpid())

const execScript = "a title\n-- flags --\ntimeout=1m\n-- ws/f.txt --\nhi\n-- script --\n" +
	`→ #7 exec {"command":"x","partialResultToken":"t"}` + "\n"

func TestRunPasses(t *testing.T) {
	for name, script := range map[string]string{
		"in order": `← $/progress {"token":"t","value":{"type":"started","pid":"<$pid:int>"}}
			←~ t stdout "hel"
			←~ t stdout "lo"
			← #7 {"exitCode":0,"pid":"$pid"}
			✗ $/progress 20ms`,
		"any order": `← {
			← #7 {"exitCode":0}
			← $/progress {"value":{"type":"started"}}
}`,
		"verbs": `! fs f.txt content "hi\n"
			! fs $WS/f.txt exists
			! fs g.txt absent
			! noproc 999999999
			! stderr "fake"
			! sleep 1ms
			← #7 {}
			! within 1s #7`,
		"an end of its own": `← #7 {}
			→ #8 shutdown
			← #8 null
			→ exit
			! exit 0`,
		"end of input": `← #7 {}
			! eof
			! exit 1`,
	} {
		t.Run(name, func(t *testing.T) {
			if err := play(t, fake{"exec": execAnswer}, "f.rpc.txtar", execScript+script, false); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRunFails(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		exec   []string
		want   string
	}{
		"wrong value":       {"← #7 {\"exitCode\":1}", execAnswer, "f.rpc.txtar:8: a title\n  expected: ← #7 {\"exitCode\":1}\n  got:      /exitCode: expected 1, got 0"},
		"order":             {"← #7 {}\n! eof\n← $/progress {\"token\":\"t\",\"value\":{\"type\":\"started\"}}", execAnswer, "f.rpc.txtar:10"},
		"came earlier":      {"← #7 {}\n← #7 {}", execAnswer, "the response came earlier, as frame 4"},
		"exact":             {"←= #7 {\"exitCode\":0}", execAnswer, "/execId: expected no such member"},
		"bytes":             {"←~ t stdout \"help\"", execAnswer, `"hell"`},
		"too few bytes":     {"← #7 {}\n←~ t stdout \"hello!\"", execAnswer, `only "hello" came`},
		"never":             {"✗ $/progress {\"value\":{\"type\":\"started\"}} 1m", execAnswer, "frame 1"},
		"an error":          {"← #7 {}", []string{`{"jsonrpc":"2.0","id":$ID,"error":{"code":-31001,"message":"no","data":` + errData + `}}`}, "got:      an error"},
		"exec is over":      {"← $/progress {\"token\":\"t\",\"value\":{\"type\":\"gap\"}}", execAnswer, "the exec is over"},
		"invariant":         {"← #7 {}", append(execAnswer[:4:4], execAnswer[1]), "O2"},
		"invariant at end":  {"← #7 {}\n! sleep 20ms", append(execAnswer[:4:4], execAnswer[3]), "O1: a second response"},
		"exit code":         {"← #7 {}\n! eof\n! exit 0", execAnswer, "exit code 1"},
		"unanswered":        {"→ #8 server/status", execAnswer, "O1: server/status 8 was never answered"},
		"garbage":           {"← #7 {}", []string{`{"jsonrpc":"2.0","id":$ID,"result":1,"x":1}`}, "framing: not a JSON-RPC message"},
		"nothing":           {"← #7 {}", nil, "nothing came until"},
		"process lives":     {"! noproc " + pid + " 10ms", execAnswer, "is alive"},
		"file":              {"! fs g.txt exists", execAnswer, "no such file"},
		"a left over frame": {"! raw \"\"\n← #null error -32600", nil, "nothing came"},
	} {
		t.Run(name, func(t *testing.T) {
			text := execScript + c.script
			if strings.HasPrefix(c.want, "nothing came") {
				text = strings.Replace(text, "1m", "300ms", 1) // only these wait until it is over
			}
			err := play(t, fake{"exec": c.exec}, "f.rpc.txtar", text, false)
			var f *Failure
			if !errors.As(err, &f) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
}

func TestFailureShowsTheLastFrames(t *testing.T) {
	err := play(t, fake{"exec": execAnswer}, "f.rpc.txtar", execScript+"← #7 {\"exitCode\":1}", false)
	if err == nil || !strings.Contains(err.Error(), `ms {"jsonrpc":"2.0","id":7,"result"`) || !strings.Contains(err.Error(), "stderr: fake sidecar") {
		t.Error(err)
	}
}

func TestUnmetNeedsAreToldApart(t *testing.T) {
	for _, need := range []string{"sandbox:workspace-write", "cmd:no-such-command"} {
		err := play(t, fake{}, "f.rpc.txtar", "t\n-- flags --\nneeds="+need+"\n-- script --\n! sleep 1ms\n", false)
		if u := (*Unmet)(nil); !errors.As(err, &u) || u.Need != need {
			t.Errorf("%s: %v", need, err)
		}
	}
	if err := play(t, fake{}, "f.rpc.txtar", "t\n-- flags --\nneeds=sandbox:read-only\n-- script --\n! sleep 1ms\n", false); err != nil {
		t.Error(err)
	}
}

func TestUpdateKeepsCapturesAndPlaceholders(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.rpc.txtar")
	text := strings.Replace(execScript, "-- script", "-- golden/f.txt --\nold\n-- script", 1) + `! goldens
←= #7 {"execId":"a","pid":"<$pid:int>",
  "exitCode":3,"gone":true}
! noproc $pid
`
	f := fake{"exec": execAnswer}
	if err := play(t, f, file, text, true); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"pid": "<$pid:int>"`, `"exitCode": 0`, "-- golden/f.txt --\nhi\n", "! noproc $pid\n"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(string(got), "gone") {
		t.Errorf("stale member in\n%s", got)
	}
	if err := play(t, f, file, string(got), false); err != nil {
		t.Errorf("the updated file does not pass: %v", err)
	}
}
