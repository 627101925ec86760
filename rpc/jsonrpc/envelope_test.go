package jsonrpc

import (
	"fmt"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
)

func TestDecodeMessage(t *testing.T) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"a"}`,
		` {"jsonrpc":"2.0","id":"x","method":"a","params":{"b":[1]}} `,
		`{"jsonrpc":"2.0","method":"a","params":null}`,
		`{"jsonrpc":"2.0","method":"a","extra":1}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{"twice":1,"twice":2}}`, // for the method's decoder to name
	} {
		if _, _, err := decodeMessage([]byte(body)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestDecodeMessageRefuses(t *testing.T) {
	id1 := jsonrpc2.NewNumberID(1)
	none := jsonrpc2.ID{}
	for _, tt := range []struct {
		body string
		kind FaultKind
		id   jsonrpc2.ID
	}{
		{``, NotJSON, none},
		{`{`, NotJSON, none},
		{`{"jsonrpc":"2.0","id":1,"method":"a"}x`, NotJSON, id1},
		{"\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"a"}`, NotJSON, none},
		{`{"jsonrpc":"2.0","id":1,"method":"a","params":{"a" 1,,]}}`, NotJSON, id1},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[\"\xff\"]}", NotJSON, id1},
		{`{"jsonrpc":"2.0","id":1,"method":"a","params":["\ud800"]}`, NotJSON, id1},
		{`{"jsonrpc":"2.0","id":1,"method":"a","params":[01]}`, NotJSON, id1},
		{`[]`, NotARequest, none},
		{`[{"jsonrpc":"2.0","id":1,"method":"a"}]`, NotARequest, none},
		{`"a"`, NotARequest, none},
		{`{"jsonrpc":"2.0","id":1.5,"method":"a"}`, NotARequest, none},
		{`{"jsonrpc":"2.0","id":1e3,"method":"a"}`, NotARequest, none},
		{`{"jsonrpc":"2.0","id":18446744073709551616,"method":"a"}`, NotARequest, none},
		{`{"jsonrpc":"2.0","id":null,"method":"a"}`, NotARequest, none},
		{`{"jsonrpc":"2.0","id":{},"method":"a"}`, NotARequest, none},
		{`{"jsonrpc":"2.0","id":true,"method":"a"}`, NotARequest, none},
		{`{"jsonrpc":"2.0","id":1,"id":1,"method":"a"}`, NotARequest, none},
		{`{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}`, NotARequest, id1},
		{`{"jsonrpc":"1.0","id":1,"method":"a"}`, NotARequest, id1},
		{`{"id":1,"method":"a"}`, NotARequest, id1},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, NotARequest, id1},
		{`{"jsonrpc":"2.0","id":1,"method":"a","params":7}`, NotARequest, id1},
		{`{"jsonrpc":"2.0","id":1,"method":"a","result":7}`, NotARequest, id1},
		{`{"jsonrpc":"2.0","id":1}`, NotARequest, id1},
		{`{"jsonrpc":"2.0","id":1,"result":[01]}`, NotJSON, none},
		{`{"jsonrpc":"2.0","id":1,"result":1,"error":{}}`, NotARequest, none},
		{nested(maxDepth + 1), NotARequest, id1},
		{strings.Repeat("[", 1<<20), NotARequest, none},
	} {
		_, id, err := decodeMessage([]byte(tt.body))
		if err == nil || err.Kind != tt.kind || id != tt.id {
			t.Errorf("%.80s: %v id %v, want %d id %v", tt.body, err, id, tt.kind, tt.id)
		}
	}
}

// TestDecodeMessageSaysWhat: "not a JSON-RPC 2.0 message" tells nobody what to correct.
func TestDecodeMessageSaysWhat(t *testing.T) {
	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1.5,"method":"a"}`:                   "an id is a string or an integer",
		`{"jsonrpc":"2.0","id":18446744073709551616,"method":"a"}`:  "an id is a string or an integer",
		`{"jsonrpc":"1.0","id":1,"method":"a"}`:                     `jsonrpc is "2.0"`,
		`{"id":1,"method":"a"}`:                                     `jsonrpc is "2.0"`,
		`{"jsonrpc":"2.0","id":1,"method":7}`:                       "a method is a string",
		`{"jsonrpc":"2.0","id":1,"method":"a","result":7}`:          "a message has one of method, result and error",
		`{"jsonrpc":"2.0","id":1,"method":"a","params":["\ud800"]}`: "invalid surrogate pair",
	} {
		if _, _, fault := decodeMessage([]byte(body)); fault == nil || !strings.HasPrefix(fault.Detail, want) {
			t.Errorf("%s: %+v, want %q", body, fault, want)
		}
	}
}

// nested is a request whose whole nesting is depth.
func nested(depth int) string {
	n := depth - 1
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"a","params":%s%s}`, strings.Repeat("[", n), strings.Repeat("]", n))
}

func TestDepth(t *testing.T) {
	if _, _, err := decodeMessage([]byte(nested(maxDepth))); err != nil {
		t.Errorf("depth %d: %v", maxDepth, err)
	}
	if d := depth([]byte(`{"a":"[[[\"[[","b":[{}]}`)); d != 3 {
		t.Errorf("brackets in strings count: %d", d)
	}
}

func TestRecoverID(t *testing.T) {
	for prefix, want := range map[string]jsonrpc2.ID{
		`{"jsonrpc":"2.0","id":7,"method":"exec","params":{"command":"aaaaa`:       jsonrpc2.NewNumberID(7),
		`{"jsonrpc":"2.0","id":"x\u0041","method":"exec","params":{"command":"aaa`: jsonrpc2.NewStringID("xA"),
		`{"jsonrpc":"2.0","method":"exec","params":{"id":7,"command":"aaaaa`:       {},
		`{"jsonrpc":"2.0","id":1.5,"params":{`:                                     {},
		`{"jsonrpc":"2.0","id":12`:                                                 {},
		`zzz`:                                                                      {},
		``:                                                                         {},
	} {
		if got := recoverID([]byte(prefix)); got != want {
			t.Errorf("%s: %v, want %v", prefix, got, want)
		}
	}
}
