package replay

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

const sample = `Two lines of
title.      covers: O1 CX-3
-- flags --
goos=linux,darwin timeout=3s noinit
-- init.json --
{"limits":{"maxConcurrent":1}}
-- ws/dir/a.txt --
hi
-- script --
# a comment
→ #7 exec {"command":"true",
   "execId":"a"}
--> initialized {}
← #7 error -31001 "denied" {"kind":"x"}
← {
  ← #8 null
  <--= $/progress {"token":"t"}
}
←~ t stdout "a\nb"
✗ $/progress {"token":"t"} 200ms
! raw "x"*3 ` + "`\"q\"`" + `
`

func TestParseScenario(t *testing.T) {
	s, err := Parse("dir/sample.rpc.txtar", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	for _, st := range s.script {
		got = append(got, []any{st.kind, st.line, st.lines})
	}
	want := []any{
		[]any{kindSend, 11, 2},
		[]any{kindSend, 13, 1},
		[]any{kindExpect, 14, 1},
		[]any{kindGroup, 15, 4},
		[]any{kindBytes, 19, 1},
		[]any{kindNever, 20, 1},
		[]any{kindVerb, 21, 1},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("kind, line, lines (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"O1", "CX-3"}, s.Covers); d != "" {
		t.Error(d)
	}
	if s.Name != "sample" || !s.NoInit || s.Files["dir/a.txt"] != "hi\n" || !s.Runs("darwin", "binary", jsonrpc.FramingLines) || s.Runs("windows", "binary", jsonrpc.FramingHeader) {
		t.Errorf("scenario: %+v", s)
	}
	refused := s.script[2].frame
	if !refused.isError || refused.code != "-31001" || refused.message != "denied" || refused.body != `{"kind":"x"}` {
		t.Errorf("error frame: %+v", refused)
	}
	if g := s.script[3].group; len(g) != 2 || g[0].frame.body != "null" || !g[1].frame.exact || g[1].frame.method != "$/progress" {
		t.Errorf("group: %+v", g)
	}
	if b, err := unquoteBytes(s.script[6].verbArgs[0]); err != nil || string(b) != "xxx" {
		t.Errorf("bytes: %q, %v", b, err)
	}
}

func TestParseErrorsNameTheLine(t *testing.T) {
	for script, want := range map[string]string{
		"\n! dance":                       "x:4: unknown verb",
		"! sleep":                         "x:3: sleep takes",
		"\n\n← {\n← #1 {}":                "x:5: group is not closed",
		"← {\n! eof\n}":                   "x:4: a group holds expectations only",
		"hello":                           "x:3: expected one of →",
		"✗ $/progress":                    "x:3: ✗ needs a pattern and a duration",
		"←~ t stdout unquoted":            "x:3: expected ←~",
		"← #1 error denied":               "x:3: expected an error code",
		"! raw \"\\q\"":                   "x:3: ! needs a verb",
		"! raw \"x\"*999999999":           "x:3: ! needs a verb: \"x\"*999999999: more than",
		"! raw \"x\"*9223372036854775808": "x:3: ! needs a verb",
		"→ {\"no\": \"method\"}":          "x:3: expected a method or #id",
	} {
		_, err := Parse("x", []byte("title\n-- script --\n"+script+"\n"))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", script, err, want)
		}
	}
}

// A scenario that no machine can meet would pass by never being played.
func TestParseRefusesWhatNothingCanMeet(t *testing.T) {
	for flags, want := range map[string]string{
		"goos=linus":      "x:3: goos=linus: expected one of linux, darwin, windows",
		"framing=lines":   "x:3: framing=lines: expected one of header, jsonl",
		"variant=binaery": "x:3: variant=binaery: expected one of inprocess, binary",
		"needs=sandboks:": "x:3: needs=sandboks: expected one of sandbox, rung, cmd",
		"nointi":          `x:3: unknown flag "nointi"`,
	} {
		_, err := Parse("x", []byte("title\n-- flags --\n"+flags+"\n-- script --\n! eof\n"))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", flags, err, want)
		}
	}
	if _, err := Parse("x", []byte("title\n-- conversation --\n! eof\n")); err == nil || !strings.HasPrefix(err.Error(), `x:3: unknown section "conversation"; there are script, flags`) {
		t.Error(err)
	}
	if _, err := Parse("x", []byte("title\n→ #1 exec {}\n")); err == nil || !strings.Contains(err.Error(), `no section "-- script --"`) {
		t.Error(err)
	}
}

func TestWhatKeepsAScenarioAwayIsNamed(t *testing.T) {
	s := &Scenario{Framings: []string{"jsonl"}}
	if u := s.Excludes("linux", "binary", jsonrpc.FramingHeader); u == nil || u.Error() != "needs framing=jsonl: here it is header" {
		t.Error(u)
	}
	if u := s.Excludes("linux", "binary", jsonrpc.FramingLines); u != nil {
		t.Error(u)
	}
}

func TestNamesAreReplacedOnlyWhenKnown(t *testing.T) {
	v := vars{"pid": []byte("42"), "WS": quote(`/w "s"`), "s1": quote("srv")}
	for text, want := range map[string]string{
		`{"a":"$pid"}`:                `{"a":42}`,
		`{"a":$pid}`:                  `{"a":42}`,
		`{"a":"x$pid"}`:               `{"a":"x42"}`,
		`{"a":"$WS/b"}`:               `{"a":"/w \"s\"/b"}`,
		`{"a":"$WS"}`:                 `{"a":"/w \"s\""}`,
		`{"c":"echo $HOME $(id) $$"}`: `{"c":"echo $HOME $(id) $$"}`,
		`{"c":"<$pid:int>"}`:          `{"c":"<$pid:int>"}`,
		`{"c":"\"$pid\""}`:            `{"c":"\"42\""}`,
	} {
		if got := v.expand(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	f := frame{id: "$s1", body: `{"decision":"accept"}`}
	if got, _ := f.encode(v); got != `{"jsonrpc":"2.0","id":"srv","result":{"decision":"accept"}}` {
		t.Errorf("answer: %s", got)
	}
}
