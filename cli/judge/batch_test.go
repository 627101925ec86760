package judge

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc/display"
)

var home = Question{Workspace: "/home/dev/project", Home: "/home/dev"}

// answerTo is what a batch answers, one map a line.
func answersTo(t *testing.T, in string) (answers []map[string]any, bad int) {
	t.Helper()
	var out bytes.Buffer
	bad, err := Lines(strings.NewReader(in), &out, home)
	if err != nil {
		t.Fatal(err)
	}
	d := jsontext.NewDecoder(&out)
	for {
		var m map[string]any
		switch err := json.UnmarshalDecode(d, &m); err {
		case nil:
			answers = append(answers, m)
		case io.EOF:
			return answers, bad
		default:
			t.Fatal(err)
		}
	}
}

func TestBatchAnswersEveryLineInOrder(t *testing.T) {
	answers, bad := answersTo(t, "\ufeff"+`{"command":"rm -rf /usr","id":"a"}`+"\r\n\r\n   \n"+
		`{"id":[1],"argv":["rm","-rf","build"]}`+"\n"+
		`{"command":"rm -rf \"$X\"","expect":"ask","context":{"mode":"read","modes":1}}`)
	if bad != 0 || len(answers) != 3 {
		t.Fatalf("%d bad, %v", bad, answers)
	}
	for i, want := range []struct {
		line     float64
		decision string
	}{{1, "deny"}, {4, "allow"}, {5, "ask"}} {
		if answers[i]["line"] != want.line || answers[i]["decision"] != want.decision {
			t.Errorf("%v, want %v", answers[i], want)
		}
		if _, ok := answers[i]["microseconds"].(float64); !ok {
			t.Errorf("no time in %v", answers[i])
		}
	}
	if answers[0]["id"] != "a" || answers[0]["ruleId"] != "fs/delete-system" || answers[0]["message"] != "deletes /usr" {
		t.Errorf("%v", answers[0])
	}
	if ignored, _ := answers[2]["ignored"].([]any); len(ignored) != 1 || ignored[0] != "modes" {
		t.Errorf("a mistyped member of context went unnoticed: %v", answers[2])
	}
}

func TestABadLineIsAnswered(t *testing.T) {
	for name, tc := range map[string]struct{ line, want string }{
		"not JSON":            {`{oops`, "not valid JSON"},
		"not an object":       {`["ls"]`, "the line"},
		"wrong type":          {`{"command":7}`, "/command"},
		"neither":             {`{"id":1}`, "exactly one"},
		"both":                {`{"command":"ls","argv":["ls"]}`, "exactly one"},
		"twice":               {`{"command":"ls","command":"rm"}`, "duplicate"},
		"unknown profile":     {`{"command":"ls","profile":"balancd"}`, `did you mean balanced?`},
		"unknown dialect":     {`{"command":"ls","dialect":"fish"}`, "posix"},
		"relative workspace":  {`{"command":"ls","workspace":"x"}`, "absolute"},
		"relative home":       {`{"command":"ls","home":"x"}`, "absolute"},
		"cwd outside":         {`{"command":"ls","cwd":"../x"}`, "outside the workspace"},
		"bad pattern":         {`{"command":"ls","context":{"allow_patterns":["("]}}`, "allow_patterns"},
		"bad mode":            {`{"command":"ls","context":{"mode":"rw"}}`, "one of read, write"},
		"bad context":         {`{"command":"ls","context":{"sandbox":"no"}}`, "/sandbox"},
		"not UTF-8":           {"{\"command\":\"\xff\"}", "not valid JSON"},
		"longer than a batch": {`{"command":"` + strings.Repeat("x", maxLine) + `"}`, "longer"},
	} {
		t.Run(name, func(t *testing.T) {
			answers, bad := answersTo(t, `{"command":"ls"}`+"\n"+tc.line+"\n"+`{"command":"pwd"}`+"\n")
			if bad != 1 || len(answers) != 3 {
				t.Fatalf("%d bad, %d answers", bad, len(answers))
			}
			text, _ := answers[1]["error"].(string)
			if !strings.Contains(text, tc.want) || answers[1]["line"] != 2.0 {
				t.Errorf("%v, want %q", answers[1], tc.want)
			}
			if answers[2]["decision"] != "allow" || answers[2]["line"] != 3.0 {
				t.Errorf("the next line: %v", answers[2])
			}
		})
	}
}

func TestTheIDOfABadLineIsKept(t *testing.T) {
	answers, _ := answersTo(t, `{"command":7,"id":"x"}`)
	if answers[0]["id"] != "x" {
		t.Errorf("%v", answers[0])
	}
}

func TestALongLineIsJudged(t *testing.T) {
	answers, bad := answersTo(t, `{"command":"`+strings.Repeat("x", 1<<20)+`"}`)
	if bad != 0 || answers[0]["ruleId"] != "input/size" {
		t.Errorf("%d bad, %.200v", bad, answers)
	}
}

