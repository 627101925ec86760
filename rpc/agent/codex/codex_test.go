package codex_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/rpc/agent/codex"
	"github.com/pillion-sidecar/pillion/rpc/client"
	"github.com/pillion-sidecar/pillion/test/hostile"
	"github.com/pillion-sidecar/pillion/test/long"
)

// refuses is a session in which nothing may run: what is tested here is the server's
// own part. testdata/cli/codex.txt has real commands.
type refuses struct{ calls *atomic.Int32 }

func (r refuses) Call(context.Context, string, any, any) error {
	r.calls.Add(1)
	return errors.New("refused")
}

func (refuses) Close(context.Context) error { return nil }

type answer struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// talk sends lines to a server in dir and returns its answers by their ids.
func talk(t *testing.T, dir, lines string) (map[string]answer, int) {
	t.Helper()
	var out bytes.Buffer
	var calls atomic.Int32
	err := codex.Serve(context.Background(), strings.NewReader(lines), &out, codex.Host{
		Cwd: dir, Shell: "/bin/bash", Reason: func(err error) string { return err.Error() },
		Open: func(context.Context, []string, func(client.Event)) (codex.Session, error) {
			return refuses{calls: &calls}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]answer{}
	for line := range strings.Lines(out.String()) {
		var a answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%q is no answer: %v", line, err)
		}
		if a.Method == "" && (a.Error == nil) == (len(a.Result) == 0) {
			t.Fatalf("%q is neither a result nor an error", line)
		}
		all[string(a.ID)] = a
	}
	return all, int(calls.Load())
}

func TestFilesStayInTheWorkspace(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret")
	for path, text := range map[string]string{filepath.Join(dir, "a.txt"): "hello", outside: "secret"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip("no links here: ", err)
	}
	line := func(id int, method, path string) string {
		return fmt.Sprintf(`{"id":%d,"method":%q,"params":{"path":%q,"sandbox":null}}`+"\n", id, method, "file://"+path)
	}
	all, calls := talk(t, dir, line(1, "fs/readFile", dir+"/a.txt")+line(2, "fs/readFile", outside)+line(3, "fs/readFile", dir+"/link")+
		line(4, "fs/readFile", dir+"/../"+filepath.Base(filepath.Dir(outside))+"/secret")+line(5, "fs/getMetadata", outside)+
		line(6, "fs/getMetadata", dir+"/none")+line(7, "fs/readDirectory", dir)+line(8, "fs/writeFile", dir+"/b")+line(9, "fs/readFile", "relative"))
	if want := base64.StdEncoding.EncodeToString([]byte("hello")); !strings.Contains(string(all["1"].Result), want) {
		t.Errorf("a file of the workspace is answered %s", all["1"].Result)
	}
	for _, id := range []string{"2", "3", "4", "5", "6", "8", "9"} {
		if all[id].Error == nil {
			t.Errorf("%s is answered %s", id, all[id].Result)
		}
	}
	for _, id := range []string{"2", "4", "5", "6"} {
		if all[id].Error.Code != -32004 {
			t.Errorf("%s: %+v, want that it isn't there", id, all[id].Error)
		}
	}
	if !strings.Contains(string(all["7"].Result), `"a.txt"`) {
		t.Errorf("the directory is %s", all["7"].Result)
	}
	if calls == 0 {
		t.Error("a file was written without the session")
	}
}

func TestWhatIsNotKnownIsAnError(t *testing.T) {
	all, _ := talk(t, t.TempDir(), `{"id":1,"method":"process/fork","params":{}}
{"id":2,"method":"process/start","params":[]}
{"id":3,"method":"process/start","params":{"processId":"p","argv":[],"cwd":"file:///"}}
{"id":4,"method":"process/read","params":{"processId":"none"}}
{"id":5,"method":"process/write","params":{"processId":"none","chunk":"aGk=","writeId":"w"}}
{"id":6,"method":"process/start","params":{"processId":"p","argv":["ls"],"cwd":"http://x/"}}
{"id":7,"method":"initialize","params":{"clientName":"codex-environment","new":{}}}
garbage
`)
	for _, id := range []string{"1", "2", "3", "4", "6"} {
		if all[id].Error == nil {
			t.Errorf("%s is answered %s", id, all[id].Result)
		}
	}
	if all["1"].Error.Code != -32601 || !strings.Contains(all["1"].Error.Message, "newer") {
		t.Errorf("an unknown method is answered %+v", all["1"].Error)
	}
	if !strings.Contains(string(all["5"].Result), "unknownProcess") || all["7"].Error != nil || all["null"].Error == nil {
		t.Errorf("answered %+v", all)
	}
}

// What Codex sends, and worse.
var seeds = []string{
	`{"id":1,"method":"process/start","params":{"processId":"p","argv":["/bin/bash","-lc","ls"],"cwd":"file:///tmp","env":{"A":"b"},"tty":true}}` + "\n",
	`{"id":2,"method":"process/read","params":{"processId":"p","afterSeq":1,"maxBytes":null,"waitMs":0}}` + "\n" + `{"id":3,"method":"fs/readFile","params":{"path":"file:///etc/passwd"}}` + "\n",
	`{"id":4,"method":"process/signal","params":{"processId":"p","signal":"interrupt"}}` + "\n{\n[]\nnull\n",
	`{"id":5,"method":"fs/writeFile","params":{"path":"file:///tmp/x","dataBase64":"eA==","sandbox":{"workspaceRoots":["file:///tmp"],"permissions":{"type":"managed","file_system":{"type":"restricted","entries":[{"access":"read"}]}}}}}` + "\n",
	`{"id":6,"method":"initialize","params":{"clientName":"codex-environment","resumeSessionId":null}}` + "\n" + `{"method":"initialized"}` + "\n",
}

// Whatever comes in, what goes out is one message a line, and a request is answered.
func FuzzServe(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, in []byte) { answersWell(t, dir, in) })
}

// The same for 100,000 messages that are cut off, huge, garbled or made to be read in two ways.
func TestHostileMessages(t *testing.T) {
	long.Test(t)
	var all [][]byte
	for _, s := range seeds {
		all = append(all, []byte(s))
	}
	dir := t.TempDir()
	for round := range long.Rounds(100_000) {
		if answersWell(t, dir, hostile.Message(long.Seed(round), all)); t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
}

func answersWell(t *testing.T, dir string, in []byte) {
	t.Helper()
	all, _ := talk(t, dir, string(in))
	for line := range bytes.Lines(in) {
		var m struct {
			ID     int    `json:"id"`
			Method string `json:"method"`
		}
		whole := bytes.HasSuffix(line, []byte("\n")) // who wrote the rest is gone: nothing is done for them
		if whole && json.Unmarshal(line, &m) == nil && m.ID > 0 {
			if _, ok := all[fmt.Sprint(m.ID)]; !ok && bytes.Contains(line, fmt.Appendf(nil, `"id":%d,`, m.ID)) {
				t.Fatalf("%.3000q is not answered", line)
			}
		}
	}
	for _, a := range all {
		if strings.Contains(string(a.Result), "cm9vdDp4") { // "root:x" of a file outside
			t.Fatalf("%.3000q reads a file outside: %s", in, a.Result)
		}
	}
}
