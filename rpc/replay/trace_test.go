package replay

import (
	"slices"
	"strings"
	"testing"
)

func TestTheConversationIsShownAsScriptsWriteIt(t *testing.T) {
	for _, tc := range []struct {
		sent       bool
		body, want string
	}{
		{true, `{"jsonrpc":"2.0","id":7,"method":"exec","params":{"command":"ls"}}`, `→ #7 exec {"command":"ls"}`},
		{true, `{"jsonrpc":"2.0","method":"exit"}`, `→ exit `},
		{false, `{"jsonrpc":"2.0","id":"a","result":null}`, `← #"a" null`},
		{false, `{"jsonrpc":"2.0","id":7,"error":{"code":-31001,"message":"a \"b\"","data":{"kind":"x"}}}`, `← #7 error -31001 "a \"b\"" {"kind":"x"}`},
		{false, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"\u009b6n\"}", `← #7 "\u009b6n"`},
		{true, "Content-Length: 3\r\n\r\n{x\x1b", `→ raw "Content-Length: 3\r\n\r\n{x\x1b"`},
	} {
		if got := Line(tc.sent, []byte(tc.body)); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.body, got, tc.want)
		}
	}
	long := Line(false, []byte(`{"jsonrpc":"2.0","id":1,"result":"`+strings.Repeat("x", 1<<20)+`"}`))
	if len(long) > 2*maxTraced || !strings.Contains(long, "(1048578 bytes)") {
		t.Errorf("%d bytes: %.80s", len(long), long)
	}
}

func TestATraceSeesBothSides(t *testing.T) {
	s, err := Parse("f", []byte(execScript+"← #7 {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	trace := func(sent bool, body []byte) { lines = append(lines, Line(sent, body)) }
	if err := Run(t.Context(), s, Options{Start: fake{"exec": execAnswer}.start, Root: t.TempDir(), Trace: trace}); err != nil {
		t.Fatal(err)
	}
	for _, begin := range []string{"→ #1000001 initialize", "← #1000001 {", "→ #7 exec", `← $/progress {"token":"t"`, "← #7 {", "→ #1000002 shutdown", "→ exit"} {
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, begin) }) {
			t.Errorf("no %s in\n%s", begin, strings.Join(lines, "\n"))
		}
	}
}