func TestRowsOverrideFlags(t *testing.T) {
	for line, want := range map[string]Question{
		`{"command":"x"}`:                                  {Workspace: "/w", Cwd: "sub", Home: "/h"},
		`{"command":"x","cwd":"y","home":"/z"}`:            {Workspace: "/w", Cwd: "y", Home: "/z"},
		`{"command":"x","workspace":"/v"}`:                 {Workspace: "/v", Home: "/h"},
		`{"command":"x","dialect":"bash"}`:                 {Workspace: "/w", Cwd: "sub", Home: "/h", Dialect: "bash"},
		`{"command":"x","context":{"workdir":"s"}}`:        {Workspace: "/w", Cwd: "s", Home: "/h"},
		`{"command":"x","context":{"working_dir":"/v/s"}}`: {Workspace: "/v/s", Home: "/h"},
		`{"command":"x","context":{"workspace":"/v","workdir":"/v/s","restrictToWorkspace":true}}`:     {Workspace: "/v", Cwd: "/v/s", Home: "/h", restrict: new(true)},
		`{"command":"x","profile":"readonly","context":{"sandbox":false,"mode":"read"}}`:               {Workspace: "/w", Cwd: "sub", Home: "/h", closed: guard.ClosedByReadMode},
		`{"command":"x","profile":"readonly","context":{"sandbox":false,"mode":"write","timeout":10}}`: {Workspace: "/w", Cwd: "sub", Home: "/h"},
	} {
		q, _, err := decodeRow([]byte(line), Question{Workspace: "/w", Cwd: "sub", Home: "/h"})
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if want.Dialect == "" {
			want.Dialect = "posix"
		}
		want.Asked, want.Profile = display.Asked{Command: "x"}, q.Profile
		if q.closed != want.closed || q.Workspace != want.Workspace || q.Cwd != want.Cwd || q.Home != want.Home ||
			q.Dialect != want.Dialect || (q.restrict == nil) != (want.restrict == nil) || q.Command != want.Command {
			t.Errorf("%s: %+v, want %+v", line, q, want)
		}
	}
	q, _, err := decodeRow([]byte(`{"command":"x","context":{"allow_patterns":["^git "]}}`), home)
	if err != nil || !slices.Equal(q.allowPatterns, []string{"^git "}) {
		t.Errorf("%+v, %v", q, err)
	}
	if p, _, err := q.policy(""); err != nil || !slices.Equal(p.AllowPatterns, []string{"^git "}) {
		t.Errorf("%+v, %v", p, err)
	}
}

// A verdict is written before the next line is read, so that a program can ask
// and wait for the answer.
func TestABatchIsACoprocess(t *testing.T) {
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := Lines(in, out, home)
		done <- err
	}()
	for _, command := range []string{"ls", "rm -rf /usr"} {
		if _, err := io.WriteString(ask, `{"command":"`+command+`"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		line := make([]byte, 64<<10)
		if n, err := answers.Read(line); err != nil || !bytes.Contains(line[:n], []byte(`"decision"`)) {
			t.Fatalf("%s %v", line[:n], err)
		}
	}
	_ = ask.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAClosedOutputEndsTheBatch(t *testing.T) {
	answers, out := io.Pipe()
	_ = answers.CloseWithError(errors.New("nobody listens"))
	endless := io.MultiReader(strings.NewReader(strings.Repeat(`{"command":"ls"}`+"\n", 10)))
	if _, err := Lines(endless, out, home); err == nil || !strings.Contains(err.Error(), "line 1: nobody listens") {
		t.Errorf("%v", err)
	}
}

func TestAFailingInputIsNamed(t *testing.T) {
	in := io.MultiReader(strings.NewReader(`{"command":"ls"}`+"\n"), failing{})
	if _, err := Lines(in, io.Discard, home); err == nil || !strings.Contains(err.Error(), "line 2: cut") {
		t.Errorf("%v", err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("cut") }

// ~ is the home of the workspace's owner, on this machine or not.
func TestHomeOfAWorkspace(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	for folder, want := range map[string]string{
		"/home/nobody-of-this-name/project": "/home/nobody-of-this-name",
		"/Users/nobody-of-this-name/p":      "/Users/nobody-of-this-name",
		"/srv/nothing-of-this-name":         "/home/me",
		t.TempDir():                         "/home/me",
	} {
		if got := homeOf(folder); got != want {
			t.Errorf("%s: %s, want %s", folder, got, want)
		}
	}
}

// Whatever comes in, every line that isn't blank is answered with one line of
// JSON that has its number.
func FuzzBatch(f *testing.F) {
	f.Add("{\"command\":\"ls\"}\n\n{\"argv\":[\"a\"],\"id\":{}}\r\n[]")
	f.Add(`{"command":"ls","context":{"workdir":"..","allow_patterns":["(?i)x"],"mode":"read","sandbox":false}}`)
	f.Add("\ufeff{}\x00")
	f.Fuzz(func(t *testing.T, in string) {
		var out bytes.Buffer
		if _, err := Lines(strings.NewReader(in), &out, home); err != nil {
			t.Fatal(err)
		}
		n := 0
		for i, line := range strings.Split(strings.TrimPrefix(in, "\ufeff"), "\n") {
			if strings.TrimSpace(line) == "" {
				continue
			}
			n++
			var answer struct {
				Line            int
				Decision, Error string
			}
			text, err := out.ReadBytes('\n')
			if err != nil || json.Unmarshal(text, &answer, json.MatchCaseInsensitiveNames(true)) != nil {
				t.Fatalf("%q, %v", text, err)
			}
			if answer.Line != i+1 || (answer.Decision == "") == (answer.Error == "") {
				t.Fatalf("line %d: %s", i+1, text)
			}
		}
		if out.Len() > 0 {
			t.Fatalf("%d lines, and more answers: %q", n, out.Bytes())
		}
	})
}
